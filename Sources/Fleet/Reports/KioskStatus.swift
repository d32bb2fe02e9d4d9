package import KioskPrintModel

/// How a kiosk is, as JSON in the bucket `STATUS`: said anew when it changes, and each minute.
package struct KioskStatus: Hashable, Sendable, Codable {
    package var version: String
    /// The health of the kiosk's engine, as `GET /v1/health` of the kiosk shows it beside other checks; of its checks only
    /// those that are not OK, and the first ones where there are many.
    package var health: HealthReport
    /// When the hub stored the last message that the kiosk has taken, in ns since 1970; nil before the first.
    package var takenUpTo: Int64?

    /// Of a health report, in number.
    package static let maximumChecks = 20
    /// After this time without a new status, in seconds, a kiosk is silent.
    package static let silence = 180

    package init(version: String, health: HealthReport, takenUpTo: Int64?) {
        (self.version, self.health, self.takenUpTo) = (version, health, takenUpTo)
        self.health.checks = Array(health.checks.filter { $0.status != .ok }.prefix(Self.maximumChecks))
    }

    /// Reads what the hub has. Throws `malformed`.
    package init(_ message: HubMessage) throws(FleetError) {
        self = try JSONMessage.decode(message.body, "status of \(message.subject)")
    }

    package func body() throws(FleetError) -> [UInt8] { try JSONMessage.encode(self) }

    /// Whether the other says something new of the kiosk's health: not only other numbers.
    package func differsNotably(from other: KioskStatus) -> Bool {
        health.status != other.health.status || health.checks != other.health.checks
            || health.jobsUnconfirmed != other.health.jobsUnconfirmed
    }

    enum CodingKeys: String, CodingKey {
        case version, health
        case takenUpTo = "taken-up-to"
    }
}
