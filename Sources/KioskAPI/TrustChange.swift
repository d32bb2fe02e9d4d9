public import PrintModel

/// The body of `POST /v1/printers/{id}/trust`: the public key that a person, or a script that knows it, has compared.
public struct TrustChange: Hashable, Sendable, Codable {
    /// Of what the printer shows (`ShownIdentity.keyFingerprint`).
    public var keyFingerprint: Fingerprint

    public init(keyFingerprint: Fingerprint) { self.keyFingerprint = keyFingerprint }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case keyFingerprint = "key-fingerprint"
    }

    public init(from decoder: any Decoder) throws {
        try decoder.refuseKeys(besides: CodingKeys.allCases.map(\.rawValue))
        let container = try decoder.container(keyedBy: CodingKeys.self)
        keyFingerprint = try container.decode(Fingerprint.self, forKey: .keyFingerprint)
    }
}
