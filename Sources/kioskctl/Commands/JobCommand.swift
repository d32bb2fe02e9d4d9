internal import ArgumentParser
internal import KioskAPI
internal import PrintModel

struct JobCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "job",
        abstract: "Show all that is known of a job.",
        discussion: """
            EXAMPLES
              kioskctl job 12
              kioskctl job 12 --json
            """
    )

    @Argument(help: ArgumentHelp("The job's number.", valueName: "job"), completion: Completion.jobs)
    var id: Job.ID

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let job = try await connection.client.job(id)
        if output.json { return try Console.write(json: job) }
        Console.write(JobText.details(job))
    }
}
