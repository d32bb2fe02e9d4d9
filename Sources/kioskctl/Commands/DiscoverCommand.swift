import ArgumentParser
import KioskAPI
import PrintModel
import Terminal

struct DiscoverCommand: AsyncParsableCommand {
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

    func run() async throws {
        var filter = DiscoveryFilter()
        filter.scheme = .usb
        let printers = try await connection.client.discoveredPrinters(filter)
        if output.json { return try Console.write(json: DiscoveredPrinterList(printers: printers)) }
        Console.write(printers.map { DiscoveryText.details($0) }.joined(separator: "\n"))
        if printers.isEmpty {
            Console.note("kioskd sees no printer on the USB bus; check its cable and whether it is switched on")
        }
    }
}
