import KioskFleet
import KioskTerminal

/// Reads a fleet's figures at its hub. What this login may not read is left out, and said once.
actor FleetReader {
    private let jetStream: JetStream
    private var said: Set<String> = []
    /// What is not asked for again.
    private var forbidden: Set<String> = []

    /// Far more than a fleet has: a site can write any number of names.
    private static let maximumKiosks = 100_000
    private static let streams = [HubLayout.jobs, HubLayout.documents, HubLayout.reports]

    init(_ jetStream: JetStream) { self.jetStream = jetStream }

    func read() async throws -> FleetFigures {
        let jetStream = jetStream
        let kiosks = try await KioskList.read(from: jetStream, limit: Self.maximumKiosks)
        let configurations = try await whereAllowed("configurations are") {
            try await SiteConfigurations.read(saidBy: kiosks, from: jetStream)
        }
        var streams: [FleetFigures.Stream] = []
        for name in Self.streams {
            let size = try await whereAllowed("the size of \(name) is") { try await jetStream.size(of: name) }
            guard let size = size ?? nil else { continue }
            streams.append(.init(name: name, messages: size.messages, bytes: size.bytes))
        }
        return FleetFigures(
            FleetHealth(kiosks.statements, at: kiosks.hubTime), leftOut: kiosks.leftOut,
            configurations: configurations, streams: streams)
    }

    /// Nil where the hub refuses it.
    private func whereAllowed<Value: Sendable>(
        _ what: String, _ read: @Sendable () async throws -> Value
    ) async throws -> Value? {
        guard !forbidden.contains(what) else { return nil }
        do {
            return try await read()
        } catch let error as FleetError where [.notPermitted, .refused].contains(error.code) && !error.isRetryable {
            // Streams may be made later; rights come with another login, and so with another link.
            if error.code == .notPermitted { forbidden.insert(what) }
            if said.insert(what).inserted { Console.writeMessage("\(what) left out: \(error)") }
            return nil
        }
    }
}

/// Keeps the figures of a fleet up to date, and connects to its hub anew whenever that ends.
struct FleetFollower: Sendable {
    let hub: HubOptions
    let interval: Duration
    let figures: LastFigures

    /// Ends only with its task.
    func run() async {
        while !Task.isCancelled {
            do {
                try await follow()
            } catch is CancellationError {
                return
            } catch let error as CommandFailure {
                fail(error.message)
            } catch {
                fail("\(error)")
            }
            try? await Task.sleep(for: interval)
        }
    }

    /// Throws why the link has ended.
    private func follow() async throws {
        let link = try await NATSLink.connect(hub.linkOptions())
        defer { link.close() }
        figures.begin(link)
        try await withThrowingTaskGroup { group in
            group.addTask { throw try await link.waitForEnd() }
            group.addTask { try await readAgain(from: link) }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func readAgain(from link: NATSLink) async throws {
        let reader = FleetReader(HubSession(link, timeout: .seconds(hub.timeout)).jetStream)
        while true {
            if !link.isConnected {
                fail("the hub cannot be reached, and is tried again; look whether it is running, and at its address")
                try await link.waitForConnection()
            }
            let begin = ContinuousClock.now
            do {
                let read = try await reader.read()
                if figures.note(read, took: begin.duration(to: .now)) { Console.writeMessage("the hub is read again") }
            } catch let error as FleetError {
                fail(error.description + error.hint)
            }
            try await Task.sleep(for: interval)
        }
    }

    /// Says it once, for as long as it stays so.
    private func fail(_ problem: String) {
        if figures.fail(problem) { Console.writeMessage(problem) }
    }
}
