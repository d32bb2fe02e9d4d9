import ArgumentParser
import FoundationEssentials
import Glibc
import KioskAsyncPrimitives
import KioskFleet
import KioskTerminal

/// `kioskctl simulate fleet`: many kiosks in one process, to try a hub.
struct SimulateFleetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Run many simulated kiosks at a hub until Ctrl-C.",
        discussion: """
            Each kiosk is a site of its own: it connects, takes its jobs in order, reports them accepted and then ended, \
            and tells how it is each minute, with the code of kioskd. Its queue and its records are in memory, so that \
            it begins as a new machine each time. `kioskctl simulate fleet` is the same command.

            Shows counts on a terminal, and a summary at the end. Doubled are jobs that \
            came out on paper twice, and out of order are those whose key ends with a lower number than the key of one \
            that was printed before at the same site.

            Each connection has two threads and an open file, and libnats slows down with the connections of a process: \
            run some 500 sites in each, and start another with --first.

            EXAMPLES
              kioskctl simulate fleet --sites 100 --hub nats://127.0.0.1:4222
              kioskctl simulate fleet --sites 500 --first 500 --json
              kioskctl fleet print receipt.txt --site site-0042 --role receipt

            EXIT CODES
              0    ended by Ctrl-C, with no job doubled or out of order
              1    a job was doubled or out of order
            """
    )

    @Option(help: ArgumentHelp("How many sites.", valueName: "n"))
    var sites = 10

    @Option(help: ArgumentHelp("The number of the first site.", valueName: "number"))
    var first = 0

    @Option(help: ArgumentHelp("What the sites' names begin with, before their numbers.", valueName: "text"))
    var prefix = "site-"

    @Option(help: ArgumentHelp("Seconds from a job's acceptance to its paper.", valueName: "seconds"))
    var printAfter = 1.0

    @Flag(help: "Write the counts as a line of JSON each second.")
    var json = false

    @OptionGroup(title: "Hub") var hub: HubOptions

    private static let maximumSites = 10_000

    func validate() throws {
        guard (1...Self.maximumSites).contains(sites) else {
            throw ValidationError("--sites is \(sites); write 1 to \(Self.maximumSites).")
        }
        guard (0...999_999).contains(first) else {
            throw ValidationError("--first is \(first); write a number from 0 to 999999.")
        }
        guard printAfter >= 0, printAfter <= 3600 else {
            throw ValidationError("--print-after is \(printAfter); write seconds from 0 to 3600.")
        }
    }

    /// How often the counts are shown, and how often a signal is looked for.
    private static let interval: Duration = .seconds(1)
    private static let pollInterval: Duration = .milliseconds(100)

    func run() async throws {
        let signals = StopSignals()
        await signals.watch()
        try raiseFileLimit()
        let fleet = try SimulatedFleet(
            prefix: prefix, numbers: first..<first + sites, hub: try hub.linkOptions(), printTime: .seconds(printAfter))
        try await hub.withHub { _ in }
        let begin = ContinuousClock.now
        try await withThrowingTaskGroup { group in
            group.addTask { try await fleet.run() }
            group.addTask { try await showCounts(of: fleet, since: begin, until: signals) }
            defer { group.cancelAll() }
            try await group.next()
            // The sites end with the process: closing ten thousand connections one by one would take a while.
            try finish(SimulationState(fleet, since: begin, isOver: true))
        }
    }

    /// Returns after a signal.
    private func showCounts(
        of fleet: SimulatedFleet, since begin: ContinuousClock.Instant, until signals: StopSignals
    ) async throws {
        var next = begin + Self.interval
        while !signals.hasCome {
            try await Task.sleep(for: Self.pollInterval)
            guard ContinuousClock.now >= next else { continue }
            next = max(next + Self.interval, .now)
            let state = SimulationState(fleet, since: begin, isOver: false)
            if json { Console.writeLine(json: try state.json()) } else { Console.progress(state.line) }
        }
    }

    /// Ends the program with the summary.
    private func finish(_ state: SimulationState) throws -> Never {
        Console.progress("")
        if json { Console.writeLine(json: try state.json()) } else { Console.write(state.summary) }
        Glibc.exit(state.doubled + state.outOfOrder == 0 ? 0 : ExitStatus.failed.rawValue)
    }

    /// Each connection is an open file.
    private func raiseFileLimit() throws {
        var limit = rlimit()
        let wanted = rlim_t(sites) + Self.otherFiles
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < wanted else {
            return
        }
        limit.rlim_cur = min(wanted, limit.rlim_max)
        guard limit.rlim_cur >= wanted, setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            throw CommandFailure(
                message:
                    "\(sites) sites need \(wanted) open files, and this process may have \(limit.rlim_max); take fewer --sites, or raise the limit with `ulimit -n`"
            )
        }
    }

    private static let otherFiles: rlim_t = 64
}

/// What a simulation shows: its counts at one moment.
struct SimulationState: Encodable {
    var seconds: Int
    var sites: Int
    var connected: Int
    var taken: Int
    var repeated: Int
    var printed: Int
    var refused: Int
    var reportedAccepted: Int
    var reportedEnd: Int
    var doubled: Int
    var outOfOrder: Int
    var problems: Int
    var lastProblem: String?
    /// Whether it is the summary.
    var isOver: Bool

    init(_ fleet: SimulatedFleet, since begin: ContinuousClock.Instant, isOver: Bool) {
        let counts = fleet.counts.current
        seconds = Int(begin.duration(to: .now).components.seconds)
        (sites, connected) = (fleet.siteCount, fleet.connectedCount)
        (taken, repeated) = (counts.taken, counts.repeated)
        (printed, refused) = (counts.printed, counts.refused)
        (reportedAccepted, reportedEnd) = (counts.reportedAccepted, counts.reportedEnd)
        (doubled, outOfOrder) = (counts.doubled, counts.outOfOrder)
        (problems, lastProblem, self.isOver) = (counts.problems, counts.lastProblem, isOver)
    }

    func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self))
    }

    var line: String {
        """
        \(connected) of \(sites) connected; \(taken) taken, \(printed) printed, \(refused) refused, \
        \(reportedEnd) reported; \(doubled) doubled, \(outOfOrder) out of order
        """
    }

    var summary: String {
        var table = Table([.init(heading: "AFTER \(seconds) S"), .init(heading: "")])
        let rows = [
            ("sites", sites), ("connected", connected), ("taken", taken), ("repeated", repeated),
            ("printed", printed), ("refused", refused), ("reported accepted", reportedAccepted),
            ("reported ended", reportedEnd), ("doubled", doubled),
            ("out of order", outOfOrder), ("problems", problems),
        ]
        for (name, count) in rows { table.add([.init(name), .init("\(count)")]) }
        let problem = lastProblem.map { "last problem: \($0.terminalEscaped)\n" } ?? ""
        return table.text(.current) + problem
    }

    enum CodingKeys: String, CodingKey {
        case seconds, sites, connected, taken, repeated, printed, refused
        case reportedAccepted = "reported-accepted"
        case reportedEnd = "reported-end"
        case doubled
        case outOfOrder = "out-of-order"
        case problems
        case lastProblem = "last-problem"
        case isOver = "is-over"
    }
}
