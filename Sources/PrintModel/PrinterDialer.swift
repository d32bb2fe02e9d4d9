import Synchronization

/// A way to the IPP of printers that no network leads to: IPP over USB. A transport that speaks IPP runs over what it
/// opens.
public protocol PrinterDialer: Sendable {
    /// The URL schemes of the printers that it reaches.
    var schemes: Set<PrinterURL.Scheme> { get }

    /// Opens a connection to a printer. Gives up by itself after some seconds; may be cancelled, and then ends soon.
    /// Throws `TransportError` with the reason in words for people.
    func dial(_ printer: PrinterTarget) async throws -> DialedConnection
}

/// A connection that a dialer opened: bytes go to the printer and come back as through TCP, and nobody on the way can
/// read them.
public struct DialedConnection: Sendable {
    /// A connected stream socket, whose owner is now whoever dialed.
    public var socket: Int32
    /// How many such connections the printer serves at a time, this one included; at least 1.
    public var limit: Int
    /// Kept by whoever dialed.
    public let exchange: ExchangeMark

    public init(socket: Int32, limit: Int, exchange: ExchangeMark = ExchangeMark()) {
        self.socket = socket
        self.limit = limit
        self.exchange = exchange
    }
}

/// Whether a request, or its answer, is on the way over a connection. Where it closes in the middle of one, the dialer
/// has to rid the line of the rest.
public final class ExchangeMark: Sendable {
    private let isSet = Atomic(false)

    public init() {}

    public var isUnderWay: Bool { isSet.load(ordering: .acquiring) }
    public func begin() { isSet.store(true, ordering: .releasing) }
    /// All of the request was sent, and all of the answer has come.
    public func end() { isSet.store(false, ordering: .releasing) }
}
