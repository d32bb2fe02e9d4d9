public import KioskPrintModel

/// The query of `GET /v1/jobs`, which lists the jobs that match every condition, newest first. The client writes it
/// (`path`); the daemon reads it (`init(query:)`), and asks the engine with the engine's own `JobFilter`.
public struct JobQuery: Hashable, Sendable {
    /// The role that the job was sent to.
    public var role: RoleName?
    /// The printer that has or had the job.
    public var printer: PrinterID?
    /// The states of which a job must have one; empty means any state.
    public var states: [JobState] = []
    /// The time at or after which the job was accepted.
    public var since: Timestamp?
    /// The time before which the job was accepted.
    public var until: Timestamp?
    /// A part of the job's name; a to z match in either case.
    public var name: String?
    /// The maximum number of jobs in the response, 1 to `APILimits.maximumPage`.
    public var limit = APILimits.standardPage
    /// The id below which jobs are listed: `next` of the page before.
    public var before: Job.ID?

    public init() {}

    /// Reads a query. Throws a `Problem`. `state` may be a comma-separated list.
    public init(query: String?) throws {
        let items = try QueryItems(query)
        try items.refuseKeys(besides: ["role", "printer", "state", "since", "until", "name", "limit", "before"])
        role = try items.value("role", write: "a role's name") { RoleName(rawValue: $0) }
        printer = try items.value("printer", write: "a printer's id") { PrinterID(rawValue: $0) }
        let names = JobState.allCases.map(\.rawValue).joined(separator: ", ")
        states =
            try items.value("state", write: "states with commas between, of \(names)") { text in
                QueryItems.list(text) { JobState(rawValue: $0) }
            } ?? []
        let now = Timestamp.now
        since = try items.value("since", write: TimeNotation.forms) { TimeNotation.parse($0, at: now) }
        until = try items.value("until", write: TimeNotation.forms) { TimeNotation.parse($0, at: now) }
        name = try items.value("name", write: "a part of the name, of 1 to \(APILimits.maximumName) bytes") {
            (1...APILimits.maximumName).contains($0.utf8.count) ? $0 : nil
        }
        limit =
            try items.value("limit", write: "a number from 1 to \(APILimits.maximumPage)") {
                Int(digits: $0, in: 1...APILimits.maximumPage)
            } ?? APILimits.standardPage
        before = try items.value("before", write: "a job's id") { Int(digits: $0, in: 1...Int.max) }.map(Int64.init)
    }

    /// The path of a request with this filter.
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

/// The response to `GET /v1/jobs`, newest first.
public struct JobList: Hashable, Sendable, Codable {
    /// The jobs, newest first.
    public var jobs: [Job]
    /// The value of `before` that gives the next page; nil on the last page.
    public var next: Job.ID?

    public init(jobs: [Job], next: Job.ID? = nil) {
        self.jobs = jobs
        self.next = next
    }
}
