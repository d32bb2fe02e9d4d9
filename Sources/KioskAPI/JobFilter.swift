public import PrintModel

/// Which jobs `GET /v1/jobs` lists: newest first, those that match everything that is said.
public struct JobFilter: Hashable, Sendable {
    public var role: RoleName?
    public var printer: PrinterID?
    /// Any of these; empty means every state.
    public var states: [JobState] = []
    /// Accepted at this moment or later.
    public var since: Timestamp?
    /// Accepted before this moment.
    public var until: Timestamp?
    /// Part of the job's name; a to z in any case.
    public var name: String?
    /// 1 to `APILimits.maximumPage`.
    public var limit = APILimits.standardPage
    /// Only jobs with a smaller id; `next` of the page before.
    public var before: Job.ID?

    public init() {}

    /// Reads a query; throws a `Problem`. `state` may hold several states with commas between.
    public init(query: String?) throws {
        let items = try QueryItems(query)
        try items.refuseKeys(besides: ["role", "printer", "state", "since", "until", "name", "limit", "before"])
        role = try items.value("role", write: "a role's name") { RoleName(rawValue: $0) }
        printer = try items.value("printer", write: "a printer's id") { PrinterID(rawValue: $0) }
        let names = JobState.allCases.map(\.rawValue).joined(separator: ", ")
        states = try items.value("state", write: "states with commas between, of \(names)", parse: Self.states) ?? []
        let now = JobMoment.now
        since = try items.value("since", write: JobMoment.forms) { JobMoment.parse($0, at: now) }
        until = try items.value("until", write: JobMoment.forms) { JobMoment.parse($0, at: now) }
        name = try items.value("name", write: "a part of the name, of 1 to \(APILimits.maximumName) bytes") {
            (1...APILimits.maximumName).contains($0.utf8.count) ? $0 : nil
        }
        limit =
            try items.value("limit", write: "a number from 1 to \(APILimits.maximumPage)") {
                Int(digits: $0, in: 1...APILimits.maximumPage)
            } ?? APILimits.standardPage
        before = try items.value("before", write: "a job's id") { Int(digits: $0, in: 1...Int.max) }.map(Int64.init)
    }

    private static func states(_ text: String) -> [JobState]? {
        let parts = text.split(separator: ",", maxSplits: 16, omittingEmptySubsequences: false)
        let states = parts.compactMap { JobState(rawValue: String($0)) }
        return states.count == parts.count ? states : nil
    }

    /// The path with the query that says all this.
    public var path: String {
        var items = QueryItems()
        items.add("role", role?.rawValue)
        items.add("printer", printer?.rawValue)
        items.add("state", states.isEmpty ? nil : states.map(\.rawValue).joined(separator: ","))
        items.add("since", since?.description)
        items.add("until", until?.description)
        items.add("name", name)
        items.add("limit", limit == APILimits.standardPage ? nil : String(limit))
        items.add("before", before.map(String.init))
        return APIPaths.jobs + items.suffix
    }
}
