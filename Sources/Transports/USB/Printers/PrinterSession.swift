import KioskAsyncPrimitives
import KioskDevicePrinting
import KioskPrintModel

/// The use of one printer: opens it when it is first needed, and keeps it until it is unplugged or forgotten.
actor PrinterSession: DevicePrinterSession {
    let url: PrinterURL
    private let bus: USBBus
    private let known: KnownPrinters<USBPrinterKey>
    private let settings: @Sendable (PrinterIdentity) -> DeviceSettings
    private let report: @Sendable (DeviceConversation.Event) -> Void
    private let clock: any Clock<Duration>
    private let trace: DeviceTrace
    /// Held by whoever opens or closes the printer.
    let mutex = AsyncMutex()
    private var opened: OpenPrinter?
    /// The recovery that the printer needs when it is opened.
    private var recovery = PendingRecovery.none
    private var isForgotten = false
    /// The bus's count of changes for which the URL was last compared with the printers that are plugged in.
    private var comparedAt: Int?
    /// The attachment for which it was reopened because its device id had become known.
    private var reopenedFor: Attachment?

    /// One attachment of the device to the bus, from plugging in to removal.
    private struct Attachment: Equatable {
        private var port: USBPort
        private var address: UInt8

        init(_ printer: USBPrinter) { (port, address) = (printer.port, printer.address) }
    }

    /// A connection, and the conversation over it.
    struct OpenPrinter: Sendable {
        var connection: USBConnection
        var conversation: DeviceConversation
        var printer: USBPrinter { connection.printer }
    }

    init(
        _ url: PrinterURL, on bus: USBBus, known: KnownPrinters<USBPrinterKey>, clock: any Clock<Duration>,
        trace: WireTrace,
        settings: @escaping @Sendable (PrinterIdentity) -> DeviceSettings,
        report: @escaping @Sendable (DeviceConversation.Event) -> Void
    ) {
        (self.url, self.bus, self.known, self.clock, self.settings, self.report) = (
            url, bus, known, clock, settings, report
        )
        self.trace = DeviceTrace(trace, .usb, of: url)
    }

    /// Returns the open printer, which is opened first if need be.
    func open(profile: String?) async throws(USBOpenError) -> OpenPrinter {
        guard await mutex.lock() else { throw .cancelled }
        defer { mutex.unlock() }
        if let opened {
            if await !opened.conversation.isOver, await !hasNewDeviceID(opened), try await isStillNamed(opened) {
                return opened
            }
            await release(opened)
        }
        guard !isForgotten else { throw .cancelled }
        let changes = await bus.changeCount
        let printer = try USBPrinter.find(url, among: try await bus.printers())
        let identity = PrinterIdentity(
            profile: profile, makeAndModel: printer.makeAndModel, deviceID: printer.deviceID?.description)
        let settings = settings(identity)
        let connection = try await bus.open(url, settings: settings.usb, trace: trace)
        let key = USBPrinterKey(connection.printer)
        recovery.add(known.takeRecovery(of: key))
        let conversation = DeviceConversation(
            connection, settings: settings, language: connection.printer.deviceID?.statusLanguage,
            labels: connection.printer.deviceID?.labelLanguage, recovery: recovery, former: known[key], clock: clock,
            trace: trace, report: report)
        let opened = OpenPrinter(connection: connection, conversation: conversation)
        (self.opened, recovery, comparedAt) = (opened, .none, changes)
        await conversation.begin()
        return opened
    }

    /// Whether the URL still names the open printer, and no other that was plugged in since. Where several match, or
    /// another one does, a job under way continues, and no other starts. The caller holds the mutex.
    private func isStillNamed(_ opened: OpenPrinter) async throws(USBOpenError) -> Bool {
        let changes = await bus.changeCount
        guard comparedAt != changes else { return true }
        let printers: [USBPrinter]
        let named: USBPrinter
        do throws(USBOpenError) {
            printers = try await bus.printers()
            named = try USBPrinter.find(url, among: printers)
        } catch {
            switch error.kind {
            // It was unplugged: its conversation finds that out itself.
            case .notFound, .accessDenied: return true
            case .ambiguous: break
            default: throw error
            }
            trace.tell("\(error.reason), which prints on none of them")
            if await opened.conversation.retire() { await release(opened) }
            throw error
        }
        if Attachment(named) == Attachment(opened.printer) {
            comparedAt = changes
            return true
        }
        guard await opened.conversation.retire() else {
            let urls = [opened.printer, named].compactMap(\.url)
            throw USBOpenError(.ambiguous(urls), operation: "find", reason: "the URL names another printer now")
        }
        return false
    }

    /// Whether a printer that had no device id when it was opened returns one now, so that it must be reopened: profile
    /// and language may differ. Once per attachment, since the scan may still get none. The response takes a while, and
    /// a job that started meanwhile continues.
    private func hasNewDeviceID(_ printer: OpenPrinter) async -> Bool {
        let attachment = Attachment(printer.printer)
        guard printer.printer.deviceID == nil, attachment != reopenedFor, !printer.conversation.isBusy,
            await printer.connection.deviceID() != nil,
            await printer.conversation.retire()
        else { return false }
        trace.tell("the printer has a device id now, and is opened again")
        reopenedFor = attachment
        await bus.requery(printer.printer)
        return true
    }

    /// Closes the printer unless it is busy, so that IPP can use its interface.
    func releaseIfIdle() async {
        guard opened != nil, await mutex.lock() else { return }
        defer { mutex.unlock() }
        if let opened, await opened.conversation.retire() { await release(opened) }
    }

    /// The settings of the open printer; nil while it is not open.
    var deviceSettings: DeviceSettings? { opened?.conversation.settings }

    /// Releases a broken connection, so that the printer can be reopened. This may take as long as the device does, so
    /// only callers that open or forget the printer wait for it.
    func releaseBroken() {
        Task {
            guard await mutex.lock() else { return }
            defer { mutex.unlock() }
            if let opened, await opened.conversation.isOver { await release(opened) }
        }
    }

    /// Handles a removal that the bus reports: not every printer's pipe notices it.
    func removed(_ printer: USBPrinter) async {
        guard let opened, opened.printer.port == printer.port, opened.printer.address == printer.address else {
            return
        }
        await opened.conversation.end()
    }

    /// Requires a recovery: a job that an earlier run started may have been aborted anywhere.
    func requireRecovery() async {
        if let opened, await opened.conversation.requireRecovery(missing: 0) { return }
        recovery.add(.resynchronising(missing: 0))
    }

    /// Closes the printer for good, even where the caller is cancelled.
    func forget() async {
        isForgotten = true
        await opened?.conversation.end(isReported: false)
        await Task {
            // Waits for a caller that is just opening it.
            guard await mutex.lock() else { return }
            defer { mutex.unlock() }
            if let opened { await release(opened) }
        }.value
    }

    /// Closes the printer completely, even where the caller is cancelled; otherwise the device would stay claimed. The
    /// caller holds the mutex.
    private func release(_ printer: OpenPrinter) async {
        opened = nil
        await Task {
            await known.end(printer.conversation, of: USBPrinterKey(printer.printer))
            await printer.connection.close()
        }.value
    }
}

/// The identity of a USB printer: its serial number, else the port where it is plugged in.
struct USBPrinterKey: Hashable, Sendable {
    private let model: USBModel
    private let identity: DeviceIdentity

    init(_ printer: USBPrinter) {
        model = USBModel(vendor: printer.vendor, product: printer.product)
        identity = printer.identity ?? .port(path: printer.port.description, serial: nil)
    }
}

extension PrinterPool<PrinterSession> {
    /// The targets whose URL names this printer.
    func targets(of printer: USBPrinter) -> Set<PrinterTarget> {
        targets { (try? USBPrinter.find($0, among: [printer])) != nil }
    }
}
