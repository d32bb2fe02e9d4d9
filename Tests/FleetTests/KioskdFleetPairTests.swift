import Glibc
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

@testable import KioskFleet

/// Two kioskds of a site with one printer, at a real hub.
@Suite struct KioskdFleetPairTests {
    private func kiosk(
        _ office: FleetOffice, _ printer: SimulatedPrinter, _ node: String
    ) async throws -> KioskdFixture {
        try await KioskdFixture(printers: [printer.uri], arguments: office.options(node) + ["--fleet-pair"])
    }

    /// Starts both, and returns the one that takes the site's jobs first.
    private func pair(
        _ office: FleetOffice, _ printer: SimulatedPrinter
    ) async throws -> (holder: KioskdFixture, other: KioskdFixture) {
        let first = try await kiosk(office, printer, "kiosk-1")
        try await office.send("begin")
        try await office.report("begin", .ended)
        return (first, try await kiosk(office, printer, "kiosk-2"))
    }

    @Test(arguments: NATSServer.installed)
    func `one is killed amid the queue, and all is printed once`(version: NATSServer.Version) async throws {
        try await killAmidQueue(FleetOffice(version)) {}
    }

    /// On Debian's the hub gives some consumers to the server that is no more, for two minutes.
    @Test(arguments: NATSServer.installed)
    func `one is killed together with a server of the hub, and all is printed once`(
        version: NATSServer.Version
    ) async throws {
        let office = try await FleetOffice.atThreeServers(version)
        try await killAmidQueue(office) {
            try await office.servers[office.leader(of: HubLayout.reports)].kill()
        }
    }

    /// Kills the kiosk that takes the site's jobs, and what else is to be killed with it.
    private func killAmidQueue(_ office: FleetOffice, _ killMore: () async throws -> Void) async throws {
        let printer = try await SimulatedPrinter.start()
        let holder = try await kiosk(office, printer, "kiosk-1")
        try await office.repeating("the hub to take a job") { try await office.send("begin") }
        try await office.report("begin", .ended)
        try await printer.perform(.goOffline(milliseconds: nil))
        let keys = (1...6).map { "order-\($0)" }
        for key in keys { try await office.repeating("the hub to take \(key)") { try await office.send(key) } }
        try await office.report(keys[0], .accepted)
        let other = try await kiosk(office, printer, "kiosk-2")
        try await holder.kill()
        try await killMore()
        try await printer.perform(.goOnline)
        for key in keys.dropFirst() {
            #expect(try await office.report(key, .ended).node.text == "kiosk-2", "\(other.log)")
        }
        #expect(try await office.report(keys[0], .unconfirmed).error?.code == "kiosk-silent")
        try await holder.start()
        #expect(try await office.report(keys[0], .ended).node.text == "kiosk-1", "\(holder.log)")
        let printed = try await office.printed(by: printer)
        #expect(printed == ["begin"] + keys.dropFirst() + [keys[0]])
    }

    @Test func `one that is stopped for a while prints nothing again`() async throws {
        let office = try await FleetOffice()
        let printer = try await SimulatedPrinter.start()
        let (holder, other) = try await pair(office, printer)
        var keys: [String] = []
        for round in 1...3 {
            try kill(holder.process.processID, SIGSTOP)
            for number in 1...3 {
                keys.append("order-\(round)-\(number)")
                try await office.send(keys[keys.count - 1])
            }
            // The other takes over, or the first has had the first of them.
            try await office.report(keys[keys.count - 1], .ended)
            try kill(holder.process.processID, SIGCONT)
            keys.append("order-\(round)-last")
            try await office.send(keys[keys.count - 1])
            try await office.report(keys[keys.count - 1], .ended)
        }
        for key in keys { try await office.report(key, .ended) }
        #expect(try await office.printed(by: printer).sorted() == (["begin"] + keys).sorted(), "\(other.log)")
    }

    /// Where the kiosk that takes the site's jobs is stopped, and whose word counts in the end.
    private static let stops: [(point: String, owner: String)] = [
        ("write:claimed", "kiosk-2"),  // before the claim
        ("written:claimed", "kiosk-1"),  // between claim and acceptance
        ("write:PAPER-1", "kiosk-1"),  // accepted, before the document's first byte
        ("written:PAPER-1", "kiosk-1"),  // amid sending
    ]

    @Test(arguments: stops)
    func `one that is stopped at a step until the other has taken over prints nothing twice in silence`(
        point: String, owner: String
    ) async throws {
        let office = try await FleetOffice()
        let printer = try await SimulatedPrinter.start()
        let holder = try await KioskdFixture(
            registry: KioskdFixture.registry([printer.uri]),
            arguments: office.options("kiosk-1") + ["--fleet-pair"], environment: try StopPoint.environment(point))
        try await eventually("kiosk-1 to take jobs") { holder.log.contains("takes the jobs of the site") }
        let other = try await kiosk(office, printer, "kiosk-2")
        try await office.send(Array("PAPER-1".utf8), key: "order-1")
        try await StopPoint.wait(for: holder.process.processID)
        try await office.send(Array("PAPER-2".utf8), key: "order-2")
        if owner == "kiosk-2" {
            #expect(try await office.report("order-1", .ended).node.text == "kiosk-2", "\(other.log)")
        } else {
            #expect(try await office.report("order-1", .unconfirmed).error?.code == "kiosk-silent")
        }
        try kill(holder.process.processID, SIGCONT)
        try await office.report("order-2", .ended)
        let last = try await eventuallyValue("the word of \(owner)") {
            let last = try await office.report("order-1")
            return last?.node.text == owner && [.ended, .unconfirmed].contains(last?.stage) ? last : nil
        }
        let isInDoubt = last.stage == .unconfirmed || last.job?.isUnconfirmed == true
        let printed = try await office.printed(by: printer)
        #expect(printed.count { $0 == "PAPER-1" } == 1 || isInDoubt, "\(printed) \(holder.log) \(other.log)")
        #expect(printed.count { $0 == "PAPER-2" } == 1, "\(printed) \(holder.log) \(other.log)")
    }

    @Test(.enabled("where tests may mount a file system") { SmallDisk.isPossible })
    func `one whose disk is full leaves the jobs to the other, and takes them again when it has room`() async throws {
        let office = try await FleetOffice()
        let printer = try await SimulatedPrinter.start()
        let disk = try SmallDisk(megabytes: 16)
        let full = try await KioskdFixture(
            folder: TemporaryFolder(at: "\(disk.path)/state"), registry: KioskdFixture.registry([printer.uri]),
            arguments: office.options("kiosk-1") + ["--fleet-pair"])
        try await office.send("begin")
        try await office.report("begin", .ended)
        try disk.fill()
        let other = try await kiosk(office, printer, "kiosk-2")
        // Not before: what it accepts without room for the rest is its own.
        try await eventually("kiosk-1 to notice") { full.log.contains("the disk has no room") }
        for key in ["order-1", "order-2"] {
            try await office.send(key)
            #expect(try await office.report(key, .ended).node.text == "kiosk-2", "\(full.log) \(other.log)")
        }
        try disk.makeRoom()
        try await other.terminate()
        try await office.send("order-3")
        #expect(try await office.report("order-3", .ended).node.text == "kiosk-1", "\(full.log)")
        #expect(try await office.printed(by: printer) == ["begin", "order-1", "order-2", "order-3"])
        try await full.terminate()
    }

    @Test func `where one is cut from the hub the other takes over, and local jobs are printed as always`()
        async throws
    {
        let office = try await FleetOffice()
        let printer = try await SimulatedPrinter.start()
        let way = try await TCPRelay(to: office.server.port)
        let cut = try await KioskdFixture(
            printers: [printer.uri],
            arguments: office.options("kiosk-1", hubs: ["nats://127.0.0.1:\(way.port)"]) + ["--fleet-pair"])
        try await office.send("begin")
        try await office.report("begin", .ended)
        let other = try await kiosk(office, printer, "kiosk-2")
        try await way.cut()
        try await office.send("order-1")
        #expect(try await office.report("order-1", .ended).node.text == "kiosk-2", "\(other.log)")
        let local = try await cut.client().submit(text: "local")
        try await cut.job(local.id, in: [.completed])
        try await way.heal()
        try await office.send("order-2")
        try await office.report("order-2", .ended)
        let printed = try await office.printed(by: printer)
        #expect(printed.sorted() == ["begin", "local", "order-1", "order-2"], "\(cut.log) \(other.log)")
    }

    @Test func `while the hub is away for longer than a lease holds, local jobs are printed by both`() async throws {
        let office = try await FleetOffice()
        let printer = try await SimulatedPrinter.start()
        let (holder, other) = try await pair(office, printer)
        try await office.server.kill()
        // From then on nothing depends on how long it is away: nobody has the lease, and nobody counts.
        try await eventually("kiosk-1 to give up the lease") { holder.log.contains("cannot take jobs from the hub") }
        for kiosk in [holder, other] {
            let local = try await kiosk.client().submit(text: "local")
            try await kiosk.job(local.id, in: [.completed])
        }
        try await office.server.start()
        try await eventually("the office to come back") { office.link.isConnected }
        try await office.send("order-1")
        try await office.report("order-1", .ended)
        let printed = try await office.printed(by: printer)
        #expect(printed == ["begin", "local", "local", "order-1"], "\(holder.log) \(other.log)")
    }

    @Test func `the clocks of the two may be days apart`() async throws {
        let office = try await FleetOffice()
        let printer = try await SimulatedPrinter.start()
        func kiosk(_ node: String, daysAhead: Int) async throws -> KioskdFixture {
            try await KioskdFixture(
                registry: KioskdFixture.registry([printer.uri]), arguments: office.options(node) + ["--fleet-pair"],
                environment: try WallClock.environment(ahead: daysAhead * 86_400))
        }
        let holder = try await kiosk("kiosk-1", daysAhead: 1)
        try await office.send("begin")
        try await office.report("begin", .ended)
        let other = try await kiosk("kiosk-2", daysAhead: -1)
        for key in ["order-1", "order-2"] {
            try await office.send(key)
            #expect(try await office.report(key, .ended).node.text == "kiosk-1", "\(holder.log) \(other.log)")
        }
        try await holder.kill()
        try await office.send("order-3")
        #expect(try await office.report("order-3", .ended).node.text == "kiosk-2", "\(other.log)")
        #expect(try await office.printed(by: printer) == ["begin", "order-1", "order-2", "order-3"])
    }

    @Test func `where both lose power and one returns, no job of the office is lost`() async throws {
        let office = try await FleetOffice()
        let printer = try await SimulatedPrinter.start()
        let (holder, other) = try await pair(office, printer)
        try await printer.perform(.goOffline(milliseconds: nil))
        for key in ["order-1", "order-2"] { try await office.send(key) }
        try await office.report("order-1", .accepted)
        try await holder.kill()
        try await other.kill()
        try await printer.perform(.goOnline)
        try await other.start()
        #expect(try await office.report("order-1", .unconfirmed).error?.code == "kiosk-silent", "\(other.log)")
        #expect(try await office.report("order-2", .ended).node.text == "kiosk-2", "\(other.log)")
        #expect(try await office.printed(by: printer) == ["begin", "order-2"])
    }
}
