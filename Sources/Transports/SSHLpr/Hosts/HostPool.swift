import PrintModel
import Synchronization

/// The hosts that are connected, or will be at the first call: one for each way to log in to one, whatever their queues.
final class HostPool: Sendable {
    /// What makes two printers share a connection.
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
        var hosts: [Key: PrintHost] = [:]
        var isShutDown = false
    }
    private let state = Mutex(State())
    private let connect: @Sendable (PrinterTarget) -> PrintHost

    init(connect: @escaping @Sendable (PrinterTarget) -> PrintHost) { self.connect = connect }

    /// Nil once it is shut down.
    func host(of printer: PrinterTarget) -> PrintHost? {
        state.withLock { state in
            guard !state.isShutDown else { return nil }
            if let host = state.hosts[Key(printer)] { return host }
            let host = connect(printer)
            state.hosts[Key(printer)] = host
            return host
        }
    }

    /// What was trusted and logged in with may just have been replaced: other queues of the host connect anew as well.
    func forget(_ printer: PrinterTarget) async {
        await state.withLock { $0.hosts.removeValue(forKey: Key(printer)) }?.close()
    }

    func shutDown() async {
        let hosts = state.withLock { state in
            state.isShutDown = true
            defer { state.hosts = [:] }
            return Array(state.hosts.values)
        }
        for host in hosts { await host.close() }
    }
}
