public import PrintModel

/// What a model of printer can do, as far as its own contact does not tell: data from `profiles/`.
public struct PrinterProfile: Hashable, Sendable, Codable {
    /// The file's name without its ending; what a printer's `profile` names.
    public var name: String
    /// One line for people.
    public var description: String
    public var jobTypes: JobTypes

    public init(name: String, description: String, jobTypes: JobTypes) {
        self.name = name
        self.description = description
        self.jobTypes = jobTypes
    }

    enum CodingKeys: String, CodingKey {
        case name, description
        case jobTypes = "job-types"
    }
}
