public import PrintModel

/// The answer of `GET /v1/profiles`, by name: the models of printers that the daemon knows of. Each stands with what it
/// inherits.
public struct ProfileList: Hashable, Sendable, Codable {
    public var profiles: [PrinterProfile]
    public init(profiles: [PrinterProfile]) { self.profiles = profiles }
}
