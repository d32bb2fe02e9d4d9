/// The servers of a hub, as options name them: `tls://host:4222`, or `nats://host:4222` without TLS. All of them are
/// the one or the other.
package struct HubAddress: Hashable, Sendable, CustomStringConvertible {
    /// At least one.
    package let servers: [String]
    package let isSecure: Bool
    package var description: String { servers.joined(separator: ", ") }

    private static let secureScheme = "tls://"
    private static let plainScheme = "nats://"

    /// Each of `texts` names one server, or several with commas between. Throws `invalid-address` where one of them is
    /// none, or holds a login: command lines and environments can be read by others.
    package init(_ texts: [String]) throws(FleetError) {
        let servers = texts.flatMap { $0.split(separator: ",").map { $0.filter { !$0.isWhitespace } } }
        guard let first = servers.first else { throw FleetError(.invalidAddress, "the hub has no address; name one") }
        for server in servers {
            // Before any message that shows the address.
            guard !server.contains("@") else {
                throw FleetError(
                    .invalidAddress,
                    "the hub's address holds a login, which every user of this machine can read; write it without, and name a file of credentials"
                )
            }
            guard let scheme = [Self.secureScheme, Self.plainScheme].first(where: server.hasPrefix),
                server.utf8.count > scheme.utf8.count
            else {
                throw FleetError(
                    .invalidAddress,
                    "the hub's address \"\(server)\" is none; write tls://host:4222, or nats://host:4222 without TLS")
            }
        }
        let isSecure = first.hasPrefix(Self.secureScheme)
        guard servers.allSatisfy({ $0.hasPrefix(Self.secureScheme) == isSecure }) else {
            throw FleetError(
                .invalidAddress,
                "the hub's servers are named with TLS and without; name all as tls:// or all as nats://")
        }
        (self.servers, self.isSecure) = (servers, isSecure)
    }

    /// How to reach the hub. `authorities` is a PEM file of those who may have signed its certificate; nil for the
    /// system's.
    package func link(as clientName: String, credentials: String?, authorities: String?) -> NATSLink.Options {
        var options = NATSLink.Options(servers: servers, clientName: clientName)
        if let credentials { options.authentication = .credentials(file: credentials) }
        if isSecure { options.tls = authorities.map { .authorities(file: $0) } ?? .system }
        return options
    }
}
