import ArgumentParser
import Glibc
import KioskAPI
import KioskAccess
import Logging

/// The options of the API over TCP.
struct NetworkOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Serve the API over TCP too, at this address or name; repeat it for more. Off loopback always with TLS (default: at the Unix socket only; the port is 8631).",
            valueName: "address"),
        transform: { try ListenAddress($0) })
    var listen: [ListenAddress] = []

    @Option(
        help: ArgumentHelp(
            "Answer requests for this host name too, such as that of a reverse proxy; repeat it for more.",
            valueName: "name"))
    var hostName: [String] = []

    @Option(
        help: ArgumentHelp(
            "Show this certificate, a PEM file with its chain, read again when it changes (default: one that kioskd makes and renews).",
            valueName: "path"))
    var tlsCertificate: String?

    @Option(help: ArgumentHelp("The certificate's key, where it is in another PEM file.", valueName: "path"))
    var tlsKey: String?

    func validate() throws {
        for name in hostName where HostAndPort(name).map({ $0.port == nil }) != true {
            throw ValidationError("--host-name \"\(name)\" is not a host name; write it without a port: till.example")
        }
        guard tlsKey == nil || tlsCertificate != nil else {
            throw ValidationError("--tls-key is for --tls-certificate; name both")
        }
        // The service manager's sockets may be TCP's (`PassedSockets`).
        guard !listen.isEmpty || (hostName.isEmpty && tlsCertificate == nil) || getenv("LISTEN_FDS") != nil else {
            throw ValidationError("--host-name and --tls-certificate are for --listen; name an address to listen at")
        }
    }

    /// The administrator's certificate; nil where kioskd makes its own.
    var givenCertificate: ServerCertificate.Source? {
        tlsCertificate.map { .given(certificate: $0, key: tlsKey) }
    }

    /// The TCP door; nil where nothing listens there. The certificate of its own lies in the state directory. `passed`
    /// are the addresses of the service manager's sockets.
    func door(
        in stateDirectory: String, passed: [ListenAddress], descriptors: Int, tokens: TokenStore, logger: Logger
    ) -> NetworkDoor? {
        let listen = listen + passed
        guard !listen.isEmpty else { return nil }
        let machine = MachineNames.current()
        let listened = listen.map(\.host).filter { RemoteAddress($0) == nil }
        let source =
            givenCertificate
            ?? .own(
                folder: "\(stateDirectory)/tls",
                names: machine.certificateNames(and: (hostName + listened).compactMap { HostAndPort($0)?.host }))
        return NetworkDoor(
            limits: AddressLimits(AddressLimits.Bounds(descriptors: descriptors)),
            certificate: listen.contains(where: \.isSecure) ? ServerCertificate(source, logger: logger) : nil,
            hostNames: hostName + listened, machine: machine, isListedOrigin: { tokens.isAllowed(origin: $0) })
    }
}
