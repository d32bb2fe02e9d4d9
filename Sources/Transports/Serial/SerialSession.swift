import Glibc
import KioskAsyncPrimitives
import KioskDevicePrinting
import KioskPrintModel

/// The use of one printer on a serial port: opens the port when it is first needed, and keeps it until it is unplugged
/// or forgotten.
actor SerialSession: DevicePrinterSession {
    let url: PrinterURL
    private let settings: @Sendable (PrinterIdentity) -> DeviceSettings
    private let known: KnownPrinters<PrinterURL>
    private let deadlines: SerialTransport.Deadlines
    private let clock: any Clock<Duration>
    private let calls: BlockingCalls
    private let trace: DeviceTrace
    private let report: @Sendable (DeviceConversation.Event) -> Void
    /// Held by whoever opens or closes the port.
    private let mutex = AsyncMutex()
    private var opened: OpenPrinter?
    private var recovery = PendingRecovery.none
    /// Whether the printer has ever responded. One that has must do so before each job.
    private var responds = false
    private var isForgotten = false

    /// An open port, and the conversation over it.
    struct OpenPrinter: Sendable {
        let pipe: SerialPipe
        let conversation: DeviceConversation
    }

    /// How old a printer's last response may be when it is sent a job.
    private static let maximumSilence = Duration.seconds(2)

    init(
        _ url: PrinterURL, known: KnownPrinters<PrinterURL>, deadlines: SerialTransport.Deadlines,
        clock: any Clock<Duration>, calls: BlockingCalls, trace: WireTrace,
        settings: @escaping @Sendable (PrinterIdentity) -> DeviceSettings,
        report: @escaping @Sendable (DeviceConversation.Event) -> Void
    ) {
        (self.url, self.known, self.clock, self.settings, self.report) = (url, known, clock, settings, report)
        (self.deadlines, self.calls) = (deadlines, calls)
        self.trace = DeviceTrace(trace, .serial, of: url)
    }

    /// The settings of a printer that was saved with this profile.
    nonisolated func settings(profile: String?) -> DeviceSettings { settings(PrinterIdentity(profile: profile)) }

    /// Has a printer respond before each job from now on, as it did before.
    func recall(responds: Bool) { self.responds = self.responds || responds }

    /// Returns the open printer, which is opened first if need be.
    func open(profile: String?) async throws(SerialPortError) -> OpenPrinter {
        let cancelled = SerialPortError(.cancelled, "open")
        guard await mutex.lock() else { throw cancelled }
        defer { mutex.unlock() }
        if let opened {
            if await opened.conversation.hasResponded { responds = true }
            if await !opened.conversation.isOver {
                if mustRespond(opened.conversation.settings) {
                    await opened.conversation.requireResponse(within: Self.maximumSilence)
                }
                return opened
            }
            await release(opened)
        }
        guard !isForgotten, let path = url.devicePath, let line = url.serialSettings else { throw cancelled }
        let pipe = try await SerialPipe.open(path, line, within: deadlines.open, clock: clock, calls: calls)
        guard !isForgotten, !Task.isCancelled else {
            await pipe.close(within: deadlines.close)
            throw cancelled
        }
        trace.tell("opened \(path) with \(url.query ?? "")")
        let settings = settings(profile: profile)
        recovery.add(known.takeRecovery(of: url))
        let conversation = DeviceConversation(
            pipe, settings: settings, language: nil, recovery: recovery, former: known[url],
            maximumSilence: mustRespond(settings) ? Self.maximumSilence : nil, clock: clock, trace: trace,
            report: report)
        let opened = OpenPrinter(pipe: pipe, conversation: conversation)
        (self.opened, recovery) = (opened, .none)
        await conversation.begin()
        return opened
    }

    /// Nothing else tells that a printer was switched off.
    private func mustRespond(_ settings: DeviceSettings) -> Bool {
        responds && settings.status != .never && settings.language != nil
    }

    /// Closes a port that was lost, and calls `report` before it can be opened again. Does nothing where it is open.
    func releaseLost(_ report: @Sendable () async -> Void) async {
        guard await mutex.lock() else { return }
        defer { mutex.unlock() }
        if let opened {
            guard await opened.conversation.isOver else { return }
            await release(opened)
        }
        if !isForgotten { await report() }
    }

    /// Closes a port that was lost, and returns once the device's name in the file system is there, after a moment at the
    /// earliest. With `mustHaveGone`, for a port that could not be opened, it must have been away meanwhile: else the
    /// next contact shows whether it works again. False also where the printer was forgotten, or was opened again.
    func waitForReturn(mustHaveGone: Bool) async -> Bool {
        if await mutex.lock() {
            if let opened, await opened.conversation.isOver { await release(opened) }
            mutex.unlock()
        }
        guard let path = url.devicePath else { return false }
        var hasGone = !mustHaveGone
        repeat {
            guard (try? await clock.sleep(for: Self.returnCheck)) != nil else { return false }
            guard access(path, F_OK) != 0 else { return hasGone && !isForgotten && opened == nil }
            hasGone = true
        } while !isForgotten && opened == nil
        return false
    }

    private static let returnCheck = Duration.milliseconds(500)

    func requireRecovery() async {
        if let opened, await opened.conversation.requireRecovery(missing: 0) { return }
        recovery.add(.resynchronising(missing: 0))
    }

    func forget() async {
        isForgotten = true
        await opened?.conversation.end(isReported: false)
        await Task {
            guard await mutex.lock() else { return }
            defer { mutex.unlock() }
            if let opened { await release(opened) }
        }.value
    }

    /// Closes the port, even where the caller is cancelled: it could not be opened again otherwise. The caller holds the
    /// mutex.
    private func release(_ printer: OpenPrinter) async {
        opened = nil
        await Task {
            await known.end(printer.conversation, of: url)
            await printer.pipe.close(within: deadlines.close)
        }.value
    }
}
