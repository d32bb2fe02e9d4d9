public import PrintModel
public struct Registry: Sendable {
    public init() {}
    public var printers: [SavedPrinter] = []
    public var roles: [Role] = []
    public func printer(_ id: PrinterID) -> SavedPrinter? { printers.first { $0.id == id } }
    public func role(_ name: RoleName) -> Role? { roles.first { $0.name == name } }
}
public struct RegistryError: Error {}
public enum RegistryChange: Sendable { case reloaded(Registry); case refused(RegistryError) }
public actor RegistryStore {
    public var registry = Registry()
    public var problem: RegistryError?
    public nonisolated var changes: AsyncStream<RegistryChange> { AsyncStream { _ in } }
    public static func open(path: String) async throws -> RegistryStore {
        let s = RegistryStore(); await s.fill(); return s
    }
    func fill() {
        let a = PrinterID(rawValue: "till-1")!, b = PrinterID(rawValue: "till-2")!
        registry.printers = [SavedPrinter(id: a, url: try! PrinterURL("ipp://192.0.2.1/ipp/till-1")), SavedPrinter(id: b, url: try! PrinterURL("ipp://192.0.2.2/ipp/till-2"))]
        registry.roles = [Role(name: RoleName(rawValue: "receipt")!, printers: [a,b]), Role(name: RoleName(rawValue: "held")!, printers: [a], unconfirmed: .hold), Role(name: RoleName(rawValue: "dropped")!, printers: [a], unconfirmed: .drop), Role(name: RoleName(rawValue: "empty")!, printers: [])]
    }
}
