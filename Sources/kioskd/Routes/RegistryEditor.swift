import KioskEngine
import PrinterRegistry

/// Edits of the registry that are in force when they return.
struct RegistryEditor: Sendable {
    let engine: PrintEngine
    let store: RegistryStore

    var registry: Registry {
        get async { await store.registry }
    }

    func edit(_ edit: @Sendable (Registry) throws -> Registry) async throws {
        try await store.update(edit)
        await engine.applyRegistry()
    }

    func reload() async throws {
        try await store.reload()
        await engine.applyRegistry()
    }
}
