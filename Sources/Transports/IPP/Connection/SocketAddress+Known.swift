import NIOCore

extension SocketAddress {
    /// The addresses of a host for which nobody need be asked, the first to try first; empty where a resolver must be.
    ///
    /// `localhost` is this computer, whatever a resolver would say (RFC 6761 §6.3).
    static func known(_ host: String, port: Int) -> [SocketAddress] {
        let texts = host == "localhost" ? ["127.0.0.1", "::1"] : [host]
        return texts.compactMap { try? SocketAddress(ipAddress: $0, port: port) }
    }
}
