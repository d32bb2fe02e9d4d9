/// What a model of printer can do, as far as its own contact does not tell: data from `profiles/`.
public struct PrinterProfile: Hashable, Sendable, Codable {
    /// The file's name without its ending; what a printer's `profile` names.
    public var name: String
    /// One line for people.
    public var description: String
    /// Nil for a profile that tells of quirks only.
    public var jobTypes: JobTypes?
    /// The profile whose keys hold here too, unless they are stated anew. What it matches is its own.
    public var inherits: String?
    /// The models that it is for, whoever names it or not; none for a profile that has to be named.
    public var match: [ModelPattern]
    /// The command sets of the printers that it is for where no profile matches their model: `ESC/POS*`, as their
    /// device ids have them.
    public var commandSets: [ModelPattern]
    /// How these models depart from their protocol.
    public var quirks: [Quirk]
    /// How documents reach it through a Unix host's `lpr`, for printers that name the profile.
    public var lpr: LprSettings?
    /// How it is spoken to beyond its documents, for a receipt printer that is connected directly.
    public var device: DeviceSettings?
    /// What it takes that is sent receipts or labels; nil where the profile does not say.
    public var printing: PrintingSettings?

    public init(
        name: String, description: String, jobTypes: JobTypes?, inherits: String? = nil, match: [ModelPattern] = [],
        commandSets: [ModelPattern] = [], quirks: [Quirk] = [], lpr: LprSettings? = nil, device: DeviceSettings? = nil,
        printing: PrintingSettings? = nil
    ) {
        self.name = name
        self.description = description
        self.jobTypes = jobTypes
        self.inherits = inherits
        self.match = match
        self.commandSets = commandSets
        self.quirks = quirks
        self.lpr = lpr
        self.device = device
        self.printing = printing
    }

    enum CodingKeys: String, CodingKey {
        case name, description
        case jobTypes = "job-types"
        case inherits, match
        case commandSets = "command-sets"
        case quirks, lpr, device, printing
    }
}
