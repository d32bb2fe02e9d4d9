import Glibc
import KioskDurableFiles
public import KioskPrintModel

/// The saved printers and the roles of a site, valid as a whole, in the file's order.
///
/// Every instance is valid: ids and roles are unique, roles name saved printers only, and every value is within its
/// limits. An edit returns a new value, or throws an error that says what to do.
public struct Registry: Hashable, Sendable {
    /// The saved printers, in the file's order.
    public private(set) var printers: [SavedPrinter]
    /// The roles, in the file's order.
    public private(set) var roles: [Role]
    /// The profiles that printers may name; nil where any name is accepted.
    public let profiles: ProfileLibrary?

    /// An empty registry, as on the first run.
    public init() { self.init(unchecked: [], roles: [], profiles: nil) }

    /// Throws `invalidValue` when a rule is violated.
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

    /// Creates a registry without checking the rules; the caller has checked them.
    init(unchecked printers: [SavedPrinter], roles: [Role], profiles: ProfileLibrary?) {
        self.printers = printers
        self.roles = roles
        self.profiles = profiles
    }

    /// The saved printer with this id; nil where there is none.
    public func printer(_ id: PrinterID) -> SavedPrinter? { printers.first { $0.id == id } }

    /// The role of this name; nil where there is none.
    public func role(_ name: RoleName) -> Role? { roles.first { $0.name == name } }

    /// The role's printers, first preference first; nil when there is no such role.
    public func printers(of role: RoleName) -> [SavedPrinter]? {
        self.role(role).map { $0.printers.compactMap(printer) }
    }

    /// The roles that name a printer, in the file's order.
    public func roles(naming printer: PrinterID) -> [RoleName] {
        roles.filter { $0.printers.contains(printer) }.map(\.name)
    }

    /// The job types that a printer's profile states; nil without one. The order of precedence is: the printer's
    /// override, its profile, a contact.
    public func profileJobTypes(of printer: SavedPrinter) -> JobTypes? {
        printer.profile.flatMap { profiles?.profile(named: $0)?.jobTypes }
    }
}

// MARK: - Edits

extension Registry {
    /// This registry with a printer saved: it replaces the one with its id, or is added at the end.
    public func saving(_ printer: SavedPrinter) throws(RegistryError) -> Registry {
        var printers = self.printers
        if let index = printers.firstIndex(where: { $0.id == printer.id }) {
            printers[index] = printer
        } else {
            printers.append(printer)
        }
        return try Registry(printers: printers, roles: roles, profiles: profiles)
    }

    /// This registry without a printer. Throws `printerInUse` while roles name it, unless it is to be removed from them
    /// too.
    public func removing(_ id: PrinterID, fromRoles: Bool = false) throws(RegistryError) -> Registry {
        guard printer(id) != nil else {
            throw RegistryError(
                .printerNotFound,
                message:
                    "there is no printer \"\(id)\"; \(Self.list(printers.map(\.id), "the saved printers are", "no printer is saved yet"))"
            )
        }
        let naming = roles(naming: id)
        guard naming.isEmpty || fromRoles else {
            let names = naming.map(\.rawValue).joined(separator: ", ")
            throw RegistryError(
                .printerInUse,
                message:
                    "the printer \"\(id)\" cannot be removed: roles still name it (\(names)); take it out of them first, or ask for both at once"
            )
        }
        let remaining = roles.map { role in
            var role = role
            role.printers.removeAll { $0 == id }
            return role
        }
        return try Registry(printers: printers.filter { $0.id != id }, roles: remaining, profiles: profiles)
    }

    /// This registry with a role assigned: it replaces the one with its name, or is added at the end.
    public func assigning(_ role: Role) throws(RegistryError) -> Registry {
        var role = role
        // The well-known roles always have a job type; reading the file would add it.
        role.jobType = role.jobType ?? Role.standardJobType(of: role.name)
        var roles = self.roles
        if let index = roles.firstIndex(where: { $0.name == role.name }) {
            roles[index] = role
        } else {
            roles.append(role)
        }
        return try Registry(printers: printers, roles: roles, profiles: profiles)
    }

    /// This registry with several printers and roles: each replaces the one with its id or name, or is added at the end.
    /// They may name each other.
    public func merging(printers new: [SavedPrinter], roles newRoles: [Role]) throws(RegistryError) -> Registry {
        func merged<Value, ID: Hashable>(_ old: [Value], _ new: [Value], id: (Value) -> ID) -> [Value] {
            var values = old
            var places = Dictionary(old.indices.map { (id(old[$0]), $0) }) { first, _ in first }
            for value in new {
                if let index = places[id(value)] {
                    values[index] = value
                } else {
                    places[id(value)] = values.count
                    values.append(value)
                }
            }
            return values
        }
        let newRoles = newRoles.map { role in
            var role = role
            // As in `assigning`.
            role.jobType = role.jobType ?? Role.standardJobType(of: role.name)
            return role
        }
        return try Registry(
            printers: merged(printers, new) { $0.id }, roles: merged(roles, newRoles) { $0.name }, profiles: profiles)
    }

    /// This registry without a role.
    public func removing(_ name: RoleName) throws(RegistryError) -> Registry {
        guard role(name) != nil else {
            throw RegistryError(
                .roleNotFound,
                message:
                    "there is no role \"\(name)\"; \(Self.list(roles.map(\.name), "the roles are", "no role is assigned yet"))"
            )
        }
        return try Registry(printers: printers, roles: roles.filter { $0.name != name }, profiles: profiles)
    }

    private static func list(_ names: [some KebabCaseName], _ some: String, _ none: String) -> String {
        names.isEmpty ? none : "\(some) \(names.map(\.rawValue).joined(separator: ", "))"
    }
}

// MARK: - Files

extension Registry {
    /// Reads a registry's file and writes nothing, not even a version beside it. Throws every problem of the file.
    ///
    /// `user` is the user for whom root checks whether others could have changed the file; nil is this process's user.
    ///
    /// Blocks on the disk: call it at start-up or off the cooperative pool.
    public static func read(
        _ path: String, profiles: ProfileLibrary? = nil, for user: UInt32? = nil
    ) throws(RegistryError) -> Registry {
        let content: [UInt8]
        do {
            content = try ProtectedFile.read(path, limit: YAMLLimits.maximumLength, for: user ?? geteuid())
        } catch {
            throw RegistryError(error)
        }
        return try RegistryReader.read(content, file: path, profiles: profiles).registry
    }

    /// Reads the text of a registry that is in no file of its own yet. `file` is what problems call it. Throws every
    /// problem of the text.
    package static func read(
        _ content: [UInt8], named file: String, profiles: ProfileLibrary? = nil
    ) throws(RegistryError) -> Registry {
        try RegistryReader.read(content, file: file, profiles: profiles).registry
    }
}

// MARK: - Filters of printers

extension Sequence<PrinterStatus> {
    /// The printers that support all of `jobTypes`. A printer whose job types are not known yet (never contacted, no
    /// override) is left out only when `includingUnknown` is false: unknown is not unsupported.
    public func supporting(_ jobTypes: JobTypes, includingUnknown: Bool = true) -> [PrinterStatus] {
        filter { $0.supports(jobTypes) ?? includingUnknown }
    }

    /// The printers that would print a job sent now.
    public func available() -> [PrinterStatus] {
        filter(\.availability.isAvailable)
    }

    /// The role's printers, first preference first; those without a status are left out.
    public func inOrder(of role: Role) -> [PrinterStatus] {
        let all = Dictionary(map { ($0.printer.id, $0) }) { first, _ in first }
        return role.printers.compactMap { all[$0] }
    }
}
