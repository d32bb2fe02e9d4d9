import Hummingbird
import KioskAPI
import KioskPrintModel
import KioskPrinterRegistry
import Logging
import NIOCore
import Synchronization

/// `/v1/printers/{id}/trace`: what goes over the wire to one printer, as server-sent events, for a limited time.
struct TraceRoute: Sendable {
    let trace: WireTrace
    let editor: RegistryEditor

    func add(to administration: RouterGroup<APIContext>) {
        administration.get("/v1/printers/{id}/trace", use: stream)
    }

    @Sendable private func stream(_ request: Request, _ context: APIContext) async throws -> Response {
        let seconds = try TraceParameter.parse(query: request.uri.query)
        let id = try context.printerID()
        // Before the URL is read, so that no change of it is missed. The store's URL, since the engine may not have
        // applied the last change yet.
        let changes = editor.store.changes
        guard let url = await editor.registry.printer(id)?.url else {
            throw Problem(
                .unknownPrinter, detail: "there is no printer \"\(id)\"; list them with: kioskctl printers list")
        }
        let reservation = try context.limits.traces.reserve(for: context.caller)
        let source = PrinterTraceSource(of: id, at: url, changes: changes, trace: trace, time: .seconds(seconds))
        let (logger, caller) = (context.logger, context.caller)
        logger.notice("\(caller) traces \(id) (\(url)), for \(seconds) s at most")
        return .eventStream(source, context) {
            source.stop()
            reservation.giveBack()
            logger.notice("the trace of \(id) for \(caller) has ended")
        }
    }
}

/// The lines of one printer's trace for one client. It follows the printer to a new URL, and ends when its time is over
/// or the printer is removed.
private final class PrinterTraceSource: EventSource {
    private let printer: PrinterID
    private let trace: WireTrace
    private let changes: AsyncStream<RegistryChange>
    private let time: Duration
    private let backlog = TraceBacklog()
    /// Says that there is something in the backlog. Ends with the trace.
    private let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let listening = Mutex<Listening?>(nil)

    private struct Listening {
        var url: PrinterURL
        var listener: WireTrace.Listener
    }

    /// Listens from now on. `changes` are those of the registry since `url` was read.
    init(
        of printer: PrinterID, at url: PrinterURL, changes: AsyncStream<RegistryChange>, trace: WireTrace,
        time: Duration
    ) {
        self.printer = printer
        self.changes = changes
        self.trace = trace
        self.time = time
        listen(to: url)
    }

    func forward(to queue: EventQueue<Void>) async {
        async let _: Void = endInTime()
        async let _: Void = followRegistry()
        for await _ in signals { _ = queue.append(()) }
    }

    func encoded(_ event: Void) throws -> ByteBuffer {
        try backlog.take().reduce(into: ByteBuffer()) { bytes, event in
            bytes.writeBytes(try event.serverSentEvent().encoded)
        }
    }

    func stop() { listening.withLock { $0.take() }?.listener.stop() }

    private func listen(to url: PrinterURL) {
        let (backlog, signal, printer) = (backlog, signal, printer)
        let listener = trace.listen(to: url) { line in
            let isFirst = backlog.append(
                TraceEvent(
                    .trace, at: Timestamp.now, of: printer, source: line.source.rawValue, message: line.message))
            if isFirst { signal.yield() }
        }
        let before = listening.withLock { listening in
            defer { listening = Listening(url: url, listener: listener) }
            return listening
        }
        before?.listener.stop()
    }

    private func endInTime() async {
        do { try await Task.sleep(for: time) } catch { return }
        end("the time of the trace is over")
    }

    private func followRegistry() async {
        for await change in changes {
            guard case .reloaded(let registry) = change else { continue }
            guard let url = registry.printer(printer)?.url else {
                return end("\(printer) was removed from the registry")
            }
            guard url != listening.withLock({ $0?.url }) else { continue }
            let moved = TraceEvent(
                .trace, at: Timestamp.now, of: printer, source: "registry",
                message: "\(printer) is at \(url) from now on")
            if backlog.append(moved) { signal.yield() }
            listen(to: url)
        }
    }

    private func end(_ reason: String) {
        stop()
        backlog.end(TraceEvent(.end, at: Timestamp.now, of: printer, message: reason))
        signal.yield()
        signal.finish()
    }
}

/// The events of a trace that its client has not been sent yet. Those that find no room are dropped and counted, in
/// their place.
final class TraceBacklog: Sendable {
    private struct State {
        var events: [TraceEvent] = []
        /// Bytes of their messages.
        var length = 0
        var dropped = 0
        var end: TraceEvent?
    }

    private let state = Mutex(State())
    private let maximumCount: Int
    private let maximumLength: Int

    init(maximumCount: Int = 1000, maximumLength: Int = 1 << 20) {
        self.maximumCount = maximumCount
        self.maximumLength = maximumLength
    }

    /// Adds an event. True where nothing else waits, so that somebody has to be told.
    func append(_ event: TraceEvent) -> Bool {
        let length = event.message?.utf8.count ?? 0
        return state.withLock { state in
            // Where nothing waits there is room for any event: were it dropped, nobody would be told to take the next.
            let hasRoom =
                state.events.isEmpty || state.events.count < maximumCount && state.length + length <= maximumLength
            // What comes after a dropped event is dropped too, until the count is told in its place.
            guard state.dropped == 0, hasRoom else {
                state.dropped += 1
                return false
            }
            state.events.append(event)
            state.length += length
            return state.events.count == 1
        }
    }

    /// Adds the last event, for which there is always room.
    func end(_ event: TraceEvent) {
        state.withLock { $0.end = event }
    }

    /// Everything that waits, with an event that counts what was dropped.
    func take() -> [TraceEvent] {
        let waiting = state.withLock { state in
            defer { state = State() }
            return state
        }
        var events = waiting.events
        if waiting.dropped > 0, let last = events.last {
            events.append(TraceEvent(.dropped, at: Timestamp.now, of: last.printer, count: waiting.dropped))
        }
        if let end = waiting.end { events.append(end) }
        return events
    }
}
