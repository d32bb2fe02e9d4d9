import NIOCore

extension SocketAddress {
    /// 127.0.0.0/8 (RFC 1122 §3.2.1.3), ::1 (RFC 4291 §2.5.3), and the former written as the latter (§2.5.5.2), in the
    /// one form that inet_ntop gives each.
    var isLoopback: Bool {
        switch self {
        case .v4: ipAddress?.hasPrefix("127.") ?? false
        case .v6: ipAddress.map { $0 == "::1" || $0.hasPrefix("::ffff:127.") } ?? false
        case .unixDomainSocket: true
        }
    }
}
