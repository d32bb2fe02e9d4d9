import KioskDevicePrinting
public import KioskPrintModel
import Synchronization

/// The transport to printers on the USB bus. A printer is opened when it is first used, and kept: while this runs, no
/// other program writes to it. libusb starts with the first printer; on a machine without USB, printers are merely
/// unreachable.
public final class USBTransport: Transport {
    public let schemes: Set<PrinterURL.Scheme> = [.usb]
    /// The bus reports every change at once.
    public let idleContactInterval: Duration? = .seconds(60)
    /// The printers in use. Internal for a test that blocks one of them.
    let pool: PrinterPool<PrinterSession>
    private let bus: USBBus
    /// Nil drives every printer raw.
    private let forwarding: IPPForwarding?
    private let feed: PrinterNewsFeed
    let trace: WireTrace
    /// Follows the bus.
    private let listening = Mutex<Task<Void, Never>?>(nil)

    /// `settings` are those of a printer's profile; `vendorPrinters` are models with a vendor-specific class.
    public convenience init(
        settings: @escaping @Sendable (PrinterIdentity) -> DeviceSettings = { _ in DeviceSettings() },
        vendorPrinters: Set<USBModel> = [], trace: WireTrace = WireTrace()
    ) {
        self.init(bus: USBBus(vendorPrinters: vendorPrinters), settings: settings, trace: trace)
    }

    package init(
        bus: USBBus, forwarding: IPPForwarding? = nil,
        settings: @escaping @Sendable (PrinterIdentity) -> DeviceSettings,
        clock: any Clock<Duration> = ContinuousClock(), trace: WireTrace = WireTrace()
    ) {
        self.bus = bus
        self.forwarding = forwarding
        self.trace = trace
        let feed = PrinterNewsFeed()
        self.feed = feed
        let known = KnownPrinters<USBPrinterKey>()
        pool = PrinterPool { url in
            PrinterSession(url, on: bus, known: known, clock: clock, trace: trace, settings: settings) {
                feed.add($0, of: url)
            }
        }
    }

    public func forget(_ printer: PrinterTarget) async {
        await pool.forget(printer)
        await forwarding?.forget(printer, isLast: await pool.targets(of: printer.url).isEmpty)
    }

    public func shutDown() async {
        await pool.shutDown()
        await forwarding?.shutDown()
        await bus.shutDown()
        listening.withLock { $0?.cancel() }
        feed.finish()
    }

    /// The printer of a target, opened if need be.
    private func open(_ target: PrinterTarget) async throws -> PrinterSession.OpenPrinter {
        guard schemes.contains(target.url.scheme) else {
            throw TransportError(
                .notSupported, operation: "open",
                message:
                    "\(target.url): this transport serves usb://Maker/Model only; save the printer under such a URL")
        }
        startListening()
        guard let session = await pool.printer(for: target) else {
            throw TransportError(.cancelled, operation: "open", message: "\(target.url): printing over USB has ended")
        }
        do throws(USBOpenError) {
            return try await session.open(profile: target.profile)
        } catch {
            trace.tell(.usb, target.url, "the printer is not opened: \(error.operation): \(error.reason)")
            throw TransportError(error, printer: target.url)
        }
    }

    // MARK: Contact and delivery

    /// Opens the printer if need be. A printer that reports automatically is asked nothing.
    public func contact(_ printer: PrinterTarget) async throws -> ContactReport {
        if let report = try await contactByIPP(printer) { return report }
        var opened = try await open(printer)
        var condition = await opened.conversation.condition()
        // The printer was reopened meanwhile.
        while await opened.conversation.isRetired {
            opened = try await open(printer)
            condition = await opened.conversation.condition()
        }
        if await opened.conversation.isOver { throw TransportError(USBOpenError.disconnected, printer: printer.url) }
        return ContactReport(
            description: PrinterDescription(opened.printer),
            availability: condition.availabilityWhenOpen(opened.conversation.settings))
    }

    public func deliver(
        _ delivery: Delivery, to printer: PrinterTarget, progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) async throws -> JobReport {
        progress(.connecting)
        if let ipp = try await ippTransport(for: printer) {
            trace.tell(.usb, printer.url, "driven by IPP over USB")
            return try await ipp.deliver(delivery, to: printer, progress: progress)
        }
        let delivery = try await delivery.rendered()
        while true {
            let opened = try await open(printer)
            if let report = try await deliver(delivery, to: printer, over: opened, progress: progress) {
                return report
            }
        }
    }

    /// Nil where the printer was reopened before it took anything: the delivery is then repeated there.
    private func deliver(
        _ delivery: Delivery, to printer: PrinterTarget, over opened: PrinterSession.OpenPrinter,
        progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) async throws -> JobReport? {
        do throws(DeliveryFailure) {
            let raw = RawDelivery(delivery)
            let evidence = try await raw.send(over: opened.conversation, progress: progress)
            return JobReport(state: .completed, evidence: evidence, remarks: raw.remarks)
        } catch {
            if error.kind == .disconnected, error.accepted == 0, await opened.conversation.isRetired { return nil }
            if error.accepted > 0 {
                await pool.noteAborted(
                    delivery.jobID, wasCancelled: error.kind == .cancelled && !error.isComplete)
            }
            throw TransportError(
                error, printer: printer.url, length: delivery.document.length, advice: Self.advice)
        }
    }

    /// Only over IPP.
    public func identify(_ printer: PrinterTarget, message: String?) async throws -> [String] {
        guard let ipp = try await ippTransport(for: printer) else {
            throw TransportError(
                .notSupported, operation: "identify",
                message:
                    "\(printer.url): the printer is driven with raw data, and cannot be asked to show which one it is")
        }
        return try await ipp.identify(printer, message: message)
    }

    // MARK: Earlier jobs

    /// Locates a job. A printer that is driven raw keeps no jobs: only one that was cancelled here, before it was sent
    /// completely, is known to be over.
    public func locate(_ delivery: Delivery, on printer: PrinterTarget) async throws -> RemoteJob? {
        if await pool.wasCancelled(delivery.jobID) == nil, let ipp = try await likelyJobKeeper(of: printer) {
            return try await ipp.locate(delivery, on: printer)
        }
        return try await pool.locate(delivery, on: printer)
    }

    public func follow(
        _ job: RemoteJob, on printer: PrinterTarget, update: @escaping @Sendable (JobReport) -> Void
    ) async throws -> JobReport {
        if job.cancelledDelivery == nil, let ipp = try await jobKeeper(of: printer) {
            return try await ipp.follow(job, on: printer, update: update)
        }
        return try await pool.follow(job, on: printer)
    }

    /// What the printer took of a job's ticket; only over IPP.
    public func remarks(
        on job: RemoteJob, of delivery: Delivery, at printer: PrinterTarget
    ) async throws -> [String] {
        guard job.cancelledDelivery == nil, let ipp = try await jobKeeper(of: printer) else { return [] }
        return try await ipp.remarks(on: job, of: delivery, at: printer)
    }

    /// Cancels a job. One that was driven raw can only have been cancelled while it was sent.
    public func cancel(_ job: RemoteJob, on printer: PrinterTarget) async throws {
        if job.cancelledDelivery == nil, let ipp = try await jobKeeper(of: printer) {
            return try await ipp.cancel(job, on: printer)
        }
        _ = try await pool.follow(job, on: printer)
    }

    /// What to do where the printer was lost.
    private static let advice = LossAdvice(
        disconnected: "plug it in and switch it on", failed: "unplug it and plug it in again if this happens again"
    ) { .libUSB(Int($0)) }

    // MARK: IPP over USB

    /// The transport that speaks IPP to the printer; nil for one that is driven raw.
    private func ippTransport(for printer: PrinterTarget) async throws -> (any Transport)? {
        guard let forwarding else { return nil }
        await register(printer)
        try await makeRoom(for: printer, forwarding)
        let transport = try await forwarding.transport(for: printer)
        if transport != nil { await pool.printer(at: printer.url)?.releaseIfIdle() }
        return transport
    }

    /// The printer's contact report over IPP; nil for one that is driven raw.
    private func contactByIPP(_ printer: PrinterTarget) async throws -> ContactReport? {
        guard let forwarding else { return nil }
        await register(printer)
        try await makeRoom(for: printer, forwarding)
        let report = try await forwarding.contact(printer)
        // It may have been driven raw before its HTTP was ready.
        if report != nil { await pool.printer(at: printer.url)?.releaseIfIdle() }
        return report
    }

    /// The transport that can query jobs: the printer itself keeps them over IPP. Nil for a printer that is driven raw.
    /// A disconnected printer is queried when it is back.
    private func jobKeeper(of printer: PrinterTarget) async throws -> (any Transport)? {
        guard let forwarding else { return nil }
        if let former = await forwarding.formerTransport(for: printer) { return former }
        return try await ippTransport(for: printer)
    }

    /// The transport that can query jobs. A disconnected printer counts as driven raw, since then nothing would know of
    /// the job when it is back.
    private func likelyJobKeeper(of printer: PrinterTarget) async throws -> (any Transport)? {
        do {
            return try await jobKeeper(of: printer)
        } catch let error as TransportError where error.code == .hostNotFound {
            return nil
        }
    }

    /// Closes a raw connection that would otherwise keep IPP from the interface for ever. A job under way continues,
    /// and IPP is tried another time.
    private func makeRoom(for printer: PrinterTarget, _ forwarding: IPPForwarding) async throws {
        if try await forwarding.needsRawInterface(of: printer) {
            await pool.printer(at: printer.url)?.releaseIfIdle()
        }
    }

    /// Starts to report when the printer is plugged in or removed.
    private func register(_ printer: PrinterTarget) async {
        startListening()
        _ = await pool.printer(for: printer)
    }

    // MARK: News

    public var healthChecks: [HealthReport.Check] {
        get async {
            guard await bus.isSilent else { return [] }
            return [
                .init(
                    code: "usb-without-messages", status: .ok,
                    message: """
                        no messages about USB devices arrive here (from udevd), so the bus is looked at every 2 seconds
                        """)
            ]
        }
    }

    public func news() -> AsyncStream<PrinterNews>? { feed.news }

    /// Starts to follow printers and bus, with the first call for a printer.
    private func startListening() {
        feed.start { [weak self] event, url in await self?.handle(event, of: url) }
        listening.withLock { task in
            guard task == nil else { return }
            task = Task { [weak self, bus] in
                for await change in await bus.changes() { await self?.handle(change) }
            }
        }
    }

    /// Handles an event of a printer's conversation.
    private func handle(_ event: DeviceConversation.Event, of url: PrinterURL) async {
        guard let session = await pool.printer(at: url) else { return }
        switch event {
        case .changed(let condition):
            guard let settings = await session.deviceSettings else { return }
            feed.publish(.changed(condition.availabilityWhenOpen(settings)), of: await pool.targets(of: url))
        case .ended:
            await session.releaseBroken()
            await publishDisconnection(of: url)
        }
    }

    /// Handles a printer that was plugged in or removed.
    private func handle(_ change: USBBusChange) async {
        switch change {
        case .appeared(let printer):
            await tell("plugged in: \(printer.summary)", of: printer)
            feed.publish(.appeared, of: await pool.targets(of: printer))
        case .left(let printer):
            await tell("removed from port \(printer.port)", of: printer)
            // An open conversation reports its end itself; printers that are driven by IPP have none.
            for session in await pool.all { await session.removed(printer) }
            for url in await forwarding?.left(printer) ?? [] { await publishDisconnection(of: url) }
            await publishRemaining(after: printer)
        }
    }

    /// Announces the printers whose URLs are no longer ambiguous, now that another one was removed.
    private func publishRemaining(after removed: USBPrinter) async {
        let targets = await pool.targets(of: removed)
        guard !targets.isEmpty else { return }
        do throws(USBOpenError) {
            let printers = try await bus.printers()
            let named = targets.filter { (try? USBPrinter.find($0.url, among: printers)) != nil }
            feed.publish(.appeared, of: named)
        } catch {
            await tell("the bus cannot be scanned: \(error.operation): \(error.reason)", of: removed)
        }
    }

    /// Tells a line to those who listen to any of the URLs that name this printer.
    private func tell(_ message: String, of printer: USBPrinter) async {
        for url in Set(await pool.targets(of: printer).map(\.url)) { trace.tell(.usb, url, message) }
    }

    private func publishDisconnection(of url: PrinterURL) async {
        let error = TransportError(USBOpenError.disconnected, printer: url)
        feed.publish(.disappeared(error.message), of: await pool.targets(of: url))
    }

}

extension PrinterDescription {
    fileprivate init(_ printer: USBPrinter) {
        let id = printer.deviceID
        // Raw documents are always accepted, for clients that know the printer's language better.
        let formats = (id?.languages ?? []).compactMap(\.format) + [.octetStream]
        self.init(
            makeAndModel: printer.makeAndModel, deviceID: id?.description, jobTypes: id?.jobTypes ?? [],
            formats: formats.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }, defaultFormat: formats.first,
            ticketSupport: RawDelivery.ticketSupport
        )
    }
}

extension DeviceCondition {
    /// The availability of an open printer: one that reports nothing counts as ready.
    fileprivate func availabilityWhenOpen(_ settings: DeviceSettings) -> Availability {
        let availability = availability(drawerOpen: settings.drawerOpen)
        return availability.state == .unknown ? Availability(.ready) : availability
    }
}
