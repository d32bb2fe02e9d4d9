public import KioskAPIMessages
public import KioskPrintModel
import NIOCore

extension KioskClient {
    /// The engine's events from now on, or after the event `last`.
    ///
    /// When the daemon restarts or the connection breaks, the stream connects again and resumes after the last event
    /// that it received, or from then on where that was none and `last` is nil. `interrupted` is called each time with
    /// the reason. The stream ends with its task, or with an error: when the daemon refuses it for good, or when the
    /// first connection fails or is refused for any reason. An event of more bytes than
    /// `ServerSentEventParser.maximumEventLength` is skipped, and so is one that cannot be read, of which `interrupted`
    /// is told, too.
    public func events(
        after last: EngineEvent.ID? = nil, interrupted: @escaping @Sendable (KioskClientError) -> Void = { _ in }
    ) -> EngineEvents {
        EngineEvents(client: self, last: last, interrupted: interrupted)
    }
}

/// The engine's events, as they happen.
public struct EngineEvents: AsyncSequence, Sendable {
    public typealias Element = EngineEvent

    fileprivate let client: KioskClient
    fileprivate let last: EngineEvent.ID?
    fileprivate let interrupted: @Sendable (KioskClientError) -> Void

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// The iterator owns its connection, and closes it in `deinit`.
    public final class Iterator: AsyncIteratorProtocol {
        private let events: EngineEvents
        private var connection: ClientConnection?
        private var parser: ServerSentEventParser
        private var pending: ArraySlice<EngineEvent> = []
        private var wasConnected = false

        fileprivate init(_ events: EngineEvents) {
            self.events = events
            parser = ServerSentEventParser(lastEventID: events.last.map { String($0) })
        }

        deinit { connection?.close() }

        public func next() async throws -> EngineEvent? {
            while true {
                if let event = pending.popFirst() { return event }
                do {
                    try await receive()
                } catch let error as KioskClientError
                    where wasConnected && (error.code != .refused || error.retryAfter != nil)
                {
                    try await pause(after: error)
                }
            }
        }

        /// Connects, or reads the next piece of the stream.
        private func receive() async throws {
            guard let connection else {
                connection = try await events.client.openEventStream(
                    APIPaths.events, after: parser.lastEventID)
                wasConnected = true
                return
            }
            guard let piece = try await connection.nextPiece() else {
                throw KioskClientError.lost(events.client.address)
            }
            pending += parse(piece)
        }

        /// The events of a piece. One that cannot be read costs no other: it is skipped, and told.
        private func parse(_ piece: ByteBuffer) -> [EngineEvent] {
            parser.parse(piece.readableBytesView).compactMap { message in
                do {
                    return try EngineEvent(message)
                } catch {
                    events.interrupted(.violation("an event cannot be read: \(error)", events.client.address))
                    return nil
                }
            }
        }

        /// Drops the broken connection, and waits before the next one.
        private func pause(after error: KioskClientError) async throws {
            connection?.close()
            connection = nil
            parser = ServerSentEventParser(lastEventID: parser.lastEventID)
            events.interrupted(error)
            try await Task.sleep(for: Swift.max(events.client.options.reconnectDelay, error.retryAfter ?? .zero))
        }
    }
}
