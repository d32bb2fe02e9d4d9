import KioskAPI
import KioskAccess
import KioskEngine
import KioskFleetAgent
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
    /// Nil where the kiosk is set up at its site alone.
    var office: ConfigurationState?

    var registry: Registry {
        get async { await store.registry }
    }

    /// Throws `managed-centrally` where the fleet's office alone edits the registry.
    func edit(by caller: Caller, _ edit: @Sendable (Registry) throws -> Registry) async throws {
        try refuseWhereManaged()
        let change = Mutex<(before: Registry, after: Registry)?>(nil)
        try await store.update { before in
            let after = try edit(before)
            change.withLock { $0 = (before, after) }
            return after
        }
        if let (before, after) = change.withLock({ $0 }) { note(before, after, caller.actor, caller.address) }
        await engine.applyRegistry()
    }

    /// Brings back an earlier version of the whole registry. Throws where `newest` is not the newest one any more, and
    /// as `edit` does.
    func restore(by caller: Caller, version number: Int, over newest: Int?) async throws {
        try refuseWhereManaged()
        let (before, after) = try await store.restore(version: number, over: newest)
        note(before, after, caller.actor, caller.address)
        await engine.applyRegistry()
    }

    func reload(by caller: Caller) async throws {
        let (before, after) = try await store.reload()
        note(before, after, caller.actor, caller.address)
        await engine.applyRegistry()
    }

    /// Replaces the whole registry by a text of the fleet's office, which problems call `name`.
    func replace(with text: [UInt8], named name: String) async throws(RegistryError) {
        let (before, after) = try await store.replace(with: text, named: name)
        note(before, after, "fleet:\(name)", nil)
        await engine.applyRegistry()
    }

    private func refuseWhereManaged() throws(Problem) {
        if let refusal = office?.refusal { throw Problem(.managedCentrally, detail: refusal) }
    }

    private func note(_ before: Registry, _ after: Registry, _ actor: String, _ address: String?) {
        guard let audit else { return }
        let whose = (actor: actor, address: address ?? "local")
        note(audit, whose, "printer", before.printers, after.printers) { $0.id.rawValue }
        note(audit, whose, "role", before.roles, after.roles) { $0.name.rawValue }
    }

    /// Notes each value that is new, gone or another one.
    private func note<Value: Hashable & Encodable & SendableMetatype>(
        _ audit: AuditLog, _ whose: (actor: String, address: String), _ kind: String, _ before: [Value],
        _ after: [Value],
        id: (Value) -> String
    ) {
        let old = Dictionary(before.map { (id($0), $0) }, uniquingKeysWith: { first, _ in first })
        let new = Dictionary(after.map { (id($0), $0) }, uniquingKeysWith: { first, _ in first })
        for id in Set(old.keys).union(new.keys).sorted() where old[id] != new[id] {
            audit.note(
                AuditEntry(
                    time: .now, actor: whose.actor, address: whose.address,
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
