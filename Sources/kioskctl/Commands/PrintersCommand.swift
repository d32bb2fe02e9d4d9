import ArgumentParser
import KioskAPIMessages
import KioskBlockingClient
import KioskPrintModel
import KioskTerminal

struct PrintersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "printers",
        abstract: "List, save, contact, trace, trust and remove printers.",
        subcommands: [
            PrintersListCommand.self, PrintersShowCommand.self, PrintersAddCommand.self, PrintersRemoveCommand.self,
            PrintersContactCommand.self, PrintersTraceCommand.self, PrintersTrustCommand.self,
        ],
        defaultSubcommand: PrintersListCommand.self
    )
}

/// The arguments of commands about one saved printer.
struct NamedPrinter: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The printer.", valueName: "id"), completion: Completion.printers,
        transform: Arguments.printer)
    var id: PrinterID

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    var client: BlockingClient { connection.client }

    func write(_ status: PrinterStatus) throws {
        try output.json ? Console.write(json: status) : Console.write(PrinterText.details(status))
    }
}

struct PrintersListCommand: ParsableCommand {
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

    func run() throws {
        var filter = PrinterFilter()
        filter.jobTypes = jobType ?? []
        filter.available = available ? true : nil
        filter.role = role
        let printers = try connection.client.perform(.printers(filter)).printers
        if output.json { return try Console.write(json: PrinterList(printers: printers)) }
        Console.write(PrinterText.table(printers))
        if printers.isEmpty { Console.writeMessage("no such printer is saved; save one with `kioskctl printers add`") }
    }
}

struct PrintersShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show all that is known of a printer.",
        discussion: """
            EXAMPLES
              kioskctl printers show till-1
            """
    )

    @OptionGroup var printer: NamedPrinter

    func run() throws {
        try printer.write(printer.client.perform(.printer(printer.id)))
    }
}

struct PrintersRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a saved printer.",
        discussion: """
            A printer that a role still names is kept: assign the role to others first.

            EXAMPLES
              kioskctl printers remove till-1
            """
    )

    @OptionGroup var printer: NamedPrinter

    func run() throws {
        try printer.client.perform(.removePrinter(printer.id))
        try printer.output.json
            ? Console.write(json: ["removed": printer.id]) : Console.writeLine("\(printer.id) is removed")
    }
}

struct PrintersContactCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "contact",
        abstract: "Ask a printer now whether it is there, and what it is.",
        discussion: """
            Ends with 1 when the printer does not answer. A printer that refused its login, or has another lasting trouble, \
            is asked again after a while: until then only root, kioskd's own user and members of its --admin-group and \
            --operator-group can have it asked; others see what the last contact told.

            EXAMPLES
              kioskctl printers contact till-1
            """
    )

    @OptionGroup var printer: NamedPrinter

    func run() throws {
        let (client, id) = (printer.client, printer.id)
        let status = try Interruption.cancelling { try client.perform(.contact(id)) }
        try printer.write(status)
        guard status.availability.state != .unreachable else { throw ExitStatus.failed }
    }
}
