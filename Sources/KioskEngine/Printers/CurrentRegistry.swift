import PrintModel
import PrinterRegistry
import Synchronization

/// The registry that is in force: the printers and roles by which jobs are routed.
final class CurrentRegistry: Sendable {
    private struct State {
        var registry = Registry()
        var problem: String?
    }
    private let state = Mutex(State())

    var snapshot: Registry { state.withLock(\.registry) }

    /// Why the file is not in force as it is now; nil where it is.
    var problem: String? { state.withLock(\.problem) }

    func update(_ registry: Registry, problem: String?) {
        state.withLock { $0 = State(registry: registry, problem: problem) }
    }

    func printer(_ id: PrinterID) -> SavedPrinter? { state.withLock { $0.registry.printer(id) } }

    func role(_ name: RoleName?) -> Role? {
        guard let name else { return nil }
        return state.withLock { $0.registry.role(name) }
    }

    /// How long jobs of a role are kept; the default for jobs without a role, and for roles that no longer exist.
    func retention(of role: RoleName?) -> Retention { self.role(role)?.keep ?? Retention() }
}
