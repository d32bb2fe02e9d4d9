import KioskPrintModel
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
        var printers: HostPrinters
    }
    private let state = Mutex(State())
    private let connect: @Sendable (PrinterTarget, HostPrinters) -> PrintHost

    init(connect: @escaping @Sendable (PrinterTarget, HostPrinters) -> PrintHost) { self.connect = connect }

    /// The host of a printer; nil after the shutdown.
    func host(of printer: PrinterTarget) -> PrintHost? {
        state.withLock { state in
            guard !state.isShutDown else { return nil }
            let key = Key(printer)
            if let shared = state.hosts[key] {
                shared.printers.insert(printer)
                return shared.host
            }
            let printers = HostPrinters()
            printers.insert(printer)
            let host = connect(printer, printers)
            state.hosts[key] = Shared(host: host, printers: printers)
            return host
        }
    }

    /// Closes the host if this was its last printer. The jobs of other printers go on.
    func forget(_ printer: PrinterTarget) async {
        let host: PrintHost? = state.withLock { state in
            let key = Key(printer)
            guard let shared = state.hosts[key] else { return nil }
            shared.printers.remove(printer)
            guard shared.printers.isEmpty else { return nil }
            state.hosts[key] = nil
            return shared.host
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

/// The printers that share one host.
final class HostPrinters: Sendable {
    private let targets = Mutex<Set<PrinterTarget>>([])

    var isEmpty: Bool { targets.withLock(\.isEmpty) }
    var urls: Set<PrinterURL> { targets.withLock { Set($0.map(\.url)) } }

    func insert(_ printer: PrinterTarget) { targets.withLock { _ = $0.insert(printer) } }
    func remove(_ printer: PrinterTarget) { targets.withLock { _ = $0.remove(printer) } }
}
