import ArgumentParser
import Glibc
import KioskSimulatedPrinter
import KioskTerminal

/// A simulated IPP printer on loopback, to try things out without paper. `kioskctl simulate` replaces itself with this
/// program.
@main
struct Simulate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        // The name that users type.
        commandName: "kioskctl simulate",
        abstract: "Run a simulated printer on loopback until Ctrl-C.",
        discussion: """
            Prints its URL on the first line, takes jobs over IPP, and shows what comes out on paper. While it runs, \
            type what happens to it, a line each, or send the lines with
            `curl --data-binary 'paper out' http://localhost:PORT/control` (with TLS: `--insecure` and https://):

            \(PrinterCommand.help.map { "  \($0.words)\n      \($0.meaning)" }.joined(separator: "\n"))
              quit
                  end

            With --raw: \(SimulatedRawPrinter.Command.help.map(\.words).joined(separator: ", ")).

            EXAMPLES
              kioskctl simulate
              kioskctl simulate --kind laser --port 8631 --save received
              kioskctl simulate --slow 200 --json
              kioskctl simulate --paper drawn
              kioskctl simulate --kind office --paper drawn
              kioskctl simulate --raw 9100 --paper drawn
              kioskctl simulate --tls --save received --user till --password-file password --login digest
              kioskctl simulate draw receipt.bin --output receipt.png
              kioskctl simulate fleet --sites 100 --hub nats://127.0.0.1:4222
            """,
        subcommands: [DrawCommand.self]
    )

    @Option(help: "What it pretends to be: \(SimulatedPrinterKind.allCases.map(\.rawValue).joined(separator: ", ")).")
    var kind = SimulatedPrinterKind.receipt

    @Option(help: ArgumentHelp("The port on localhost; 0 takes a free one.", valueName: "number"))
    var port = 0

    @Option(
        help: ArgumentHelp(
            "Be a printer that takes raw data over TCP at this port in place of IPP; 0 takes a free one.",
            valueName: "port"))
    var raw: Int?

    @Option(
        help: ArgumentHelp(
            "With --raw, what it answers in: \(RawPrinterLanguage.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "language"))
    var language = RawPrinterLanguage.escPOS

    @Option(
        help: ArgumentHelp(
            "With --raw and the language star, respond with the status at this port, whoever prints; 0 takes a free one.",
            valueName: "port"))
    var statusPort: Int?

    @Option(
        help: ArgumentHelp(
            "With --raw, close the connection of a client that has sent nothing for so many seconds.",
            valueName: "seconds"))
    var idle: Int?

    @Option(help: ArgumentHelp("Its name.", valueName: "text"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "Keep the documents in this folder, as they came; else they go when it ends.", valueName: "folder"),
        completion: .directory)
    var save: String?

    @Option(
        name: .customLong("paper"),
        help: ArgumentHelp(
            "Draw what comes out into this folder: PNG pictures, and a text that lists the commands or sides, for each document.",
            valueName: "folder"),
        completion: .directory)
    var paperFolder: String?

    @OptionGroup(title: "Paper") var paper: PaperOptions

    @Option(help: ArgumentHelp("Print for so many milliseconds per KB.", valueName: "milliseconds"))
    var slow = 0

    @OptionGroup(title: "Security") var security: SecurityOptions

    @Flag(help: "Show nothing but the URL.")
    var quiet = false

    @Flag(help: "One line of JSON for each event.")
    var json = false

    static func main() async {
        do {
            var command = try await asyncParseAsRoot()
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
        } catch {
            end(error)
        }
    }

    /// Ends the program. Help goes to standard output; errors go to standard error, in kioskctl's form.
    private static func end(_ error: any Error) -> Never {
        let code = exitCode(for: error)
        let message = fullMessage(for: error)
        if code == .success {
            Console.writeLine(message)
        } else if message.hasPrefix("Error: ") {
            Console.writeError("kioskctl: \(message.dropFirst("Error: ".count))\n")
        } else if !message.isEmpty {
            Console.writeError("\(message)\n")
        }
        Glibc.exit(code.rawValue)
    }

    func validate() throws {
        guard (0...65535).contains(port) else { throw ValidationError("--port is a number from 0 to 65535.") }
        guard raw.map({ (0...65535).contains($0) }) ?? true else {
            throw ValidationError("--raw is a number from 0 to 65535.")
        }
        guard raw != nil || statusPort == nil && idle == nil else {
            throw ValidationError("--status-port and --idle need --raw.")
        }
        guard statusPort == nil || language == .star, statusPort.map({ (0...65535).contains($0) }) ?? true else {
            throw ValidationError("--status-port is a number from 0 to 65535, and needs --language star.")
        }
        guard idle.map({ (1...86_400).contains($0) }) ?? true else {
            throw ValidationError("--idle is a number of seconds from 1 to 86400.")
        }
        guard (0...3_600_000).contains(slow) else { throw ValidationError("--slow is a number from 0 to 3600000.") }
    }

    func run() async throws {
        if let raw {
            let simulation = RawSimulation(
                port: raw, language: language, statusPort: statusPort, idle: idle, isQuiet: quiet, json: json)
            return try await simulation.run(in: paperFolder, paper)
        }
        var options = SimulatedPrinter.Options(kind)
        options.name = name ?? "Simulated \(kind.rawValue) printer"
        options.port = port
        options.folder = save
        options.condition.timePerKilobyte = .milliseconds(slow)
        try security.apply(to: &options)
        let folder = try paperFolder.map { try PaperFolder($0, paper, sheets: kind.sheets) }
        // Bounded, in case nobody reads the output: the oldest events are dropped.
        let (inputs, sender) = AsyncStream.makeStream(of: SimulationInput.self, bufferingPolicy: .bufferingNewest(4096))
        let printer = try await SimulatedPrinter.start(options) { sender.yield(.event($0)) }
        let view: any SimulationView = json ? SimulationJSON() : SimulationText(kind: kind, isQuiet: quiet)
        view.started(printer, try await printer.certificate)
        let sources = SimulationSources(sender)
        loop: for await input in inputs {
            switch input {
            case .event(let event):
                view.show(event)
                do { try folder?.show(event) } catch { view.showError("\(error)") }
            case .line(let line) where Self.endings.contains(line.filter { !$0.isWhitespace }): break loop
            case .line(let line): await perform(line, on: printer, view)
            case .stop: break loop
            case .rawEvent: break
            }
        }
        sources.cancel()
        try await printer.stop()
    }

    static let endings = ["quit", "exit"]

    private func perform(_ line: String, on printer: SimulatedPrinter, _ view: any SimulationView) async {
        guard line.contains(where: { !$0.isWhitespace }) else { return }
        guard let command = PrinterCommand(line) else {
            view.showError("\"\(line)\" is not a command; see `kioskctl simulate --help`")
            return
        }
        do {
            try await printer.perform(command)
        } catch {
            view.showError("\(error)")
        }
    }
}

extension SimulatedPrinterKind: ExpressibleByArgument {}
