import Synchronization

/// Opens connections to the IPP service of printers that are not on a network: IPP over USB. The IPP transport uses the
/// connections.
public protocol PrinterDialer: Sendable {
    /// The URL schemes of the printers that it reaches.
    var schemes: Set<PrinterURL.Scheme> { get }

    /// Opens a connection to a printer. It times out after some seconds; when cancelled, it ends soon. Throws
    /// `TransportError` with the reason.
    func dial(_ printer: PrinterTarget) async throws -> DialedConnection
}

/// A connection that a dialer opened: a byte stream to and from the printer, as through TCP, that nobody else can read.
public struct DialedConnection: Sendable {
    /// A connected stream socket, which the caller of `dial` now owns.
    public var socket: Int32
    /// The number of connections that the printer serves at a time, including this one; at least 1.
    public var limit: Int
    /// Updated by the caller of `dial`.
    public let exchange: ExchangeMark

    public init(socket: Int32, limit: Int, exchange: ExchangeMark = ExchangeMark()) {
        self.socket = socket
        self.limit = limit
        self.exchange = exchange
    }
}

/// Whether an HTTP exchange is in progress on a connection: a request or its response is incomplete. Where the
/// connection closes meanwhile, the dialer has to discard the rest.
public final class ExchangeMark: Sendable {
    private let isSet = Atomic(false)

    public init() {}

    public var isUnderWay: Bool { isSet.load(ordering: .acquiring) }
    public func begin() { isSet.store(true, ordering: .releasing) }
    /// Call this when all of the request was sent and all of the response was received.
    public func end() { isSet.store(false, ordering: .releasing) }
}
