import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

@testable import KioskFleet

/// A kioskd at a real hub: what an office sends is printed once, and reported.
@Suite struct KioskdFleetTests {
    private func kiosk(
        _ office: FleetOffice, _ printer: SimulatedPrinter, node: String = "kiosk-1"
    ) async throws -> KioskdFixture {
        try await KioskdFixture(printers: [printer.uri], arguments: office.options(node))
    }

    @Test(arguments: NATSServer.installed)
    func `an office's jobs are printed once, in order, and reported`(version: NATSServer.Version) async throws {
        let office = try await FleetOffice(version)
        // A kiosk that was never there.
        for number in 1...3 { try await office.send("order-\(number)") }
        let printer = try await SimulatedPrinter.start()
        let daemon = try await kiosk(office, printer)
        for number in 4...6 { try await office.send("order-\(number)") }
        for number in 1...6 {
            let report = try await office.report("order-\(number)", .ended)
            #expect(report.job?.state == .completed && report.node.text == "kiosk-1", "\(daemon.log)")
        }
        #expect(try await office.printed(by: printer) == (1...6).map { "order-\($0)" })
        #expect(try await office.send("order-1") == .alreadyStored)
        let status = try await eventuallyValue("the kiosk's status") {
            try await office.jetStream.lastMessage(
                of: .status(FleetOffice.site, NodeName("kiosk-1")), in: HubLayout.status)
        }
        #expect(try KioskStatus(status).health.printersSaved == 1)
    }

    @Test func `a document of several chunks is printed to its last byte`() async throws {
        let office = try await FleetOffice()
        let printer = try await SimulatedPrinter.start()
        let daemon = try await kiosk(office, printer)
        let line = Array("0123456789 abcdefghijklmnopqrstuvwxyz\n".utf8)
        let document = Array(repeatElement(line, count: 20_000).joined())
        try await office.send(document, key: "long")
        #expect(try await office.report("long", .ended).job?.state == .completed, "\(daemon.log)")
        let received = try #require(try await printer.documents.last)
        #expect(try readFile(received.path) == document)
    }

    @Test func `what a kiosk does not print is reported with its reason`() async throws {
        let office = try await FleetOffice()
        let printer = try await SimulatedPrinter.start()
        try await office.send("late", expiresAfter: 1)
        try await office.send("no-role", to: "kitchen")
        try await office.cancel("canceled")
        try await office.send("canceled")
        // By the hub's clock.
        try await Task.sleep(for: .milliseconds(1100))
        let daemon = try await kiosk(office, printer)
        #expect(try await office.report("late", .refused).error?.code == "job-expired", "\(daemon.log)")
        #expect(try await office.report("no-role", .refused).error?.code == "unknown-role")
        #expect(try await office.report("canceled", .refused).error?.code == "job-canceled")
        try await office.send("after")
        try await office.report("after", .ended)
        #expect(try await office.printed(by: printer) == ["after"])
    }

    @Test func `a cancellation ends a job that waits`() async throws {
        let office = try await FleetOffice()
        let printer = try await SimulatedPrinter.start()
        try await printer.perform(.goOffline(milliseconds: nil))
        let daemon = try await kiosk(office, printer)
        try await office.send("unwanted")
        try await office.report("unwanted", .accepted)
        try await office.cancel("unwanted")
        #expect(try await office.report("unwanted", .ended).job?.state == .canceled, "\(daemon.log)")
        try await printer.perform(.goOnline)
        try await office.send("after")
        try await office.report("after", .ended)
        #expect(try await office.printed(by: printer) == ["after"])
    }

    @Test(arguments: NATSServer.installed)
    func `kiosk and hub are killed, and each job is printed once`(version: NATSServer.Version) async throws {
        let office = try await FleetOffice(version)
        let printer = try await SimulatedPrinter.start()
        let daemon = try await kiosk(office, printer)
        var keys: [String] = []
        for round in 1...4 {
            for number in 1...5 {
                keys.append("order-\(round)-\(number)")
                try await office.send(keys[keys.count - 1])
            }
            // Amid the round's jobs, whichever it has reached.
            try await office.report(keys[keys.count - 4], .ended)
            if round.isMultiple(of: 2) {
                try await office.restartHub()
            } else {
                try await daemon.kill()
                try await daemon.start()
            }
        }
        for key in keys { try await office.report(key, .ended) }
        #expect(try await office.printed(by: printer).sorted() == keys.sorted(), "\(daemon.log)")
    }

    @Test func `a new machine at an old site prints nothing again, and reports what is in doubt`() async throws {
        let office = try await FleetOffice()
        let printer = try await SimulatedPrinter.start()
        let old = try await kiosk(office, printer)
        for number in 1...3 { try await office.send("old-\(number)") }
        for number in 1...3 { try await office.report("old-\(number)", .ended) }
        try await printer.perform(.goOffline(milliseconds: nil))
        try await office.send("doubtful")
        try await office.report("doubtful", .accepted)
        try await old.kill()
        try await printer.perform(.goOnline)
        let new = try await kiosk(office, printer, node: "kiosk-2")
        let doubt = try await office.report("doubtful", .unconfirmed)
        #expect(doubt.error?.code == "kiosk-replaced" && doubt.node.text == "kiosk-2", "\(new.log)")
        try await office.send("new")
        try await office.report("new", .ended)
        #expect(try await office.printed(by: printer) == ["old-1", "old-2", "old-3", "new"])
    }

    @Test func `a hub that was wiped and made anew is served, and what is sent again is known`() async throws {
        let office = try await FleetOffice()
        let printer = try await SimulatedPrinter.start()
        let daemon = try await kiosk(office, printer)
        try await office.send("first")
        try await office.report("first", .ended)
        try await office.wipeHub()
        // The office does not know whether the kiosk has had it.
        try await office.send("first")
        try await office.send("second")
        #expect(try await office.report("second", .ended).job?.state == .completed, "\(daemon.log)")
        // Nor would it learn it otherwise.
        #expect(try await office.report("first", .ended).job?.state == .completed)
        #expect(try await office.printed(by: printer) == ["first", "second"])
    }

    @Test func `another document under a key that the kiosk knows is refused, though the hub has forgotten it`()
        async throws
    {
        let office = try await FleetOffice()
        let printer = try await SimulatedPrinter.start()
        let daemon = try await kiosk(office, printer)
        try await office.send("first")
        try await office.report("first", .ended)
        try await office.wipeHub()
        try await office.send(Array("another".utf8), key: "first")
        #expect(try await office.report("first", .refused).error?.code == "idempotency-conflict", "\(daemon.log)")
        try await office.send("after")
        try await office.report("after", .ended)
        #expect(try await office.printed(by: printer) == ["first", "after"])
    }

    @Test func `tills print while the hub is away`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture(
            printers: [printer.uri],
            arguments: ["--fleet-hub", "nats://127.0.0.1:9", "--fleet-site", "0147", "--fleet-node", "kiosk-1"])
        let job = try await daemon.client().submit(text: "local")
        try await eventually("the receipt") { try await daemon.client().job(job.id).state == .completed }
    }
}
