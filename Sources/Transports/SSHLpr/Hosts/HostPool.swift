import PrintModel
import Synchronization

/// The connection pool: one host for each endpoint and login, shared by all queues behind it. Hosts connect at their
/// first call.
final class HostPool: Sendable {
    /// The properties that printers on the same connection have in common.
    struct Key: Hashable, Sendable {
        var host: String
        var port: Int?
        var user: String?
        var credentials: String?
        var trust: Trust

        init(_ printer: PrinterTarget) {
            host = printer.url.host
            port = printer.url.effectivePort
            user = printer.url.user
            credentials = printer.credentials
            trust = printer.trust
        }
    }

    private struct State {
        var hosts: [Key: Shared] = [:]
        var isShutDown = false
    }
    /// A host, and the printers that use it.
    private struct Shared {
        var host: PrintHost
        var printers: Set<PrinterTarget>
    }
    private let state = Mutex(State())
    private let connect: @Sendable (PrinterTarget) -> PrintHost

    init(connect: @escaping @Sendable (PrinterTarget) -> PrintHost) { self.connect = connect }

    /// The host of a printer; nil after the shutdown.
    func host(of printer: PrinterTarget) -> PrintHost? {
        state.withLock { state in
            guard !state.isShutDown else { return nil }
            let key = Key(printer)
            let host = state.hosts[key]?.host ?? connect(printer)
            state.hosts[key, default: Shared(host: host, printers: [])].printers.insert(printer)
            return host
        }
    }

    /// Closes the host if this was its last printer. The jobs of other printers go on.
    func forget(_ printer: PrinterTarget) async {
        let host: PrintHost? = state.withLock { state in
            let key = Key(printer)
            guard var shared = state.hosts[key] else { return nil }
            shared.printers.remove(printer)
            state.hosts[key] = shared.printers.isEmpty ? nil : shared
            return shared.printers.isEmpty ? shared.host : nil
        }
        await host?.close()
    }

    func shutDown() async {
        let hosts = state.withLock { state in
            state.isShutDown = true
            defer { state.hosts = [:] }
            return state.hosts.values.map(\.host)
        }
        for host in hosts { await host.close() }
    }
}
