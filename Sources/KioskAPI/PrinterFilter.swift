public import PrintModel

/// Which printers `GET /v1/printers` lists: those that match everything that is said.
public struct PrinterFilter: Hashable, Sendable {
    /// Printers that do all of these; one that was never contacted is unknown, and not listed.
    public var jobTypes: JobTypes = []
    /// True lists those that would take a job now, false the others, nil all.
    public var available: Bool?
    /// The printers of this role, in its order.
    public var role: RoleName?

    public init() {}

    /// Reads a query; throws a `Problem`. `job-type` may hold several with commas between.
    public init(query: String?) throws {
        let items = try QueryItems(query)
        try items.refuseKeys(besides: ["job-type", "available", "role"])
        let names = JobTypes.keywords.map(\.keyword).joined(separator: ", ")
        jobTypes =
            try items.value("job-type", write: "job types with commas between, of \(names)", parse: Self.jobTypes) ?? []
        available = try items.value("available", write: "true or false") { text in
            switch text {
            case "true", "": true
            case "false": false
            default: nil
            }
        }
        role = try items.value("role", write: "a role's name") { RoleName(rawValue: $0) }
    }

    private static func jobTypes(_ text: String) -> JobTypes? {
        let parts = text.split(separator: ",", maxSplits: 16, omittingEmptySubsequences: false)
        let types = parts.compactMap { JobTypes(keyword: String($0)) }
        return types.count == parts.count ? types.reduce(into: JobTypes()) { $0.formUnion($1) } : nil
    }

    /// The path with the query that says all this.
    public var path: String {
        var items = QueryItems()
        items.add("job-type", jobTypes.isEmpty ? nil : jobTypes.keywords.joined(separator: ","))
        items.add("available", available.map(String.init))
        items.add("role", role?.rawValue)
        return APIPaths.printers + items.suffix
    }
}
