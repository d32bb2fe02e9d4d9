import ArgumentParser
import KioskAPIMessages
import KioskBlockingClient
import KioskPrintModel
import KioskTerminal

struct AuditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Show who changed what, who logged in, and who was denied.",
        discussion: """
            The newest entries come first. --verbose adds how the object was before and after.

            EXAMPLES
              kioskctl audit
              kioskctl audit --limit 20 --verbose
              kioskctl audit --json
            """
    )

    @Option(help: ArgumentHelp("The most entries, 1 to 100000.", valueName: "n"))
    var limit = APILimits.standardPage

    @Flag(name: .shortAndLong, help: "Show each entry with the state before and after.")
    var verbose = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        guard (1...100_000).contains(limit) else { throw ValidationError("--limit is a number from 1 to 100000.") }
    }

    func run() throws {
        var entries: [AuditRecord] = []
        var query = AuditQuery()
        repeat {
            query.limit = min(limit - entries.count, APILimits.maximumPage)
            let page = try connection.client.perform(.audit(query))
            entries += page.entries
            query.before = page.next
        } while query.before != nil && entries.count < limit
        if output.json { return try Console.write(json: AuditPage(entries: entries, next: query.before)) }
        if entries.isEmpty { Console.writeMessage("the audit has no entries yet") }
        Console.write(
            verbose ? entries.map { AuditText.details($0) }.joined(separator: "\n") : AuditText.table(entries))
    }
}

/// Formats entries of the audit for people. Names and messages in them come from whoever sent them.
enum AuditText {
    static func table(_ entries: [AuditRecord], _ style: Style = .current) -> String {
        var table = Table([
            .init(heading: "ID", isNumber: true), .init(heading: "TIME"), .init(heading: "WHO"),
            .init(heading: "FROM"), .init(heading: "ACTION"), .init(heading: "OBJECT"), .init(heading: "OUTCOME"),
            .init(heading: "MESSAGE"),
        ])
        for entry in entries {
            table.add([
                .init(String(entry.id)), .init(entry.time.description), .init(entry.actor), .init(entry.address),
                .init(entry.action), .init(entry.object), .init(entry.outcome, color(entry)), .init(entry.message),
            ])
        }
        return table.text(style)
    }

    static func details(_ entry: AuditRecord, _ style: Style = .current) -> String {
        var details = Details("\(entry.id)")
        details.add("time", entry.time.description)
        details.add("who", entry.actor)
        details.add("from", entry.address)
        details.add("action", entry.action)
        details.add("object", entry.object)
        details.add("outcome", entry.outcome, color(entry))
        details.add("before", entry.before)
        details.add("after", entry.after)
        details.add("message", entry.message)
        return details.text(style)
    }

    private static func color(_ entry: AuditRecord) -> Style.Color? {
        entry.outcome == "done" ? nil : entry.outcome == "denied" ? .yellow : .red
    }
}
