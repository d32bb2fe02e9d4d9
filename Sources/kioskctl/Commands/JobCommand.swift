internal import ArgumentParser
internal import KioskAPI
internal import PrintModel
internal import Terminal

struct JobCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "job",
        abstract: "Show all that is known of a job, or wait for its outcome.",
        discussion: """
            With --wait it says how the job ended, and ends with the same exit codes as `print --wait`.

            EXAMPLES
              kioskctl job 12
              kioskctl job 12 --json
              kioskctl job 12 --wait --timeout 20
            """
    )

    @Argument(help: ArgumentHelp("The job's number.", valueName: "job"), completion: Completion.jobs)
    var id: Job.ID

    @Flag(help: "Wait until the job is settled.")
    var wait = false

    @Option(help: ArgumentHelp("Seconds to wait at most; else as long as it takes.", valueName: "seconds"))
    var timeout: Int?

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func validate() throws { try JobWaiting.validate(timeout: timeout, wait: wait) }

    func run() async throws {
        let (client, id) = (connection.client, id)
        let job = try await client.job(id)
        guard !wait else { return try await waitForOutcome(of: job, client) }
        if output.json { return try Console.write(json: job) }
        Console.write(JobText.details(job))
    }

    private func waitForOutcome(of job: Job, _ client: KioskClient) async throws {
        let waiting = JobWaiting(client: client, output: output, timeout: timeout)
        let code: ExitCode
        do {
            code = try await Interruption.cancelling { try await waiting.outcome(of: job) }
        } catch is CancellationError {
            throw CommandFailure(message: JobWaiting.interruption([job.id]), code: ExitStatus.interrupted)
        }
        if code != .success { throw code }
    }
}
