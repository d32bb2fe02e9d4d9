import ArgumentParser
import KioskAPIMessages
import KioskBlockingClient
import KioskPrintModel
import KioskTerminal

struct PrintersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "printers",
        abstract: "List, save, contact, probe, test, identify, trace, trust and remove printers.",
        subcommands: [
            PrintersListCommand.self, PrintersShowCommand.self, PrintersAddCommand.self, PrintersRemoveCommand.self,
            PrintersContactCommand.self, PrintersTestCommand.self, PrintersIdentifyCommand.self,
            PrintersTraceCommand.self, PrintersTrustCommand.self, PrintersProbeCommand.self,
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

    var client: BlockingClient { get throws { try connection.client } }

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
        let (client, id) = (try printer.client, printer.id)
        let status = try Interruption.cancelling { try client.perform(.contact(id)) }
        try printer.write(status)
        guard status.availability.state != .unreachable else { throw ExitStatus.failed }
    }
}

struct PrintersIdentifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identify",
        abstract: "Have a printer show which one it is: by light, sound or a message.",
        discussion: """
            For root, kioskd's own user and members of its --admin-group and --operator-group. The printer decides how it \
            shows itself among what it can do; printers that are driven with raw data, and those behind ssh+lpr://, cannot.

            EXAMPLES
              kioskctl printers identify till-1
              kioskctl printers identify office --message "this one needs toner"
            """
    )

    @OptionGroup var printer: NamedPrinter

    @Option(help: ArgumentHelp("What it shows on its panel, where it has one.", valueName: "text"))
    var message: String?

    func run() throws {
        let (client, id) = (try printer.client, printer.id)
        let parameters = IdentifyParameters(message: message)
        let result = try Interruption.cancelling { try client.perform(.identify(id, parameters)) }
        if printer.output.json { return try Console.write(json: result) }
        let actions = result.actions.isEmpty ? "as it does" : result.actions.joined(separator: ", ")
        Console.writeLine("\(id) was asked to show which one it is: \(actions)".terminalEscaped)
        if message != nil, !result.actions.contains("display"), !result.actions.contains("speak") {
            Console.writeMessage("\(id) has no way to show a message: it was left out")
        }
    }
}
