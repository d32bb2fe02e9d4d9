/// The names under which the daemon is reached over TCP. A request for another one is refused: a page whose own name
/// was made to lead here (DNS rebinding) could otherwise read and print.
struct HostRule: Sendable {
    /// `--host-name`, at any port: a reverse proxy passes its own.
    var configured: Set<String>
    /// This machine's names, at the port that is listened at.
    var machine: Set<String>

    /// Where a request came in.
    struct Door: Hashable, Sendable {
        /// The address of our end of the connection. A page cannot make another address lead here, so it is good.
        var localAddress: String?
        var port: Int
        var isSecure: Bool
        /// The names in the certificate; nobody else has its key.
        var certificateNames: [String] = []
    }

    private static let loopback: Set<String> = ["localhost", "127.0.0.1", "::1"]

    /// Whether a request with this `Host` field is for this daemon.
    func allows(_ authority: String?, at door: Door) -> Bool {
        guard let authority, let place = HostAndPort(authority) else { return false }
        if configured.contains(place.host) { return true }
        // A client leaves out its scheme's standard port.
        guard (place.port ?? (door.isSecure ? 443 : 80)) == door.port else { return false }
        return Self.loopback.contains(place.host) || machine.contains(place.host)
            || place.host == door.localAddress
            || door.certificateNames.contains { Self.matches(place.host, $0.lowercased()) }
    }

    /// Whether a name is a certificate's, which may begin with `*.` for one label (RFC 6125 §6.4.3).
    private static func matches(_ host: String, _ name: String) -> Bool {
        guard name.hasPrefix("*.") else { return host == name }
        guard let dot = host.firstIndex(of: "."), dot > host.startIndex else { return false }
        return host[dot...] == name.dropFirst()
    }
}
