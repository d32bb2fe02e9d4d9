import ArgumentParser
import KioskAPIMessages
import KioskBlockingClient
import KioskTerminal

struct ReloadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Read the registry file again.",
        discussion: """
            A file with errors is refused with all of them, and the last good registry stays in force.

            EXAMPLES
              kioskctl reload
            """
    )

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func run() throws {
        try connection.client.perform(.reloadRegistry())
        try output.json ? Console.write(json: ["reloaded": true]) : Console.writeLine("the registry is reloaded")
    }
}
