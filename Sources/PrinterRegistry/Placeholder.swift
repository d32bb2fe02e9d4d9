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
}
