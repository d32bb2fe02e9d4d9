import KioskAsyncPrimitives
import KioskDevicePrinting
package import KioskPrintModel

/// Decides which printers on the bus are driven by IPP, with the transport for them.
///
/// A printer with IPP over USB interfaces is driven by IPP unless its HTTP server has no IPP printer (it responds 404
/// to everything). A positive result holds as long as the printer is plugged in, a negative one for some minutes, since
/// a printer that was just switched on may not be ready yet.
package actor IPPForwarding {
    private let bus: USBBus
    private let dialer: IPPOverUSBDialer
    /// Speaks IPP over the connections of the dialer.
    private let transport: any Transport
    private let clock: ElapsedClock
    /// The printers that are plugged in, by the URLs that were used, and the bus's count of changes when the URL was
    /// last compared with all printers.
    private var known: [PrinterURL: (printer: USBPrinter, changes: Int)] = [:]
    /// The probe results. Each is valid for the printer's device address, until it is unplugged.
    private var results: [Place: ProbeResult] = [:]
    /// The printers that were driven by IPP when they were last present.
    private var driven: Set<PrinterURL> = []

    private struct Place: Hashable {
        var port: USBPort
        /// The interface that the URL names. Each may be another printer.
        var interface: Int?
    }

    private struct ProbeResult {
        var address: UInt8
        var hasIPP: Bool
        /// The time of the probe.
        var time: ElapsedClock.Instant
    }

    /// The time until a printer without IPP is probed again.
    package static let retryInterval = Duration.seconds(300)

    package init(
        _ transport: any Transport, over dialer: IPPOverUSBDialer, on bus: USBBus,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.clock = ElapsedClock(clock)
        self.transport = transport
        self.dialer = dialer
        self.bus = bus
    }

    /// The printer's contact report over IPP; nil for one that is driven raw, whose interfaces are then free.
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
        } catch let error as TransportError where shouldDriveRaw(printer, target.url, after: error) {
            note(hasIPP: false, of: printer, for: target.url)
            driven.remove(target.url)
            await transport.forget(target)
            await dialer.release(target.url)
            return nil
        }
    }

    /// The IPP transport for a printer; nil for one that is driven raw. A printer that was not probed yet is probed.
    package func transport(for target: PrinterTarget) async throws -> (any Transport)? {
        let printer = try await printer(of: target)
        if result(on: printer, for: target.url)?.hasIPP == true { return transport }
        return try await contact(target) == nil ? nil : transport
    }

    /// The IPP transport for a printer that it drove when the printer was last present; otherwise nil.
    package func formerTransport(for target: PrinterTarget) -> (any Transport)? {
        driven.contains(target.url) ? transport : nil
    }

    /// Handles the removal of a printer. Returns the URLs under which it was driven by IPP.
    package func left(_ printer: USBPrinter) -> [PrinterURL] {
        let urls = known.filter { $0.value.printer.port == printer.port }.map(\.key)
        for url in urls { known[url] = nil }
        results = results.filter { $0.key.port != printer.port || $0.value.address != printer.address }
        return urls.filter { driven.contains($0) }
    }

    /// Closes what is kept for a target; with the last target of a URL, releases the printer's interfaces.
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

    private func result(on printer: USBPrinter, for url: PrinterURL) -> ProbeResult? {
        results[Place(port: printer.port, interface: url.usbInterface)].flatMap {
            $0.address == printer.address ? $0 : nil
        }
    }

    /// Whether the printer must be probed for IPP again, and is driven raw meanwhile over the only interface for both.
    package func needsRawInterface(of target: PrinterTarget) async throws -> Bool {
        let (printer, interface) = (try await printer(of: target), target.url.usbInterface)
        guard result(on: printer, for: target.url)?.hasIPP == false, !isKnownToLackIPP(printer, target.url),
            let ipp = printer.choice(for: .ippOverUSB, interface: interface)
        else { return false }
        return ipp.interface.number == printer.choice(for: .raw, interface: interface)?.interface.number
    }

    private func isKnownToLackIPP(_ printer: USBPrinter, _ url: PrinterURL) -> Bool {
        guard let result = result(on: printer, for: url), !result.hasIPP else { return false }
        return result.time.duration(to: clock.now) < Self.retryInterval
    }

    /// Whether to drive the printer raw after a failed contact. One response does not change that for a printer with
    /// IPP. A printer that had none stays raw unless it has IPP now.
    private func shouldDriveRaw(_ printer: USBPrinter, _ url: PrinterURL, after error: TransportError) -> Bool {
        guard printer.choice(for: .raw, interface: url.usbInterface) != nil else { return false }
        return switch result(on: printer, for: url)?.hasIPP {
        case true?: false
        case false?: !Task.isCancelled && error.code != .cancelled
        case nil: error.isResponseWithoutIPP
        }
    }

    private func note(hasIPP: Bool, of printer: USBPrinter, for url: PrinterURL) {
        results[Place(port: printer.port, interface: url.usbInterface)] = ProbeResult(
            address: printer.address, hasIPP: hasIPP, time: clock.now)
    }

    private func printer(of target: PrinterTarget) async throws -> USBPrinter {
        let changes = await bus.changeCount
        if let known = known[target.url], known.changes == changes { return known.printer }
        do throws(USBOpenError) {
            let printer = try USBPrinter.find(target.url, among: await bus.printers())
            known[target.url] = (printer, changes)
            return printer
        } catch {
            throw TransportError(error, printer: target.url)
        }
    }
}

extension TransportError {
    /// Whether the printer itself has responded that it has no IPP. An unreachable or replaced printer says nothing
    /// about that.
    fileprivate var isResponseWithoutIPP: Bool {
        switch underlying {
        case .httpStatus?, .ippStatus?: code == .printerNotFound
        default: false
        }
    }
}
