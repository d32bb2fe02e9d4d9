/// A saved printer with all that is known of it now.
public struct PrinterStatus: Hashable, Sendable, Codable {
    public var printer: SavedPrinter
    public var availability: Availability
    /// What the last successful contact learnt; nil before the first.
    public var description: PrinterDescription?
    /// What the printer's model profile says of its job types; nil without one.
    public var profileJobTypes: JobTypes?
    /// How its model departs from its protocol, from every profile that is for it, the most specific first.
    public var quirks: [Quirk]
    /// When it was last asked, successfully or not.
    public var contactedAt: Timestamp?
    /// The time of the next contact, where only time, an operator or a repair makes it worth asking again: after a
    /// refused login, for example.
    public var nextContactAt: Timestamp?
    /// The roles that name it.
    public var roles: [RoleName]
    /// Jobs that wait for it or are on it.
    public var jobCount: Int

    public init(
        printer: SavedPrinter, availability: Availability = .unknown, description: PrinterDescription? = nil,
        profileJobTypes: JobTypes? = nil, quirks: [Quirk] = [], contactedAt: Timestamp? = nil, roles: [RoleName] = [],
        jobCount: Int = 0
    ) {
        self.printer = printer
        self.availability = availability
        self.description = description
        self.profileJobTypes = profileJobTypes
        self.quirks = quirks
        self.contactedAt = contactedAt
        self.roles = roles
        self.jobCount = jobCount
    }

    enum CodingKeys: String, CodingKey {
        case printer, availability, description
        case profileJobTypes = "profile-job-types"
        case quirks
        case contactedAt = "contacted-at"
        case nextContactAt = "next-contact-at"
        case roles
        case jobCount = "job-count"
    }

    /// The job types in force: the admin's override, else the profile's, else what contact reported; nil while none is
    /// known, as behind a spooler that tells nothing of its printers.
    public var jobTypes: JobTypes? {
        printer.jobTypes ?? profileJobTypes ?? description.flatMap { $0.jobTypes.isEmpty ? nil : $0.jobTypes }
    }

    /// Whether the printer does all of `jobTypes`; nil while that is unknown.
    public func supports(_ jobTypes: JobTypes) -> Bool? {
        self.jobTypes.map { $0.isSuperset(of: jobTypes) }
    }
}
