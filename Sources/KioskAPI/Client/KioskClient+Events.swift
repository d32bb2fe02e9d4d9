import NIOCore
import NIOHTTP1
public import PrintModel

extension KioskClient {
    /// What happens in the engine from now on, or after the event `last`.
    ///
    /// The stream goes on when the daemon restarts or the connection breaks: it connects again and resumes behind the
    /// last event that it gave. `interrupted` is told each time, with the reason. It ends only with its task, or with
    /// an error when the daemon refuses it for good, or at the very beginning for the moment or since it is not there.
    /// An event of more bytes than `ServerSentEventParser.maximumEventLength` is passed over.
    public func events(
        after last: EngineEvent.ID? = nil, interrupted: @escaping @Sendable (KioskClientError) -> Void = { _ in }
    ) -> EngineEvents {
        EngineEvents(client: self, last: last, interrupted: interrupted)
    }

    func openEvents(after id: String?) async throws -> ClientConnection {
        var request = ClientRequest(
            method: .GET, path: APIPaths.events, headers: [("Accept", APIMediaTypes.eventStream)],
            timeout: TimeAmount(options.eventTimeout), streamsAnswer: true, isRepeatable: true
        )
        if let id { request.headers.append((APIHeaders.lastEventID, id)) }
        let connection = try await connect()
        do {
            let answer = try checked(await connection.exchange(request))
            guard answer.contentType?.hasPrefix(APIMediaTypes.eventStream) == true else {
                throw KioskClientError.violation("it answers with no event stream", socket)
            }
            return connection
        } catch {
            connection.close()
            throw error
        }
    }
}

/// The engine's events as they come.
public struct EngineEvents: AsyncSequence, Sendable {
    public typealias Element = EngineEvent

    let client: KioskClient
    let last: EngineEvent.ID?
    let interrupted: @Sendable (KioskClientError) -> Void

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Owns its connection, and closes it when nobody iterates any more.
    public final class Iterator: AsyncIteratorProtocol {
        private let events: EngineEvents
        private var connection: ClientConnection?
        private var parser: ServerSentEventParser
        private var pending: ArraySlice<EngineEvent> = []
        private var wasConnected = false

        init(_ events: EngineEvents) {
            self.events = events
            parser = ServerSentEventParser(lastEventID: events.last.map { String($0) })
        }

        deinit { connection?.close() }

        public func next() async throws -> EngineEvent? {
            while true {
                if let event = pending.popFirst() { return event }
                do {
                    try await readOn()
                } catch let error as KioskClientError
                    where wasConnected && (error.code != .refused || error.retryAfter != nil)
                {
                    try await pause(after: error)
                }
            }
        }

        private func readOn() async throws {
            guard let connection else {
                connection = try await events.client.openEvents(after: parser.lastEventID)
                wasConnected = true
                return
            }
            guard let piece = try await connection.nextPiece() else {
                throw KioskClientError.lost(events.client.socket)
            }
            pending += try parse(piece)
        }

        private func parse(_ piece: ByteBuffer) throws -> [EngineEvent] {
            do {
                return try parser.parse(piece.readableBytesView).compactMap { try EngineEvent($0) }
            } catch {
                throw KioskClientError.violation("an event cannot be read: \(error)", events.client.socket)
            }
        }

        private func pause(after error: KioskClientError) async throws {
            connection?.close()
            connection = nil
            parser = ServerSentEventParser(lastEventID: parser.lastEventID)
            events.interrupted(error)
            try await Task.sleep(for: Swift.max(events.client.options.reconnectDelay, error.retryAfter ?? .zero))
        }
    }
}
