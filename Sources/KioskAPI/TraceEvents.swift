public import KioskAPIMessages
public import KioskPrintModel
import NIOCore

extension KioskClient {
    /// Traces a printer: what goes over the wire to it, and the steps of its jobs, from now on for `time`.
    ///
    /// The sequence ends when that time is over, when the printer is removed, or when the daemon shuts down. Nothing
    /// stays switched on in the daemon: the trace also ends with the task that reads it. It does not resume after an
    /// error. Only administrators may trace: others get a problem `not-allowed`.
    ///
    /// `time` is 1 second to 24 hours (`APILimits.maximumTrace`).
    public func trace(_ printer: PrinterID, for time: Duration = .seconds(APILimits.standardTrace)) -> TraceEvents {
        TraceEvents(client: self, path: TraceParameter.path(printer, for: time))
    }
}

/// The events of one printer's trace, as they happen.
public struct TraceEvents: AsyncSequence, Sendable {
    public typealias Element = TraceEvent

    fileprivate let client: KioskClient
    fileprivate let path: String

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// The iterator owns its connection, and closes it in `deinit`.
    public final class Iterator: AsyncIteratorProtocol {
        private let events: TraceEvents
        private var connection: ClientConnection?
        private var parser = ServerSentEventParser()
        private var pending: ArraySlice<TraceEvent> = []

        fileprivate init(_ events: TraceEvents) { self.events = events }

        deinit { connection?.close() }

        public func next() async throws -> TraceEvent? {
            while true {
                if let event = pending.popFirst() { return event }
                guard let connection else {
                    connection = try await events.client.openEventStream(events.path)
                    continue
                }
                guard let piece = try await connection.nextPiece() else { return nil }
                pending += try parse(piece)
            }
        }

        private func parse(_ piece: ByteBuffer) throws -> [TraceEvent] {
            do {
                return try parser.parse(piece.readableBytesView).compactMap { try TraceEvent($0) }
            } catch {
                throw KioskClientError.violation("an event cannot be read: \(error)", events.client.address)
            }
        }
    }
}
