import ArgumentParser
import KioskAPIMessages
import KioskBlockingClient
import KioskPrintModel
import KioskTerminal

struct PrintersTestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Print what shows how a printer is set up.",
        discussion: """
            A printer for receipts or labels prints its width, its characters, styles and codes, and cuts; one for \
            documents its printable area, greys, colours and lines, on both sides where it can. It is a job as any \
            other, and ends with the same exit codes. --drawer is for those who may open the drawer.

            EXAMPLES
              kioskctl printers test till-1 --wait
              kioskctl printers test till-1 --drawer
            """
    )

    @OptionGroup var printer: NamedPrinter

    @Flag(help: "Open the cash drawer as well.")
    var drawer = false

    @Flag(help: "Wait until the job is settled.")
    var wait = false

    @Option(help: ArgumentHelp("Seconds to wait at most; else as long as it takes.", valueName: "seconds"))
    var timeout: Int?

    func validate() throws { try JobWaiting.validate(timeout: timeout, wait: wait) }

    func run() throws {
        let client = try printer.client
        var parameters = TestPrintParameters()
        parameters.drawer = drawer
        let job = try client.perform(.testPrint(on: printer.id, parameters))
        for remark in job.remarks ?? [] { Console.writeMessage(remark) }
        if wait {
            return try JobWaiting.showOutcomes(
                of: JobWaiting.groupMembers(of: job), client, printer.output, timeout: timeout)
        }
        try printer.output.json
            ? Console.write(json: job, oneLine: true) : Console.writeLine(JobText.acceptance(job).terminalEscaped)
    }
}
