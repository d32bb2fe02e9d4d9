import DevicePrinting
package import PrintModel

/// The printers on the bus that are driven by IPP, and the transport that does so.
///
/// A printer with interfaces of IPP over USB is driven so unless its HTTP turns out to have no printer of IPP (an
/// answer 404 to everything). That it has IPP holds for as long as it is plugged in; that it has none for some minutes,
/// since a printer that has just been switched on may not know yet.
package actor IPPForwarding {
    private let bus: USBBus
    private let dialer: IPPOverUSBDialer
    /// Speaks IPP over what the dialer opens.
    private let transport: any Transport
    private let clock: ElapsedClock
    /// What is plugged in, by the URLs that were asked for.
    private var known: [PrinterURL: USBPrinter] = [:]
    /// What was found out; it holds for the address that the printer has at its port until it is unplugged.
    private var verdicts: [Place: Verdict] = [:]
    /// Those that were driven by IPP when they were there last.
    private var driven: Set<PrinterURL> = []

    private struct Place: Hashable {
        var port: USBPort
        /// Which interface the URL names. Each may be another printer.
        var interface: Int?
    }

    private struct Verdict {
        var address: UInt8
        var hasIPP: Bool
        /// When it was found out.
        var time: ElapsedClock.Instant
    }

    /// How long a printer without IPP is not asked again.
    package static let patience = Duration.seconds(300)

    package init(
        _ transport: any Transport, over dialer: IPPOverUSBDialer, on bus: USBBus,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.clock = ElapsedClock(clock)
        self.transport = transport
        self.dialer = dialer
        self.bus = bus
    }

    /// What the printer says over IPP; nil for one that is driven raw, whose interfaces are free for that.
    package func contact(_ target: PrinterTarget) async throws -> ContactReport? {
        let printer = try await printer(of: target)
        let interface = target.url.usbInterface
        guard printer.choice(for: .ippOverUSB, interface: interface) != nil, !isKnownToLackIPP(printer, target.url)
        else {
            driven.remove(target.url)
            return nil
        }
        do {
            let report = try await transport.contact(target)
            note(hasIPP: true, of: printer, for: target.url)
            driven.insert(target.url)
            return report
        } catch let error as TransportError where isToBeDrivenRaw(printer, target.url, after: error) {
            note(hasIPP: false, of: printer, for: target.url)
            driven.remove(target.url)
            await transport.forget(target)
            await dialer.release(target.url)
            return nil
        }
    }

    /// What drives the printer; nil for one that is driven raw. A printer of which that is not known yet is asked.
    package func transport(for target: PrinterTarget) async throws -> (any Transport)? {
        let printer = try await printer(of: target)
        if verdict(on: printer, for: target.url)?.hasIPP == true { return transport }
        return try await contact(target) == nil ? nil : transport
    }

    /// What drove the printer when it was there last; nil where it was driven raw, or not yet.
    package func formerTransport(for target: PrinterTarget) -> (any Transport)? {
        driven.contains(target.url) ? transport : nil
    }

    /// It was unplugged. The URLs under which it was driven by IPP.
    package func left(_ printer: USBPrinter) -> [PrinterURL] {
        let urls = known.filter { $0.value.port == printer.port }.map(\.key)
        for url in urls { known[url] = nil }
        verdicts = verdicts.filter { $0.key.port != printer.port || $0.value.address != printer.address }
        return urls.filter { driven.contains($0) }
    }

    /// Closes what is kept for a target; with the last one of a URL, the printer's interfaces are let go of.
    package func forget(_ target: PrinterTarget, isLast: Bool) async {
        await transport.forget(target)
        guard isLast else { return }
        known[target.url] = nil
        driven.remove(target.url)
        await dialer.release(target.url)
    }

    package func shutDown() async {
        await transport.shutDown()
        await dialer.releaseAll()
    }

    private func verdict(on printer: USBPrinter, for url: PrinterURL) -> Verdict? {
        verdicts[Place(port: printer.port, interface: url.usbInterface)].flatMap {
            $0.address == printer.address ? $0 : nil
        }
    }

    /// Whether it is to be asked for IPP once more, and is driven raw meanwhile over the only interface that there is
    /// for both.
    package func needsRawInterface(of target: PrinterTarget) async throws -> Bool {
        let (printer, interface) = (try await printer(of: target), target.url.usbInterface)
        guard verdict(on: printer, for: target.url)?.hasIPP == false, !isKnownToLackIPP(printer, target.url),
            let ipp = printer.choice(for: .ippOverUSB, interface: interface)
        else { return false }
        return ipp.interface.number == printer.choice(for: .raw, interface: interface)?.interface.number
    }

    private func isKnownToLackIPP(_ printer: USBPrinter, _ url: PrinterURL) -> Bool {
        guard let verdict = verdict(on: printer, for: url), !verdict.hasIPP else { return false }
        return verdict.time.duration(to: clock.now) < Self.patience
    }

    /// A printer that has had IPP is not driven otherwise for one answer. One that had none is driven as before unless
    /// it has it now.
    private func isToBeDrivenRaw(_ printer: USBPrinter, _ url: PrinterURL, after error: TransportError) -> Bool {
        guard printer.choice(for: .raw, interface: url.usbInterface) != nil else { return false }
        return switch verdict(on: printer, for: url)?.hasIPP {
        case true?: false
        case false?: !Task.isCancelled && error.code != .cancelled
        case nil: error.isAnswerWithoutIPP
        }
    }

    private func note(hasIPP: Bool, of printer: USBPrinter, for url: PrinterURL) {
        verdicts[Place(port: printer.port, interface: url.usbInterface)] = Verdict(
            address: printer.address, hasIPP: hasIPP, time: clock.now)
    }

    private func printer(of target: PrinterTarget) async throws -> USBPrinter {
        if let printer = known[target.url] { return printer }
        do throws(USBOpenError) {
            let printer = try USBPrinter.find(target.url, among: await bus.printers())
            known[target.url] = printer
            return printer
        } catch {
            throw TransportError(error, printer: target.url)
        }
    }
}

extension TransportError {
    /// The printer itself has answered that it has no IPP there. That it was not reached, or is another one by now,
    /// says nothing of it.
    fileprivate var isAnswerWithoutIPP: Bool {
        switch underlying {
        case .httpStatus?, .ippStatus?: code == .printerNotFound
        default: false
        }
    }
}
