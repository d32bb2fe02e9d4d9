public import KioskAPIMessages
import NIOCore

extension KioskClient {
    /// Looks for printers, saved or not, and returns them as they are found. Nothing is connected to or saved.
    ///
    /// The sequence ends with the search, when the filter's time is over, or when the daemon shuts down. It does not
    /// resume after an error. `discoveredPrinters` returns the same as one list.
    public func discover(_ filter: DiscoveryFilter = DiscoveryFilter()) -> DiscoveryEvents {
        DiscoveryEvents(client: self, path: filter.streamPath)
    }
}

/// The events of one search for printers, as they happen.
public struct DiscoveryEvents: AsyncSequence, Sendable {
    public typealias Element = DiscoveryEvent

    fileprivate let client: KioskClient
    fileprivate let path: String

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// The iterator owns its connection, and closes it in `deinit`.
    public final class Iterator: AsyncIteratorProtocol {
        private let events: DiscoveryEvents
        private var connection: ClientConnection?
        private var parser = ServerSentEventParser()
        private var pending: ArraySlice<DiscoveryEvent> = []

        fileprivate init(_ events: DiscoveryEvents) { self.events = events }

        deinit { connection?.close() }

        public func next() async throws -> DiscoveryEvent? {
            while true {
                if let event = pending.popFirst() { return event }
                guard let connection else {
                    connection = try await events.client.openEventStream(events.path)
                    continue
                }
                guard let piece = try await connection.nextPiece() else { return nil }
                do {
                    pending += try parser.parse(piece.readableBytesView).compactMap { try DiscoveryEvent($0) }
                } catch {
                    throw KioskClientError.violation("an event cannot be read: \(error)", events.client.address)
                }
            }
        }
    }
}
