import ArgumentParser
import KioskAPI

struct ReleaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release",
        abstract: "Print held jobs again, after a look at the paper.",
        discussion: """
            A job whose fate cannot be known is held where printing twice would do harm. This says: print it again. \
            One's own jobs; everybody's for operators, and where the queue is shared.

            EXAMPLES
              kioskctl jobs --state pending-held
              kioskctl release 12
            """
    )

    @OptionGroup var jobs: JobActions

    func run() async throws { try await jobs.run { try await $0.release($1) } }
}
