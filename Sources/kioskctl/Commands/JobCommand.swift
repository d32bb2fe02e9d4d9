import ArgumentParser
import KioskAPI
import PrintModel
import Terminal

struct JobCommand: AsyncParsableCommand {
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

    func run() async throws {
        let client = connection.client
        if timeline {
            let timeline = try await client.timeline(of: id)
            return try output.json ? Console.write(json: timeline) : Console.write(TimelineText.table(timeline))
        }
        let job = try await client.job(id)
        if wait { return try await JobWaiting.finish([job], client, output, timeout: timeout) }
        if output.json { return try Console.write(json: job) }
        Console.write(JobText.details(job))
    }
}
