/// A way to the IPP of printers that no network leads to: IPP over USB. A transport that speaks IPP runs over what it opens.
public protocol PrinterDialer: Sendable {
    /// The URL schemes of the printers that it reaches.
    var schemes: Set<PrinterURL.Scheme> { get }

    /// Opens a connection to a printer. Gives up by itself after some seconds; may be cancelled, and then ends soon. Throws
    /// `TransportError` with the reason in words for people.
    func dial(_ printer: PrinterTarget) async throws -> DialedConnection
}

/// A connection that a dialer opened: bytes go to the printer and come back as through TCP, and nobody on the way can read
/// them.
public struct DialedConnection: Hashable, Sendable {
    /// A connected stream socket, whose owner is now whoever dialed.
    public var socket: Int32
    /// How many such connections the printer serves at a time, this one included; at least 1.
    public var limit: Int

    public init(socket: Int32, limit: Int) {
        self.socket = socket
        self.limit = limit
    }
}
