import KioskAPI
import KioskAccess
import KioskEngine
import KioskPrintModel
import KioskPrinterRegistry
import Synchronization

/// Edits the registry: an edit is on disk and in force in the engine when it returns, and what it changed stands in the
/// audit log.
struct RegistryEditor: Sendable {
    let engine: PrintEngine
    let store: RegistryStore
    /// Nil where nobody keeps one.
    var audit: AuditLog?

    var registry: Registry {
        get async { await store.registry }
    }

    func edit(by caller: Caller, _ edit: @Sendable (Registry) throws -> Registry) async throws {
        let change = Mutex<(before: Registry, after: Registry)?>(nil)
        try await store.update { before in
            let after = try edit(before)
            change.withLock { $0 = (before, after) }
            return after
        }
        if let (before, after) = change.withLock({ $0 }) { note(before, after, caller) }
        await engine.applyRegistry()
    }

    /// Brings back an earlier version of the whole registry. Throws where `newest` is not the newest one any more.
    func restore(by caller: Caller, version number: Int, over newest: Int?) async throws {
        let (before, after) = try await store.restore(version: number, over: newest)
        note(before, after, caller)
        await engine.applyRegistry()
    }

    func reload(by caller: Caller) async throws {
        let (before, after) = try await store.reload()
        note(before, after, caller)
        await engine.applyRegistry()
    }

    private func note(_ before: Registry, _ after: Registry, _ caller: Caller) {
        guard let audit else { return }
        note(audit, caller, "printer", before.printers, after.printers) { $0.id.rawValue }
        note(audit, caller, "role", before.roles, after.roles) { $0.name.rawValue }
    }

    /// Notes each value that is new, gone or another one.
    private func note<Value: Hashable & Encodable & SendableMetatype>(
        _ audit: AuditLog, _ caller: Caller, _ kind: String, _ before: [Value], _ after: [Value],
        id: (Value) -> String
    ) {
        let old = Dictionary(before.map { (id($0), $0) }, uniquingKeysWith: { first, _ in first })
        let new = Dictionary(after.map { (id($0), $0) }, uniquingKeysWith: { first, _ in first })
        for id in Set(old.keys).union(new.keys).sorted() where old[id] != new[id] {
            audit.note(
                AuditEntry(
                    time: .now, actor: caller.actor, address: caller.address ?? "local",
                    action: new[id] == nil ? "\(kind).remove" : old[id] == nil ? "\(kind).add" : "\(kind).change",
                    object: id, before: Self.text(of: old[id]), after: Self.text(of: new[id])))
        }
    }

    /// As the API shows it; a printer's login is a name there.
    private static func text(of value: (some Encodable)?) -> String? {
        guard let value, let bytes = try? APIJSON.encode(value) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
