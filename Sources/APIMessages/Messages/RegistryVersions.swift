public import KioskPrintModel

/// The response to `GET /v1/registry/versions`, newest first.
public struct RegistryVersionList: Hashable, Sendable, Codable {
    /// The versions that are kept.
    public var versions: [RegistryVersionSummary]
    public init(versions: [RegistryVersionSummary]) { self.versions = versions }
}

/// A version of the registry's file, without its text.
public struct RegistryVersionSummary: Hashable, Sendable, Codable {
    /// Its number: the highest is the newest.
    public var number: Int
    /// When it came into force.
    public var savedAt: Timestamp
    /// Bytes of its text.
    public var size: Int

    public init(number: Int, savedAt: Timestamp, size: Int) {
        self.number = number
        self.savedAt = savedAt
        self.size = size
    }

    private enum CodingKeys: String, CodingKey {
        case number
        case savedAt = "saved-at"
        case size
    }
}

/// The response to `GET /v1/registry/versions/{number}`: a version with its text.
public struct RegistryVersionText: Hashable, Sendable, Codable {
    /// Its number: the highest is the newest.
    public var number: Int
    /// When it came into force.
    public var savedAt: Timestamp
    /// The registry's file as it was.
    public var text: String

    public init(number: Int, savedAt: Timestamp, text: String) {
        self.number = number
        self.savedAt = savedAt
        self.text = text
    }

    private enum CodingKeys: String, CodingKey {
        case number
        case savedAt = "saved-at"
        case text
    }
}

/// The body of `POST /v1/registry/versions/{number}/restore`; it may be left out.
public struct RegistryRestore: Hashable, Sendable, Codable {
    /// The newest version that the caller knows: where there is a newer one, nothing is changed.
    public var newest: Int?

    public init(newest: Int? = nil) { self.newest = newest }

    private enum CodingKeys: String, CodingKey, CaseIterable { case newest }

    public init(from decoder: any Decoder) throws {
        try decoder.refuseKeys(besides: CodingKeys.allCases.map(\.rawValue))
        newest = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(Int.self, forKey: .newest)
    }
}
