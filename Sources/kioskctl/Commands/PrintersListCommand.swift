import ArgumentParser
import KioskAPI
import PrintModel
import Terminal

struct PrintersListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List saved printers and how they do.",
        discussion: """
            EXAMPLES
              kioskctl printers list
              kioskctl printers list --job-type receipt --available
              kioskctl printers list --role receipt --json
            """
    )

    @Option(
        help: ArgumentHelp("Only printers that do all of these job types, with commas between.", valueName: "types"),
        completion: Completion.jobTypes, transform: Arguments.jobTypes)
    var jobType: JobTypes?

    @Flag(help: "Only printers that would take a job now.")
    var available = false

    @Option(
        name: .shortAndLong, help: ArgumentHelp("Only the printers of this role, in its order.", valueName: "role"),
        completion: Completion.roles, transform: Arguments.role)
    var role: RoleName?

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        var filter = PrinterFilter()
        filter.jobTypes = jobType ?? []
        filter.available = available ? true : nil
        filter.role = role
        let printers = try await connection.client.printers(filter)
        if output.json { return try Console.write(json: PrinterList(printers: printers)) }
        Console.write(PrinterText.table(printers))
        if printers.isEmpty { Console.note("no such printer is saved; save one with `kioskctl printers add`") }
    }
}
