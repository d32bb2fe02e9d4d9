import Foundation
import KioskFleetAgent
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskFleet
@testable import kioskctl_fleet

/// `kioskctl simulate fleet`: many kiosks in one process at a real hub, and what it counts.
@Suite struct SimulatedFleetTests {
    private static let siteCount = 30

    private func simulation(_ office: FleetOffice, sites: Int = siteCount) throws -> ChildProcess {
        try ChildProcess(
            try BuiltProducts.path("kioskctl"),
            [
                "simulate", "fleet", "--sites", "\(sites)", "--first", "40", "--print-after", "0.1", "--json", "--hub",
                office.server.url,
            ])
    }

    private struct State: Decodable {
        var sites, connected, taken, printed, refused, doubled: Int
        var outOfOrder, reportedEnd: Int
        var isOver: Bool

        enum CodingKeys: String, CodingKey {
            case sites, connected, taken, printed, refused, doubled
            case outOfOrder = "out-of-order"
            case reportedEnd = "reported-end"
            case isOver = "is-over"
        }
    }

    /// The last whole line that the simulation has written.
    private func state(_ child: ChildProcess) throws -> State? {
        let lines = child.standardOutput.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        return try lines.last.map { try JSONDecoder().decode(State.self, from: Data($0.utf8)) }
    }

    private func eventually(
        _ what: String, _ child: ChildProcess, _ condition: (State) -> Bool
    ) async throws {
        try await KioskTestSupport.eventually(what) {
            guard child.isRunning else { throw TestSupportError("the simulation ended: \(child.standardError)") }
            return try state(child).map(condition) ?? false
        }
    }

    private func send(_ key: String, to site: Int, _ office: FleetOffice, expiresAfter: Int? = nil) async throws {
        let document = Array(key.utf8)
        let job = try FleetJob(
            site: try SiteName("site-00\(site)"), role: "receipt", idempotencyKey: key, name: key, document: document,
            format: .plainText, expiresAfter: expiresAfter)
        _ = try await JobSender(at: office.jetStream).send(job, document: document)
    }

    @Test func `its kiosks take and report what is theirs, also after the hub was killed, and nothing twice`()
        async throws
    {
        let office = try await FleetOffice()
        let child = try simulation(office)
        try await eventually("all sites to be connected", child) { $0.connected == Self.siteCount }
        for number in 1...2 {
            for site in 40..<70 { try await send("site-\(site)-\(number)", to: site, office) }
        }
        try await eventually("60 jobs to be reported", child) { $0.taken == 60 && $0.reportedEnd == 60 }
        try await office.restartHub()
        for site in 40..<70 { try await send("site-\(site)-3", to: site, office) }
        try await eventually("90 jobs to be reported", child) { $0.taken >= 90 && $0.reportedEnd >= 90 }
        child.signal(SIGINT)
        let end = try await child.wait()
        let last = try #require(try state(child))
        #expect(end == .exited(0) && last.isOver && last.sites == Self.siteCount)
        #expect(last.taken == 90 && last.printed == 90 && last.doubled == 0 && last.outOfOrder == 0)
        let report = try #require(
            try await office.jetStream.lastMessage(
                of: .report(SiteName("site-0069"), JobKey(idempotencyKey: "site-69-3")), in: HubLayout.reports))
        #expect(try FleetReport(report).job?.evidence == .printed)
    }

    @Test func `a report is counted once the hub is known to have it, also where its answer was lost`() async throws {
        let office = try await FleetOffice()
        let lost = FaultyLink(office.link, first: 1, .lostResponse) { FleetSubject($0.subject) != nil }
        let counts = SimulationCounts()
        let kiosk = JetStream(CountingLink(link: lost, counts: counts))
        let report = FleetReport(
            node: try NodeName("kiosk"), .refused, error: .init(code: "job-expired", message: "it came too late"))
        let subjects = try ["counted-1", "counted-2"].map {
            FleetSubject.report(FleetOffice.site, try JobKey(idempotencyKey: $0))
        }
        await #expect(throws: FleetError.self) { try await kiosk.publish(subjects[0], body: report.body()) }
        #expect(counts.current.reportedEnd == 0)
        for _ in 1...2 {
            #expect(try await kiosk.lastMessage(of: subjects[0], in: HubLayout.reports)?.body == report.body())
            #expect(counts.current.reportedEnd == 1)
        }
        _ = try await kiosk.publish(subjects[1], body: report.body())
        #expect(counts.current.reportedEnd == 2)
        // Somebody else's.
        _ = try await office.jetStream.publish(
            .report(FleetOffice.site, JobKey(idempotencyKey: "counted-3")), body: report.body())
        _ = try await kiosk.lastMessage(
            of: .report(FleetOffice.site, JobKey(idempotencyKey: "counted-3")), in: HubLayout.reports)
        #expect(counts.current.reportedEnd == 2 && counts.current.reportedAccepted == 0)
    }

    @Test func `a job out of order is counted, one that came too late is not printed, and the exit code says so`()
        async throws
    {
        let office = try await FleetOffice()
        for number in [7, 9, 8] { try await send("order-\(number)", to: 40, office) }
        try await send("late-10", to: 40, office, expiresAfter: 1)
        // By the hub's clock.
        try await Task.sleep(for: .milliseconds(1100))
        let child = try simulation(office, sites: 1)
        try await eventually("the jobs to be reported", child) { $0.reportedEnd == 4 }
        child.signal(SIGTERM)
        #expect(try await child.wait() == .exited(1))
        let last = try #require(try state(child))
        #expect(last.taken == 3 && last.refused == 1 && last.outOfOrder == 1 && last.doubled == 0)
    }

    @Test func `paper that comes out twice or out of order is counted`() {
        let counts = SimulationCounts()
        let paper = SimulatedPaper(counts: counts)
        for key in ["order-1", "order-2", "order-2", "order", "order-4", "order-3", "9999999999999999999"] {
            paper.print(key)
        }
        #expect(counts.current.printed == 7 && counts.current.doubled == 1 && counts.current.outOfOrder == 1)
    }

    @Test func `a job that comes again to a kiosk's queue is the same job`() async throws {
        let counts = SimulationCounts()
        let kiosk = SimulatedKiosk(printTime: .zero, counts: counts)
        var accepted: [JobAcceptance] = []
        for key in ["order-1", "order-2", "order-2"] {
            let job = try FleetJob(
                site: FleetOffice.site, role: "receipt", idempotencyKey: key, name: key, document: Array(key.utf8))
            accepted.append(try await kiosk.accept(job, age: { 0 }) { append in try await append(Array(key.utf8)) })
        }
        #expect(accepted[0] != accepted[1] && accepted[1] == accepted[2])
        #expect(counts.current.taken == 2 && counts.current.repeated == 1)
    }

    @Test(arguments: [
        ["--sites", "0"], ["--sites", "10001"], ["--print-after", "-1"], ["--prefix", "Site."],
    ])
    func `what it cannot simulate is refused before anything is connected`(arguments: [String]) async throws {
        let result = try await ChildProcess.run(
            try BuiltProducts.path("kioskctl"),
            ["simulate", "fleet", "--hub", "nats://127.0.0.1:9", "--timeout", "1"] + arguments)
        #expect([.exited(64), .exited(1)].contains(result.end))
        #expect(result.standardError.hasPrefix("kioskctl: "))
    }
}
