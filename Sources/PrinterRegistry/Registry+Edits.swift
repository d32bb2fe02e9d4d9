public import PrintModel

extension Registry {
    /// This registry with a printer saved: in its old place when its id is known, else as the last.
    public func saving(_ printer: SavedPrinter) throws(RegistryError) -> Registry {
        var printers = self.printers
        if let index = printers.firstIndex(where: { $0.id == printer.id }) {
            printers[index] = printer
        } else {
            printers.append(printer)
        }
        return try Registry(printers: printers, roles: roles, profiles: profiles)
    }

    /// This registry without a printer. Roles that name it refuse that with `printerInUse`, unless it is to be taken
    /// out of them too.
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

    /// This registry with a role assigned: in its old place when its name is known, else as the last.
    public func assigning(_ role: Role) throws(RegistryError) -> Registry {
        var role = role
        // The well-known roles have a job type in any case; the file would read it back.
        role.jobType = role.jobType ?? Role.standardJobType(of: role.name)
        var roles = self.roles
        if let index = roles.firstIndex(where: { $0.name == role.name }) {
            roles[index] = role
        } else {
            roles.append(role)
        }
        return try Registry(printers: printers, roles: roles, profiles: profiles)
    }

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
