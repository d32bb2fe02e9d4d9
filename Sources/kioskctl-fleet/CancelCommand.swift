import ArgumentParser
import KioskFleet
import KioskTerminal

/// `kioskctl fleet cancel`: ends a job that was sent.
struct CancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancel a job of a site.",
        discussion: """
            Returns once the hub keeps the wish, which comes to the kiosk behind the job. A job that the kiosk has \
            printed by then stays printed: the report says what became of it. A job that is sent under this key later \
            is refused.

            EXAMPLES
              kioskctl fleet cancel --site 0147 --key order-4711
              kioskctl fleet report --site 0147 --key order-4711
            """
    )

    @OptionGroup var site: SiteOptions

    @Option(help: ArgumentHelp("The key that the job was sent under.", valueName: "key"))
    var key: String

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Hub") var hub: HubOptions

    func run() async throws {
        let subject = FleetSubject.cancellation(site.site, try JobKey(idempotencyKey: key))
        let isNew = try await hub.withHub { session in
            try await session.retrying {
                do {
                    _ = try await session.jetStream.publish(subject, body: [])
                    return true
                } catch let error as FleetError where error.hubCode == JetStream.subjectTaken {
                    return false
                }
            }
        }
        guard !output.json else {
            let outcome = isNew ? "stored" : "already-stored"
            return try Console.write(json: ["site": site.site.text, "key": key, "outcome": outcome])
        }
        let word = isNew ? "stored" : "already stored"
        Console.writeLine("\(key): its cancellation is \(word) at the hub for \(site.site)".terminalEscaped)
    }
}
