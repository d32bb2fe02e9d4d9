import KioskAsyncPrimitives
import KioskDevicePrinting
import KioskPrintModel
import NIOCore
import NIOPosix

/// The use of one printer behind a raw port: connects when it is first needed, and closes the connection some seconds
/// after its last use, since most printers serve one client at a time.
actor SocketSession: DevicePrinterSession {
    let url: PrinterURL
    private let settings: @Sendable (PrinterIdentity) -> DeviceSettings
    private let known: KnownPrinters<PrinterURL>
    private let group: any EventLoopGroup
    private let deadlines: SocketTransport.Deadlines
    private let clock: any Clock<Duration>
    private let trace: DeviceTrace
    private let report: @Sendable (DeviceConversation.Event) -> Void
    /// Held by whoever opens or closes the connection.
    private let mutex = AsyncMutex()
    private var opened: OpenPrinter?
    private var recovery = PendingRecovery.none
    /// Whether the printer has ever responded. One that has must do so before each job.
    private(set) var responds = false
    private let hardwareAddress: @Sendable (String) -> String?
    /// Which device the open connection leads to, once it has said all that it can.
    private var identity: SocketIdentity?
    /// Whether the printer, while ready, has not answered a request for its serial number.
    private var ignoresPrinterIDs = false
    /// The recovery that began with the open connection.
    private var startedRecovery = PendingRecovery.none
    private var isForgotten = false
    /// The uses of the connection that are under way, and a count of all that ended.
    private var (users, uses) = (0, 0)
    private var idleClose: Task<Void, Never>?

    /// A connection, and the conversation over it.
    struct OpenPrinter: Sendable {
        let pipe: SocketPipe
        let conversation: DeviceConversation
    }

    init(
        _ url: PrinterURL, on group: any EventLoopGroup, known: KnownPrinters<PrinterURL>,
        deadlines: SocketTransport.Deadlines, clock: any Clock<Duration>, trace: WireTrace,
        settings: @escaping @Sendable (PrinterIdentity) -> DeviceSettings,
        hardwareAddress: @escaping @Sendable (String) -> String?,
        report: @escaping @Sendable (DeviceConversation.Event) -> Void
    ) {
        self.hardwareAddress = hardwareAddress
        (self.url, self.group, self.known, self.deadlines) = (url, group, known, deadlines)
        (self.clock, self.settings, self.report) = (clock, settings, report)
        self.trace = DeviceTrace(trace, .socket, of: url)
    }

    /// The settings of a printer that was saved with this profile.
    nonisolated func settings(profile: String?) -> DeviceSettings { settings(PrinterIdentity(profile: profile)) }

    /// Has a printer respond before each job, as it did in an earlier run.
    func recall(responds: Bool) { self.responds = self.responds || responds }

    /// Uses the open printer, which is connected to first if need be. Afterwards the connection is closed, unless it is
    /// used again soon.
    func use<Value: Sendable>(
        profile: String?, _ body: @Sendable (OpenPrinter) async throws -> Value
    ) async throws -> Value {
        users += 1
        idleClose?.cancel()
        do {
            let opened = try await open(profile: profile)
            // From its first response on, it must respond before each job.
            if opened.conversation.settings.status != .never, await opened.conversation.hasResponded {
                await opened.conversation.requireResponse(within: deadlines.maximumSilence)
            }
            let value = try await body(opened)
            await ended(opened)
            return value
        } catch {
            await ended(opened)
            throw error
        }
    }

    /// Uses the open printer, and retries over a new connection where `body` returns nil: one that stood idle may be over
    /// before anybody notices. `isRetry` is true from the second attempt on, which throws instead, unless the connection
    /// was released while idle.
    func useWithRetry<Value: Sendable>(
        profile: String?, _ body: @Sendable (OpenPrinter, _ isRetry: Bool) async throws -> Value?
    ) async throws -> Value {
        var isRetry = false
        while true {
            let value = try await use(profile: profile) { [isRetry] in try await body($0, isRetry) }
            if let value { return value }
            isRetry = true
        }
    }

    private func open(profile: String?) async throws -> OpenPrinter {
        guard await mutex.lock() else { throw cancelled }
        defer { mutex.unlock() }
        if let opened {
            if await !opened.conversation.isOver { return opened }
            await release(opened)
        }
        guard !isForgotten else { throw cancelled }
        let pipe = try await connect()
        guard !isForgotten, !Task.isCancelled else {
            await pipe.reset()
            throw cancelled
        }
        trace.tell("connected to \(pipe.remote)")
        let settings = settings(profile: profile)
        recovery.add(known.takeRecovery(of: url))
        startedRecovery = recovery
        let conversation = DeviceConversation(
            pipe, settings: settings, language: nil, recovery: recovery, former: known[url],
            maximumSilence: responds && settings.status != .never && settings.language != nil
                ? deadlines.maximumSilence : nil, clock: clock, trace: trace, report: report)
        let opened = OpenPrinter(pipe: pipe, conversation: conversation)
        (self.opened, recovery, identity) = (opened, .none, nil)
        await conversation.begin()
        return opened
    }

    /// Finds out which device the connection leads to, once for each connection. With `requiresSerialNumber` the printer is
    /// asked for it although it did not answer that before; with `waits` false, a job that runs is not waited for.
    func identify(_ opened: OpenPrinter, requiresSerialNumber: Bool, waits: Bool) async -> SocketIdentity {
        let isCurrent = self.opened?.pipe === opened.pipe
        if isCurrent, let identity { return identity }
        let conversation = opened.conversation
        let canReport =
            conversation.language == .escPOS && conversation.settings.status != .never
            && (requiresSerialNumber || !ignoresPrinterIDs)
        let ids = canReport ? await conversation.printerIDs([.serialNumber, .model, .maker], waits: waits) : nil
        if let ids { ignoresPrinterIDs = ids.isEmpty }
        let found = SocketIdentity(
            ids: ids, canReport: canReport, hardwareAddress: opened.pipe.remoteAddress.flatMap(hardwareAddress))
        let isWhole = !found.isIncomplete && (!requiresSerialNumber || found.device?.serialNumber != nil)
        if isWhole, self.opened?.pipe === opened.pipe {
            identity = found
            trace.tell("the device: \(found.device?.description ?? "nothing tells it from others")")
        }
        return found
    }

    /// Leaves a connection that led to another device, or to one that does not say which it is. The recovery that began
    /// with it is the known printer's.
    func leave(_ opened: OpenPrinter) async {
        if self.opened?.pipe === opened.pipe { recovery.add(startedRecovery) }
        await reset(opened)
    }

    private var cancelled: TransportError {
        TransportError(.cancelled, operation: "connect", message: "\(url): connecting was cancelled")
    }

    private func connect() async throws -> SocketPipe {
        do {
            return try await SocketPipe.connect(
                to: url.resolvableHost, port: url.effectivePort ?? 9100, timeout: .init(deadlines.connect), on: group)
        } catch is CancellationError {
            throw cancelled
        } catch {
            let error = TransportError(connecting: error, to: url)
            trace.tell("not connected: \(error.message)")
            throw error
        }
    }

    /// Ends a use of the connection.
    private func ended(_ opened: OpenPrinter?) async {
        users -= 1
        uses += 1
        if let opened, await opened.conversation.hasResponded { responds = true }
        guard users == 0, self.opened != nil else { return }
        let use = uses
        idleClose = Task { [clock, deadlines] in
            repeat {
                guard (try? await clock.sleep(for: deadlines.idleTimeout)) != nil else { return }
            } while await !self.closeIfIdle(after: use)
        }
    }

    /// Closes the connection that has not been used since; false where it is busy with what follows a job.
    private func closeIfIdle(after use: Int) async -> Bool {
        guard users == 0, uses == use, await mutex.lock() else { return true }
        defer { mutex.unlock() }
        guard users == 0, uses == use, let opened else { return true }
        guard await opened.conversation.retire() else { return false }
        trace.tell("the idle connection is closed")
        await release(opened)
        return true
    }

    /// Resets the connection, so that the printer discards what it has not read: another program has it, or a job
    /// failed that the printer may not have begun.
    func reset(_ opened: OpenPrinter) async {
        // Another use of the same connection may have bytes on their way.
        guard users == 1 else { return }
        await opened.conversation.end(isReported: false)
        await opened.pipe.reset()
    }

    /// Closes a connection that broke.
    func releaseBroken() {
        Task {
            guard await mutex.lock() else { return }
            defer { mutex.unlock() }
            if let opened, await opened.conversation.isOver { await release(opened) }
        }
    }

    /// Requires a recovery: a job that an earlier run started may have been aborted anywhere.
    func requireRecovery() async {
        if let opened, await opened.conversation.requireRecovery(missing: 0) { return }
        recovery.add(.resynchronising(missing: 0))
    }

    func forget() async {
        isForgotten = true
        idleClose?.cancel()
        await opened?.conversation.end(isReported: false)
        await Task {
            guard await mutex.lock() else { return }
            defer { mutex.unlock() }
            // Nobody waits for the printer to close its end.
            if let opened { await release(opened, waitsForPrinter: false) }
        }.value
    }

    /// Closes the connection completely, even where the caller is cancelled: the next one would find the printer in
    /// use. The caller holds the mutex.
    private func release(_ printer: OpenPrinter, waitsForPrinter: Bool = true) async {
        opened = nil
        await Task {
            await known.end(printer.conversation, of: url)
            let closing = Task { [deadlines] in await printer.pipe.close(timeout: deadlines.close) }
            if waitsForPrinter { await closing.value }
        }.value
    }
}
