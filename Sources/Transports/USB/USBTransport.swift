import DevicePrinting
public import PrintModel
import Synchronization

/// The way to printers on the USB bus. A printer is opened when it is first asked for, and kept: as long as this is
/// running nobody else writes to it. libusb is started with the first of them; a machine without USB has printers that
/// cannot be reached, and no other trouble.
public final class USBTransport: Transport {
    public let schemes: Set<PrinterURL.Scheme> = [.usb]
    /// What comes, goes or changes is told at once.
    public let idleContactInterval: Duration? = .seconds(60)
    let bus: USBBus
    let shelf: PrinterShelf
    /// Nil drives every printer raw.
    let forwarding: IPPForwarding?
    private let newsStream: AsyncStream<PrinterNews>
    let newsOut: AsyncStream<PrinterNews>.Continuation
    private let heard: HeardNews
    private let watching = Mutex<[Task<Void, Never>]>([])

    /// `settings` are those of a printer's profile; `vendorPrinters` are those whose class is the vendor's own.
    public convenience init(
        settings: @escaping @Sendable (PrinterIdentity) -> DeviceSettings = { _ in DeviceSettings() },
        vendorPrinters: Set<USBModel> = []
    ) {
        self.init(bus: USBBus(vendorPrinters: vendorPrinters), settings: settings)
    }

    package init(
        bus: USBBus, forwarding: IPPForwarding? = nil,
        settings: @escaping @Sendable (PrinterIdentity) -> DeviceSettings,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.bus = bus
        self.forwarding = forwarding
        (newsStream, newsOut) = AsyncStream.makeStream(
            of: PrinterNews.self, bufferingPolicy: .bufferingNewest(Self.backlog))
        let heard = HeardNews()
        self.heard = heard
        let known = KnownPrinters()
        shelf = PrinterShelf { url in
            OwnedPrinter(url, on: bus, known: known, clock: clock, settings: settings) { heard.add($0, of: url) }
        }
    }

    /// Of whoever does not listen, or not fast enough; the oldest go.
    private static let backlog = 256

    public func forget(_ printer: PrinterTarget) async {
        await shelf.forget(printer)
        await forwarding?.forget(printer, isLast: await shelf.targets(of: printer.url).isEmpty)
    }

    public func news() -> AsyncStream<PrinterNews>? { newsStream }

    public func shutDown() async {
        await shelf.shutDown()
        await forwarding?.shutDown()
        await bus.shutDown()
        for task in watching.withLock(\.self) { task.cancel() }
        newsOut.finish()
    }

    /// Begins to follow printers and bus, with the first call for a printer.
    func watch() {
        watching.withLock { tasks in
            guard tasks.isEmpty else { return }
            tasks = [
                Task { [weak self, heard] in
                    for await _ in heard.signals {
                        for (url, news) in heard.take() { await self?.tell(news, of: url) }
                    }
                },
                Task { [weak self, bus] in for await change in await bus.changes() { await self?.tell(change) } },
            ]
        }
    }

    /// The printer of a target, open.
    func open(_ target: PrinterTarget) async throws -> OwnedPrinter.Held {
        guard schemes.contains(target.url.scheme) else {
            throw TransportError(
                .notSupported, operation: "open",
                message:
                    "\(target.url): this transport serves usb://Maker/Model only; save the printer under such a URL")
        }
        watch()
        guard let printer = await shelf.printer(for: target) else {
            throw TransportError(.cancelled, operation: "open", message: "\(target.url): printing over USB has ended")
        }
        do throws(USBOpenError) {
            return try await printer.open(profile: target.profile)
        } catch {
            throw TransportError(error, printer: target.url)
        }
    }
}
