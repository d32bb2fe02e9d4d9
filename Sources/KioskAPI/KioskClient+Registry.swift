public import KioskAPIMessages
public import KioskPrintModel

/// The calls for roles, profiles, the registry file and the engine's health.
extension KioskClient {
    /// Lists the roles.
    public func roles() async throws -> [Role] {
        try await perform(.roles()).roles
    }

    /// Returns a role.
    public func role(_ name: RoleName) async throws -> Role {
        try await perform(.role(name))
    }

    /// Saves a new or changed role.
    public func save(_ change: RoleChange, as name: RoleName) async throws -> Role {
        try await perform(.save(change, as: name))
    }

    /// Removes a role.
    public func removeRole(_ name: RoleName) async throws {
        try await perform(.removeRole(name))
    }

    /// Lists the profiles of printer models, by name.
    public func profiles() async throws -> [PrinterProfile] {
        try await perform(.profiles()).profiles
    }

    /// Returns a profile of a printer model.
    public func profile(_ name: String) async throws -> PrinterProfile {
        try await perform(.profile(name))
    }

    /// Reads the registry file again. Throws a problem with all errors of a file that is not valid.
    public func reloadRegistry() async throws {
        try await perform(.reloadRegistry())
    }

    /// Returns the engine's health: of everything, or as the query narrows it.
    public func health(_ query: HealthQuery = HealthQuery()) async throws -> HealthReport {
        try await perform(.health(query))
    }

    /// Returns the daemon's version, where it listens, and its certificate.
    public func server() async throws -> ServerInformation {
        try await perform(.server())
    }

    /// Returns the kiosk's part in its fleet. Throws a problem where it belongs to none.
    package func fleet() async throws -> FleetInformation {
        try await perform(.fleet())
    }
}
