import ArgumentParser
import KioskAPIMessages
import KioskBlockingClient
import KioskPrintModel
import KioskTerminal

struct JobsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jobs",
        abstract: "List jobs, newest first.",
        discussion: """
            EXAMPLES
              kioskctl jobs --limit 10
              kioskctl jobs --role receipt --state pending,processing
              kioskctl jobs --since 2h --name invoice
              kioskctl jobs --since yesterday --until today --state aborted,canceled
              kioskctl jobs --printer till-1 --json

            A time is a time ago (30s, 10m, 2h, 7d), today or yesterday, a day such as 2026-03-14, or the time that \
            CREATED shows. Other users' jobs are listed without name and content, unless the queue is shared or you are an \
            operator.
            """
    )

    @Option(
        name: .shortAndLong, help: ArgumentHelp("Only jobs sent to this role.", valueName: "role"),
        completion: Completion.roles, transform: Arguments.role)
    var role: RoleName?

    @Option(
        name: .shortAndLong, help: ArgumentHelp("Only jobs of this printer.", valueName: "id"),
        completion: Completion.printers, transform: Arguments.printer)
    var printer: PrinterID?

    @Option(
        help: ArgumentHelp("Only jobs in these states, with commas between.", valueName: "states"),
        completion: Completion.states, transform: Arguments.states)
    var state: [JobState]?

    @Option(
        help: ArgumentHelp("Only jobs accepted then or later, such as 10m, 2h or today.", valueName: "time"),
        completion: Completion.moments, transform: Arguments.moment)
    var since: Timestamp?

    @Option(
        help: ArgumentHelp("Only jobs accepted before then.", valueName: "time"),
        completion: Completion.moments, transform: Arguments.moment)
    var until: Timestamp?

    @Option(help: ArgumentHelp("Only jobs with this in their name; a to z in any case.", valueName: "text"))
    var name: String?

    @Option(help: ArgumentHelp("How many, 1 to 1000.", valueName: "n"))
    var limit = 20

    @Option(help: ArgumentHelp("Only jobs before this one.", valueName: "job"))
    var before: Job.ID?

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        if let name, name.isEmpty { throw ValidationError("--name is empty; write a part of the name.") }
        guard (1...APILimits.maximumPage).contains(limit) else {
            throw ValidationError("--limit is \(limit); write a number from 1 to \(APILimits.maximumPage).")
        }
    }

    func run() throws {
        var filter = JobQuery()
        filter.role = role
        filter.printer = printer
        filter.states = state ?? []
        filter.since = since
        filter.until = until
        filter.name = name
        filter.limit = limit
        filter.before = before
        let list = try connection.client.perform(.jobs(filter))
        if output.json { return try Console.write(json: list) }
        Console.write(JobText.table(list.jobs))
        if let next = list.next, Console.isOutputTerminal { Console.writeMessage("older ones: add --before \(next)") }
    }
}

struct JobCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "job",
        abstract: "Show all that is known of a job, or wait for its outcome.",
        discussion: """
            With --wait it says how the job ended, and ends with the same exit codes as `print --wait`.

            EXAMPLES
              kioskctl job 12
              kioskctl job 12 --timeline
              kioskctl job 12 --json
              kioskctl job 12 --wait --timeout 20
            """
    )

    @Argument(help: ArgumentHelp("The job's number.", valueName: "job"), completion: Completion.jobs)
    var id: Job.ID

    @Flag(help: "Show every step of its life, with times and evidence.")
    var timeline = false

    @Flag(help: "Wait until the job is settled.")
    var wait = false

    @Option(help: ArgumentHelp("Seconds to wait at most; else as long as it takes.", valueName: "seconds"))
    var timeout: Int?

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        guard !timeline || !wait else { throw ValidationError("--timeline shows what is known now; leave --wait out.") }
        try JobWaiting.validate(timeout: timeout, wait: wait)
    }

    func run() throws {
        let client = try connection.client
        if timeline {
            let timeline = try client.perform(.timeline(of: id))
            return try output.json ? Console.write(json: timeline) : Console.write(TimelineText.table(timeline))
        }
        let job = try client.job(id)
        if wait { return try JobWaiting.showOutcomes(of: [job], client, output, timeout: timeout) }
        if output.json { return try Console.write(json: job) }
        Console.write(JobText.details(job))
    }
}
