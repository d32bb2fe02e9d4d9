import ArgumentParser
import KioskAPI

struct CancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancel jobs.",
        discussion: """
            What is on paper stays there: the job then tells that paper may have come out. \
            One's own jobs; everybody's for operators, and where the queue is shared.

            EXAMPLES
              kioskctl cancel 12
              kioskctl cancel 12 13 14
            """
    )

    @OptionGroup var jobs: JobActions

    func run() async throws { try await jobs.run { try await $0.cancel($1) } }
}
