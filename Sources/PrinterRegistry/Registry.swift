public import PrintModel

/// The saved printers and the roles of a site, valid as a whole, in the file's order.
///
/// Every value that exists keeps the rules: ids and roles are unique, roles name saved printers only, and every
/// value is in its bounds. An edit is a new value, or an error that says what to do.
public struct Registry: Hashable, Sendable {
    public private(set) var printers: [SavedPrinter]
    public private(set) var roles: [Role]
    /// The profiles that printers may name; nil where any name is let through.
    public let profiles: ProfileLibrary?

    /// No printers and no roles: the registry of a first run.
    public init() { self.init(unchecked: [], roles: [], profiles: nil) }

    /// Throws `invalidValue` when a rule is broken.
    public init(
        printers: [SavedPrinter], roles: [Role], profiles: ProfileLibrary? = nil
    ) throws(RegistryError) {
        self.init(unchecked: printers, roles: roles, profiles: profiles)
        let violations = RegistryRules.violations(
            printers: printers.indices.map { ("printers.\($0)", printers[$0]) },
            roles: roles.map { ("roles.\($0.name)", $0) }, profiles: profiles)
        guard violations.isEmpty else {
            let sentences = violations.map { "\($0.message); write \($0.instead)" }
            throw RegistryError(.invalidValue, message: sentences.joined(separator: "\n"))
        }
    }

    /// For whoever has checked the rules already.
    init(unchecked printers: [SavedPrinter], roles: [Role], profiles: ProfileLibrary?) {
        self.printers = printers
        self.roles = roles
        self.profiles = profiles
    }

    public func printer(_ id: PrinterID) -> SavedPrinter? { printers.first { $0.id == id } }

    public func role(_ name: RoleName) -> Role? { roles.first { $0.name == name } }

    /// The role's printers, first preference first; nil when there is no such role.
    public func printers(of role: RoleName) -> [SavedPrinter]? {
        self.role(role).map { $0.printers.compactMap(printer) }
    }

    /// The roles that name a printer, in the file's order.
    public func roles(naming printer: PrinterID) -> [RoleName] {
        roles.filter { $0.printers.contains(printer) }.map(\.name)
    }

    /// The job types that a printer's profile states; nil without one. They stand in for what contact reports, and
    /// give way to the printer's own override: override, then profile, then contact.
    public func profileJobTypes(of printer: SavedPrinter) -> JobTypes? {
        printer.profile.flatMap { profiles?.profile(named: $0)?.jobTypes }
    }
}
