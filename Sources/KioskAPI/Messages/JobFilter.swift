import Glibc
public import PrintModel

/// The jobs that `GET /v1/jobs` lists, newest first: those that match every condition.
public struct JobFilter: Hashable, Sendable {
    public var role: RoleName?
    public var printer: PrinterID?
    /// The states of which a job must have one; empty means any state.
    public var states: [JobState] = []
    /// The time at or after which the job was accepted.
    public var since: Timestamp?
    /// The time before which the job was accepted.
    public var until: Timestamp?
    /// A part of the job's name; a to z match in either case.
    public var name: String?
    /// The most jobs in the response, 1 to `APILimits.maximumPage`.
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
    public var jobs: [Job]
    /// The value of `before` that gives the next page; nil on the last page.
    public var next: Job.ID?

    public init(jobs: [Job], next: Job.ID? = nil) {
        self.jobs = jobs
        self.next = next
    }
}

/// Reads points in time as people write them: `10m` for ten minutes ago, `today`, or a date.
public enum JobMoment {
    /// The accepted forms, for error messages.
    public static let forms =
        "a time ago such as 30s, 10m, 2h or 7d, today or yesterday, or a time such as 2026-03-14 or 2026-03-14T09:30:00Z"

    /// The current time of the wall clock.
    public static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(millisecondsSince1970: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// Reads a text in one of `forms`, else returns nil. Days begin at midnight in this process's time zone (`TZ`).
    public static func parse(_ text: String, at now: Timestamp) -> Timestamp? {
        switch text {
        case "today": return midnight(daysAgo: 0, at: now)
        case "yesterday": return midnight(daysAgo: 1, at: now)
        default: break
        }
        // A number alone could be seconds, minutes or a year: it needs a unit.
        if text.utf8.count <= 12, text.last?.isLetter == true, let seconds = Duration.seconds(of: text) {
            return now.advanced(bySeconds: -seconds)
        }
        return Timestamp(text) ?? day(text)
    }

    /// The beginning of a day such as `2026-03-14`.
    private static func day(_ text: String) -> Timestamp? {
        // `Timestamp` knows the rules of the calendar, such as leap days.
        guard text.utf8.count == 10, Timestamp("\(text)T00:00:00Z") != nil else { return nil }
        let parts = text.split(separator: "-").compactMap { CInt($0) }
        guard parts.count == 3 else { return nil }
        var time = tm()
        (time.tm_year, time.tm_mon, time.tm_mday) = (parts[0] - 1900, parts[1] - 1, parts[2])
        return moment(&time)
    }

    private static func midnight(daysAgo days: CInt, at now: Timestamp) -> Timestamp? {
        var (second, time) = (time_t(now.millisecondsSince1970 / 1000), tm())
        guard localtime_r(&second, &time) != nil else { return nil }
        (time.tm_hour, time.tm_min, time.tm_sec) = (0, 0, 0)
        time.tm_mday -= days
        return moment(&time)
    }

    /// The timestamp of a local time. mktime(3) normalises days before the first of a month.
    private static func moment(_ time: inout tm) -> Timestamp? {
        time.tm_isdst = -1
        let second = mktime(&time)
        return second == -1 ? nil : Timestamp(millisecondsSince1970: Int64(second) * 1000)
    }
}
