import ArgumentParser
import KioskAPI
import PrintModel
import Terminal

/// Doing the same to several jobs: each is tried, and each refusal told, before the command fails.
struct JobActions: ParsableArguments {
    @Argument(help: ArgumentHelp("The jobs' numbers.", valueName: "job"), completion: Completion.jobs)
    var ids: [Job.ID]

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func run(_ action: (KioskClient, Job.ID) async throws -> Job) async throws {
        let client = connection.client
        var failures: [ExitCode] = []
        for id in ids {
            do {
                let job = try await action(client, id)
                try output.json
                    ? Console.write(json: job, oneLine: true) : Console.writeLine(JobText.outcome(job).shown)
            } catch let error as KioskClientError where error.code == .refused {
                Console.note(error.message)
                failures.append(error.problem?.code == .notAllowed ? ExitStatus.noPermission : ExitStatus.failed)
            }
        }
        if let first = failures.first { throw failures.allSatisfy { $0 == first } ? first : ExitStatus.failed }
    }
}
