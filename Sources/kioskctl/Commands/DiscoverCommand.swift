import ArgumentParser
import KioskAPIMessages
import KioskBlockingClient
import KioskPrintModel
import KioskTerminal

struct DiscoverCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discover",
        abstract: "Look for printers that are there, saved or not.",
        discussion: """
            kioskd looks, since it is kioskd that must be able to open them: on the USB bus and on the network, or only \
            where you say. Each printer is shown as it is found, with the command that saves it. On the network, \
            printers are found that announce themselves (DNS-SD) or answer a broadcast (Epson, Star, Zebra). Nothing \
            is saved, and no addresses are tried out.

            EXAMPLES
              kioskctl discover
              kioskctl discover --usb
              kioskctl discover --network --for 10s
              kioskctl discover --json
            """
    )

    @Flag(help: "Printers on the USB bus.")
    var usb = false

    @Flag(help: "Printers on the network.")
    var network = false

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How long to look at the network: up to 60s (default: 3s).", valueName: "time"),
        completion: .list(["3s", "10s", "60s"]), transform: Arguments.discoveryTime)
    var seconds: Int?

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func run() throws {
        var filter = DiscoveryFilter()
        // The bus is read at once: there is nothing to wait for, and a bus that cannot be read is an error.
        if usb, !network {
            filter.scheme = .usb
            return try show(connection.client.perform(.discoveredPrinters(filter)))
        }
        if network, !usb { filter.connection = .network }
        filter.seconds = seconds
        var results = DiscoveryResults()
        var isComplete = false
        defer { Console.progress("") }
        do {
            try Interruption.cancelling {
                Console.progress("looking for printers…")
                try connection.client.discover(filter) { event in
                    results.add(event)
                    isComplete = isComplete || event.kind == .end
                    if !output.json { show(event, isFirst: results.count == 1) }
                    Console.progress("looking for printers… \(Quantities.count(results.count, "printer", "printers"))")
                }
            }
        } catch is CancellationError {
            throw ExitStatus.interrupted
        } catch let error as KioskClientError where error.code == .connectionLost {
            isComplete = false
        }
        Console.progress("")
        guard isComplete else {
            throw CommandFailure(
                message: "kioskd stopped, and the search with it; start kioskd, then look again",
                code: ExitStatus.unavailable)
        }
        if output.json { return try Console.write(json: results.list) }
        if results.list.printers.isEmpty { Console.writeMessage(nothingFound) }
    }

    private func show(_ list: DiscoveredPrinterList) throws {
        if output.json { return try Console.write(json: list) }
        Console.write(list.printers.map { DiscoveryText.details($0) }.joined(separator: "\n"))
        if list.printers.isEmpty { Console.writeMessage(nothingFound) }
    }

    private func show(_ event: DiscoveryEvent, isFirst: Bool) {
        Console.progress("")
        if let printer = event.printer {
            Console.write((isFirst ? "" : "\n") + DiscoveryText.details(printer))
        } else if event.kind == .note, let message = event.message {
            Console.writeMessage(message)
        }
    }

    private var nothingFound: String {
        let onUSB = "kioskd sees no printer on the USB bus; check its cable and whether it is switched on"
        let onNetwork = "no printer on the network announces itself or answers; its settings page tells its address"
        guard usb != network else {
            return
                "no printer is on the USB bus, and none on the network announces itself or answers; is it switched on?"
        }
        return usb ? onUSB : onNetwork
    }
}

/// Formats discovered printers for people.
enum DiscoveryText {
    static func details(_ printer: DiscoveredPrinter, _ style: Style = .current) -> String {
        var details = Details(printer.makeAndModel)
        details.add("url", printer.url.description)
        for other in printer.otherURLs { details.add("also", other.description) }
        details.add("port", printer.port)
        details.add("address", printer.address)
        details.add("location", printer.location)
        if printer.port != nil {
            details.add("job types", printer.jobTypes?.keywords.joined(separator: ", ") ?? "unknown")
        }
        details.add("speaks", printer.hasIPPOverUSB ? "IPP over USB" : nil)
        details.add("formats", printer.formats.isEmpty ? nil : printer.formats.joined(separator: ", "))
        details.add("found by", printer.port == nil ? printer.foundBy.joined(separator: ", ") : nil)
        details.add("state", state(printer), color(printer))
        for warning in printer.warnings { details.add("warning", warning, .yellow) }
        if printer.savedAs == nil { details.add("add it", command(printer)) }
        return details.text(style)
    }

    static func state(_ printer: DiscoveredPrinter) -> String {
        let saved = printer.savedAs.map { "saved as \($0)" }
        let others: String? =
            switch printer.owner {
            case .nobody: nil
            case .daemon: saved == nil ? "open in kioskd" : nil
            case .kernelDriver: "the kernel's driver \(printer.driver ?? "usblp") has it, and gives way"
            case .program: "another program has it open; end that first"
            }
        let rights = printer.isAccessible ? nil : "kioskd may not open it"
        let words = [saved, others, rights].compactMap(\.self)
        return words.isEmpty ? (printer.port == nil ? "not saved" : "free") : words.joined(separator: "; ")
    }

    private static func color(_ printer: DiscoveredPrinter) -> Style.Color {
        !printer.isAccessible || printer.owner == .program ? .red : .green
    }

    /// The command that saves the printer. The URL comes from the printer, and is quoted for the shell.
    private static func command(_ printer: DiscoveredPrinter) -> String {
        let profile = printer.suggestedProfile.map { name in
            let isPlain = name.utf8.allSatisfy { PercentEncoding.isUnreserved($0) }
            return " --profile \(isPlain ? name : quoted(name))"
        }
        // Printers sign their own certificates: a person looks at it once (`kioskctl printers trust`).
        let trust = printer.url.scheme == .ipps ? " --trust ask" : ""
        return "kioskctl printers add \(printer.suggestedID) \(quoted(printer.url.description))\(profile ?? "")\(trust)"
    }

    private static func quoted(_ text: String) -> String {
        "'\(text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#))'"
    }
}
