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
            kioskd looks, since it is kioskd that must be able to open them. Each printer is shown with the command that saves it.

            EXAMPLES
              kioskctl discover --usb
              kioskctl discover --usb --json
            """
    )

    @Flag(help: "Printers on the USB bus.")
    var usb = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        guard usb else { throw ValidationError("Say where to look: --usb") }
    }

    func run() throws {
        var filter = DiscoveryFilter()
        filter.scheme = .usb
        let printers = try connection.client.perform(.discoveredPrinters(filter)).printers
        if output.json { return try Console.write(json: DiscoveredPrinterList(printers: printers)) }
        Console.write(printers.map { DiscoveryText.details($0) }.joined(separator: "\n"))
        if printers.isEmpty {
            Console.writeMessage("kioskd sees no printer on the USB bus; check its cable and whether it is switched on")
        }
    }
}

/// Formats discovered printers for people.
enum DiscoveryText {
    static func details(_ printer: DiscoveredPrinter, _ style: Style = .current) -> String {
        var details = Details(printer.makeAndModel)
        details.add("url", printer.url.description)
        details.add("port", printer.port)
        details.add("job types", printer.jobTypes?.keywords.joined(separator: ", ") ?? "unknown")
        details.add("speaks", printer.hasIPPOverUSB ? "IPP over USB" : nil)
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
        return words.isEmpty ? "free" : words.joined(separator: "; ")
    }

    private static func color(_ printer: DiscoveredPrinter) -> Style.Color {
        !printer.isAccessible || printer.owner == .program ? .red : .green
    }

    /// The command that saves the printer. The URL comes from the printer, and is quoted for the shell.
    private static func command(_ printer: DiscoveredPrinter) -> String {
        let url = printer.url.description.split(separator: "'", omittingEmptySubsequences: false).joined(
            separator: #"'\''"#)
        return "kioskctl printers add \(printer.suggestedID) '\(url)'"
    }
}
