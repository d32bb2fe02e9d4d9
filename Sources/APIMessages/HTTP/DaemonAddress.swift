/// Where a client reaches the daemon: its Unix socket on the same machine, or a host over TCP.
public enum DaemonAddress: Hashable, Sendable {
    /// The daemon of this machine, which knows the caller by the kernel's word.
    case socket(SocketLocation)
    /// A daemon that listens on TCP, which knows the caller by its token.
    case host(RemoteHost)

    /// The value of a request's `Host` field (RFC 9110 §7.2). A Unix socket has no name, so any will do there.
    package var hostField: String {
        switch self {
        case .socket: "kioskd"
        case .host(let host): host.authority
        }
    }

    /// The fields that each request to this address has: the token as RFC 6750 §2.1 has it.
    package var requestHeaders: [(name: String, value: String)] {
        guard case .host(let host) = self, let token = host.token else { return [] }
        return [("Authorization", "Bearer \(token.reveal())")]
    }
}

extension DaemonAddress: CustomStringConvertible {
    /// The socket's path, or the host's URL.
    public var description: String {
        switch self {
        case .socket(let socket): socket.path
        case .host(let host): host.description
        }
    }
}
