import KioskServiceManager

/// The listening sockets that the service manager passed (`kioskd.socket`), by what is served there.
struct PassedSockets {
    /// The Unix socket, in the place of `--socket`.
    private(set) var local: InheritedSocket?
    /// TCP, as with `--listen`: off loopback always with TLS.
    private(set) var network: [ListenAddress: InheritedSocket] = [:]

    var all: [InheritedSocket] { (local.map { [$0] } ?? []) + network.values }

    init(environment: (String) -> String?) throws(StartError) {
        let sockets: [InheritedSocket]
        do {
            sockets = try InheritedSocket.all(environment: environment)
        } catch {
            throw StartError(.usage, "\(error); pass sockets of ListenStream= alone")
        }
        for socket in sockets {
            switch socket.address {
            case .unix:
                guard local == nil else {
                    throw StartError(.usage, "the service manager passed more than one Unix socket; pass one")
                }
                local = socket
            case .tcp(let host, let port):
                let address = try Self.address(host, port, socket)
                network[address] = socket
            }
        }
    }

    /// The socket's name says whether it speaks TLS, where it is `http` or `https`; else its address does.
    private static func address(
        _ host: String, _ port: Int, _ socket: InheritedSocket
    ) throws(StartError) -> ListenAddress {
        let scheme = ["http", "https"].contains(socket.name) ? "\(socket.name ?? "")://" : ""
        do {
            return try ListenAddress("\(scheme)\(host.contains(":") ? "[\(host)]" : host):\(port)")
        } catch {
            throw StartError(.usage, "the service manager passed \(socket), which cannot be served: \(error)")
        }
    }
}
