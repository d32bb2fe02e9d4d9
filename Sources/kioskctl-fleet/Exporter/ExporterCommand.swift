import ArgumentParser
import KioskAsyncPrimitives
import KioskFleet
import KioskTerminal

/// `kioskctl fleet exporter`: how the fleet is, for Prometheus and as a page.
struct ExporterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exporter",
        abstract: "Serve how a fleet is, for Prometheus and as a page.",
        discussion: """
            Reads how all kiosks are, as `kioskctl fleet health` judges them, and serves /metrics for Prometheus and / \
            as a page, the worst sites first, until Ctrl-C. It counts kiosks, sites, versions and configurations; only \
            --sites-by-name gives sites series of their own. While the hub is away it shows the last figures, and \
            kioskd_fleet_up is 0.

            Whoever reaches the address can read it: off loopback put a proxy with TLS and a login in front. With \
            --once the metrics, or the figures as JSON, are written to standard output.

            EXAMPLES
              kioskctl fleet exporter --credentials office.creds
              kioskctl fleet exporter --listen 127.0.0.1:9647 --sites-by-name 20
              kioskctl fleet exporter --once > fleet.prom
              kioskctl fleet exporter --once --json
            """
    )

    @Option(
        help: ArgumentHelp("The address and the port to serve at (default: 127.0.0.1:9647).", valueName: "address"),
        transform: ExporterCommand.address)
    var listen = ExporterCommand.standardAddress

    @Option(help: ArgumentHelp("Read the hub each so many seconds.", valueName: "seconds"))
    var interval = 30

    @Option(help: ArgumentHelp("How many of the worst sites have series with their names.", valueName: "n"))
    var sitesByName = 0

    @Flag(help: "Read the hub once, write the metrics to standard output, and end.")
    var once = false

    @Flag(help: "With --once: write the figures as JSON.")
    var json = false

    @OptionGroup(title: "Hub") var hub: HubOptions

    private static let standardAddress = try! ExporterAddress("127.0.0.1")

    @Sendable private static func address(_ text: String) throws -> ExporterAddress {
        do {
            return try ExporterAddress(text)
        } catch {
            throw ValidationError("\(error)")
        }
    }

    func validate() throws {
        guard (1...3600).contains(interval) else {
            throw ValidationError("--interval is \(interval); write seconds from 1 to 3600.")
        }
        guard (0...FleetFigures.maximumSites).contains(sitesByName) else {
            throw ValidationError(
                "--sites-by-name is \(sitesByName); write a number from 0 to \(FleetFigures.maximumSites).")
        }
        guard once || !json else { throw ValidationError("--json is for --once; write both.") }
    }

    func run() async throws {
        // What is wrong with files is said before anything is served.
        _ = try hub.linkOptions()
        try await once ? write() : serve()
    }

    private func write() async throws {
        let begin = ContinuousClock.now
        let figures = try await hub.withHub { session in
            let reader = FleetReader(session.jetStream)
            return try await session.retrying { try await reader.read() }
        }
        guard !json else { return try Console.write(json: figures) }
        Console.write(
            FleetMetrics(namedSites: sitesByName).text(
                of: FleetSnapshot(
                    figures: figures, isUp: true, age: .zero, readingTime: begin.duration(to: .now), counts: nil,
                    problem: nil)))
    }

    private func serve() async throws {
        let signals = StopSignals()
        await signals.watch()
        let figures = LastFigures()
        let pages = ExporterPages(
            figures: figures, metrics: FleetMetrics(namedSites: sitesByName), interval: .seconds(interval),
            isLoopback: listen.isLoopback)
        let server = try await ExporterServer.start(at: listen) { pages.respond(to: $0) }
        let place = listen.at(port: server.port)
        Console.writeMessage("serving http://\(place)/metrics, and http://\(place)/ for people; Ctrl-C ends it")
        let follower = FleetFollower(hub: hub, interval: .seconds(interval), figures: figures)
        await withTaskGroup { group in
            group.addTask { await follower.run() }
            group.addTask { await signals.wait() }
            await group.next()
            group.cancelAll()
        }
        await server.stop()
    }
}
