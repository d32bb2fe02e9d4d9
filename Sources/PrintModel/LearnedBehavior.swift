/// What using a printer showed of it, where that departs from its own description. Kept with the description, also
/// across restarts, for as long as the printer describes itself in the same way.
public struct LearnedBehavior: Hashable, Sendable, Codable {
    /// The formats that it lists, and refuses or gives up jobs over; receipts go in another.
    public var refusedFormats: Set<DocumentFormat>
    /// The operations that it advertises and never answers, by their IPP names: `Validate-Job`.
    public var unansweredOperations: Set<String>
    /// Whether it forgets jobs as soon as they have ended: what its history lacks proves nothing. False where it did so
    /// once and later told a job's end; nil where it never did so.
    public var lacksJobHistory: Bool?
    /// Whether its HTTP server takes no document whose length is not announced.
    public var refusesChunks: Bool
    /// Whether a printer that takes raw data has responded to a request for its status. Such a one gets no job before it
    /// has responded on the same connection.
    public var respondsToStatusRequests: Bool
    /// The device that was found where the connection proves no identity. Another one at its address gets nothing.
    public var device: DeviceIdentification?

    /// Creates what was learned.
    public init(
        refusedFormats: Set<DocumentFormat> = [], unansweredOperations: Set<String> = [], lacksJobHistory: Bool? = nil,
        refusesChunks: Bool = false, respondsToStatusRequests: Bool = false, device: DeviceIdentification? = nil
    ) {
        self.device = device
        self.respondsToStatusRequests = respondsToStatusRequests
        self.refusedFormats = refusedFormats
        self.unansweredOperations = unansweredOperations
        self.lacksJobHistory = lacksJobHistory
        self.refusesChunks = refusesChunks
    }

    /// What was learned earlier and what was learned since, together; nil where nothing was learned.
    package static func union(_ earlier: LearnedBehavior?, _ later: LearnedBehavior?) -> LearnedBehavior? {
        guard let earlier, let later else { return earlier ?? later }
        return LearnedBehavior(
            refusedFormats: earlier.refusedFormats.union(later.refusedFormats),
            unansweredOperations: earlier.unansweredOperations.union(later.unansweredOperations),
            lacksJobHistory: later.lacksJobHistory ?? earlier.lacksJobHistory,
            refusesChunks: earlier.refusesChunks || later.refusesChunks,
            respondsToStatusRequests: earlier.respondsToStatusRequests || later.respondsToStatusRequests,
            device: later.device ?? earlier.device)
    }

    enum CodingKeys: String, CodingKey {
        case refusedFormats = "refused-formats"
        case unansweredOperations = "unanswered-operations"
        case lacksJobHistory = "lacks-job-history"
        case refusesChunks = "refuses-chunks"
        case respondsToStatusRequests = "responds-to-status-requests"
        case device
    }
}

extension LearnedBehavior {
    /// Decodes what was stored.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        refusedFormats = Set(try values.decodeIfPresent([DocumentFormat].self, forKey: .refusedFormats) ?? [])
        unansweredOperations = Set(try values.decodeIfPresent([String].self, forKey: .unansweredOperations) ?? [])
        lacksJobHistory = try values.decodeIfPresent(Bool.self, forKey: .lacksJobHistory)
        refusesChunks = try values.decodeIfPresent(Bool.self, forKey: .refusesChunks) ?? false
        respondsToStatusRequests = try values.decodeIfPresent(Bool.self, forKey: .respondsToStatusRequests) ?? false
        // Of a later version that stores it otherwise: what else was learned still holds.
        device = try? values.decodeIfPresent(DeviceIdentification.self, forKey: .device)
    }

    /// Encodes the sets as sorted lists: the same knowledge is the same text.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(refusedFormats.map(\.mimeType).sorted(), forKey: .refusedFormats)
        try values.encode(unansweredOperations.sorted(), forKey: .unansweredOperations)
        try values.encodeIfPresent(lacksJobHistory, forKey: .lacksJobHistory)
        if refusesChunks { try values.encode(true, forKey: .refusesChunks) }
        if respondsToStatusRequests { try values.encode(true, forKey: .respondsToStatusRequests) }
        try values.encodeIfPresent(device, forKey: .device)
    }
}

extension PrinterDescription {
    /// Whether what was learned of a printer that described itself in the other way still holds.
    package func isOfSameDevice(as other: PrinterDescription) -> Bool {
        makeAndModel == other.makeAndModel && deviceID == other.deviceID && uuid == other.uuid
            && formats == other.formats
    }
}
