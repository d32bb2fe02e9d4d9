import NIOHTTP1
public import PrintModel

/// Printers.
extension KioskClient {
    /// In the registry's order, or a role's when the filter names one.
    public func printers(_ filter: PrinterFilter = PrinterFilter()) async throws -> [PrinterStatus] {
        try await request(.GET, filter.path, as: PrinterList.self).printers
    }

    /// Printers that are there, saved or not. Those that have not been asked yet who they are are asked now.
    public func discoveredPrinters(_ filter: DiscoveryFilter = DiscoveryFilter()) async throws -> [DiscoveredPrinter] {
        try await request(.GET, filter.path, wait: Self.contactTime, as: DiscoveredPrinterList.self).printers
    }

    public func printer(_ id: PrinterID) async throws -> PrinterStatus {
        try await request(.GET, APIPaths.printer(id), as: PrinterStatus.self)
    }

    /// Saves a printer, new or changed.
    public func save(_ change: PrinterChange, as id: PrinterID) async throws -> PrinterStatus {
        try await request(.PUT, APIPaths.printer(id), body: change, as: PrinterStatus.self)
    }

    public func removePrinter(_ id: PrinterID) async throws {
        try await request(.DELETE, APIPaths.printer(id))
    }

    /// Asks the printer itself whether it is there, and what it is. A printer that does not answer is no error here:
    /// its availability says so.
    public func contact(_ id: PrinterID) async throws -> PrinterStatus {
        try await request(.POST, APIPaths.contact(id), wait: Self.contactTime, as: PrinterStatus.self)
    }

    /// The certificate or host key that the printer shows now, and whether it is trusted; throws a problem
    /// `printer-unreachable` where it cannot be asked.
    public func inspectTrust(of id: PrinterID) async throws -> PrinterTrust {
        try await request(.GET, APIPaths.certificate(id), wait: Self.contactTime, as: PrinterTrust.self)
    }

    /// Trusts whoever has this key at the printer's address from now on, and contacts the printer. The daemon looks
    /// once more: a problem `certificate-mismatch` says that the printer shows another key now, `key-revoked` that it
    /// must not be trusted.
    public func trust(_ keyFingerprint: Fingerprint, of id: PrinterID) async throws -> PrinterStatus {
        let change = TrustChange(keyFingerprint: keyFingerprint)
        return try await request(
            .POST, APIPaths.trust(id), body: change, wait: Self.contactTime, as: PrinterStatus.self)
    }

    /// What a transport may take for its own deadlines, in seconds.
    private static let contactTime = 60
}

/// Roles, profiles, and the registry as a whole.
extension KioskClient {
    public func roles() async throws -> [Role] {
        try await request(.GET, APIPaths.roles, as: RoleList.self).roles
    }

    public func role(_ name: RoleName) async throws -> Role {
        try await request(.GET, APIPaths.role(name), as: Role.self)
    }

    /// Saves a role, new or changed.
    public func save(_ change: RoleChange, as name: RoleName) async throws -> Role {
        try await request(.PUT, APIPaths.role(name), body: change, as: Role.self)
    }

    public func removeRole(_ name: RoleName) async throws {
        try await request(.DELETE, APIPaths.role(name))
    }

    /// What the daemon knows of models of printers, by name.
    public func profiles() async throws -> [PrinterProfile] {
        try await request(.GET, APIPaths.profiles, as: ProfileList.self).profiles
    }

    public func profile(_ name: String) async throws -> PrinterProfile {
        try await request(.GET, APIPaths.profile(name), as: PrinterProfile.self)
    }

    /// Reads the registry file again; a broken one is refused with everything that is wrong in it.
    public func reloadRegistry() async throws {
        try await request(.POST, APIPaths.registryReload)
    }

    /// How the engine does.
    public func health() async throws -> HealthReport {
        try await request(.GET, APIPaths.health, as: HealthReport.self)
    }
}
