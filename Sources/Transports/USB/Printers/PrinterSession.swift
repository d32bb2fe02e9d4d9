import AsyncPrimitives
import DevicePrinting
import PrintModel

/// The use of one printer: opens it when it is first needed, and keeps it until it is unplugged or forgotten.
actor PrinterSession {
    let url: PrinterURL
    private let bus: USBBus
    private let known: KnownPrinters
    private let settings: @Sendable (PrinterIdentity) -> DeviceSettings
    private let report: @Sendable (DeviceConversation.Event) -> Void
    private let clock: any Clock<Duration>
    /// Held by whoever opens or closes the printer.
    let mutex = AsyncMutex()
    private var opened: OpenPrinter?
    /// The recovery that the printer needs when it is opened.
    private var recovery = PendingRecovery.none
    private var isForgotten = false
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
        _ url: PrinterURL, on bus: USBBus, known: KnownPrinters, clock: any Clock<Duration>,
        settings: @escaping @Sendable (PrinterIdentity) -> DeviceSettings,
        report: @escaping @Sendable (DeviceConversation.Event) -> Void
    ) {
        (self.url, self.bus, self.known, self.clock, self.settings, self.report) = (
            url, bus, known, clock, settings, report
        )
    }

    /// Returns the open printer, which is opened first if need be.
    func open(profile: String?) async throws(USBOpenError) -> OpenPrinter {
        guard await mutex.lock() else { throw .cancelled }
        defer { mutex.unlock() }
        if let opened {
            if await !opened.conversation.isOver, await !hasNewDeviceID(opened) { return opened }
            await release(opened)
        }
        guard !isForgotten else { throw .cancelled }
        let printer = try USBPrinter.find(url, among: try await bus.printers())
        let identity = PrinterIdentity(
            profile: profile, makeAndModel: printer.makeAndModel, deviceID: printer.deviceID?.description)
        let settings = settings(identity)
        let connection = try await bus.open(url, settings: settings.usb)
        let key = KnownPrinters.Key(connection.printer)
        recovery.add(known.takeRecovery(of: key))
        let conversation = DeviceConversation(
            connection, settings: settings, language: connection.printer.deviceID?.statusLanguage,
            labels: connection.printer.deviceID?.labelLanguage, recovery: recovery, former: known[key], clock: clock,
            report: report)
        let opened = OpenPrinter(connection: connection, conversation: conversation)
        (self.opened, recovery) = (opened, .none)
        await conversation.begin()
        return opened
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
            await printer.conversation.end(isReported: false)
            let recovery = await printer.conversation.remainingRecovery()
            known.note(await printer.conversation.memory, recovery: recovery, of: KnownPrinters.Key(printer.printer))
            await printer.connection.close()
        }.value
    }
}
