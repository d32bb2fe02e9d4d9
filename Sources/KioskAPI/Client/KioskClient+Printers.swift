import NIOHTTP1
public import PrintModel

extension KioskClient {
    /// Lists saved printers in the registry's order, or in a role's order when the filter names one.
    public func printers(_ filter: PrinterFilter = PrinterFilter()) async throws -> [PrinterStatus] {
        try await request(.GET, filter.path, as: PrinterList.self).printers
    }

    /// Lists connected printers, saved or not. Queries those that have not been queried yet.
    public func discoveredPrinters(_ filter: DiscoveryFilter = DiscoveryFilter()) async throws -> [DiscoveredPrinter] {
        try await request(.GET, filter.path, wait: Self.contactTime, as: DiscoveredPrinterList.self).printers
    }

    public func printer(_ id: PrinterID) async throws -> PrinterStatus {
        try await request(.GET, APIPaths.printer(id), as: PrinterStatus.self)
    }

    /// Saves a new or changed printer.
    public func save(_ change: PrinterChange, as id: PrinterID) async throws -> PrinterStatus {
        try await request(.PUT, APIPaths.printer(id), body: change, as: PrinterStatus.self)
    }

    public func removePrinter(_ id: PrinterID) async throws {
        try await request(.DELETE, APIPaths.printer(id))
    }

    /// Queries a printer's presence, state and capabilities. If it does not respond, its availability says so; that is
    /// not an error.
    public func contact(_ id: PrinterID) async throws -> PrinterStatus {
        try await request(.POST, APIPaths.contact(id), wait: Self.contactTime, as: PrinterStatus.self)
    }

    /// Returns the certificate or host key that the printer shows now, and whether it is trusted. Throws a problem
    /// `printer-unreachable` when the printer does not respond.
    public func inspectTrust(of id: PrinterID) async throws -> PrinterTrust {
        try await request(.GET, APIPaths.certificate(id), wait: Self.contactTime, as: PrinterTrust.self)
    }

    /// Trusts a key at the printer's address from now on, and contacts the printer. The daemon reads the printer's key
    /// once more: it throws a problem `certificate-mismatch` when the printer shows another key now, and `key-revoked`
    /// when the key must not be trusted.
    public func trust(_ keyFingerprint: Fingerprint, of id: PrinterID) async throws -> PrinterStatus {
        let change = TrustChange(keyFingerprint: keyFingerprint)
        return try await request(
            .POST, APIPaths.trust(id), body: change, wait: Self.contactTime, as: PrinterStatus.self)
    }

    /// The seconds that a transport's own timeouts may take.
    private static let contactTime = 60
}

// MARK: - Roles, profiles and the daemon

extension KioskClient {
    public func roles() async throws -> [Role] {
        try await request(.GET, APIPaths.roles, as: RoleList.self).roles
    }

    public func role(_ name: RoleName) async throws -> Role {
        try await request(.GET, APIPaths.role(name), as: Role.self)
    }

    /// Saves a new or changed role.
    public func save(_ change: RoleChange, as name: RoleName) async throws -> Role {
        try await request(.PUT, APIPaths.role(name), body: change, as: Role.self)
    }

    public func removeRole(_ name: RoleName) async throws {
        try await request(.DELETE, APIPaths.role(name))
    }

    /// Lists the profiles of printer models, by name.
    public func profiles() async throws -> [PrinterProfile] {
        try await request(.GET, APIPaths.profiles, as: ProfileList.self).profiles
    }

    public func profile(_ name: String) async throws -> PrinterProfile {
        try await request(.GET, APIPaths.profile(name), as: PrinterProfile.self)
    }

    /// Reads the registry file again. Throws a problem with all errors of a file that is not valid.
    public func reloadRegistry() async throws {
        try await request(.POST, APIPaths.registryReload)
    }

    /// Returns the engine's health.
    public func health() async throws -> HealthReport {
        try await request(.GET, APIPaths.health, as: HealthReport.self)
    }
}
