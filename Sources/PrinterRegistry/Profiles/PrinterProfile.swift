public import PrintModel

/// What a model of printer can do, as far as its own contact does not tell: data from `profiles/`.
public struct PrinterProfile: Hashable, Sendable, Codable {
    /// The file's name without its ending; what a printer's `profile` names.
    public var name: String
    /// One line for people.
    public var description: String
    /// Nil for a profile that tells of quirks only.
    public var jobTypes: JobTypes?
    /// The models that it is for, whoever names it or not; none for a profile that has to be named.
    public var match: [ModelPattern]
    /// How these models depart from their protocol.
    public var quirks: [Quirk]
    /// How documents reach it through a Unix host's `lpr`, for printers that name the profile.
    public var lpr: LprSettings?
    /// How it is spoken to beyond its documents, for a receipt printer that is connected directly.
    public var device: DeviceSettings?

    public init(
        name: String, description: String, jobTypes: JobTypes?, match: [ModelPattern] = [], quirks: [Quirk] = [],
        lpr: LprSettings? = nil, device: DeviceSettings? = nil
    ) {
        self.name = name
        self.description = description
        self.jobTypes = jobTypes
        self.match = match
        self.quirks = quirks
        self.lpr = lpr
        self.device = device
    }

    enum CodingKeys: String, CodingKey {
        case name, description
        case jobTypes = "job-types"
        case match, quirks, lpr, device
    }
}
