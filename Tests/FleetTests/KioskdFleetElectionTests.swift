import Glibc
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

@testable import KioskFleet

/// Two kioskds of a site, a printer each, at a hub of three servers whose leader is killed. `kiosk-1` has the lease.
///
/// A kiosk that the machine delays for a second after an election may lose the lease. So the tests check what holds at
/// any speed: the other kiosk leaves the lease alone for that second, however long nobody could renew it before.
@Suite(.enabled("where there is a server for hubs of three") { NATSServer.installed.contains(.current) })
struct KioskdFleetElectionTests {
    private let office: FleetOffice
    private let printers: [SimulatedPrinter]
    private let holder: KioskdFixture
    private let other: KioskdFixture

    init() async throws {
        office = try await FleetOffice.atThreeServers()
        try await LeaseHistory.keep(at: office)
        printers = [try await SimulatedPrinter.start(), try await SimulatedPrinter.start()]
        holder = try await Self.kiosk("kiosk-1", office, printers[0])
        try await Self.send("begin", office)
        try await office.report("begin", .ended)
        other = try await Self.kiosk("kiosk-2", office, printers[1])
        let client = other.client()
        defer { client.close() }
        try await eventually("kiosk-2 to look at the lease") { try await client.fleet().pair?.holder != nil }
    }

    private static func kiosk(
        _ node: String, _ office: FleetOffice, _ printer: SimulatedPrinter
    ) async throws -> KioskdFixture {
        try await KioskdFixture(printers: [printer.uri], arguments: office.options(node) + ["--fleet-pair"])
    }

    /// Sends a job until the hub has it.
    private static func send(_ key: String, _ office: FleetOffice) async throws {
        try await office.repeating("the hub to take \(key)") { try await office.send(key) }
    }

    /// Kills the server that leads the leases, and starts it again once another one does. Returns when that was elected,
    /// in ns since 1970 by the hub's clock. `work` is done while there is no leader.
    private func killLeader(_ work: () async throws -> Void) async throws -> Int64 {
        let former = NATSCluster.elections(of: HubLayout.lease, among: office.servers).count
        let killed = try await office.leader(of: HubLayout.lease)
        try await office.servers[killed].kill()
        try await work()
        _ = try await office.leader(of: HubLayout.lease, after: killed)
        // Before the killed one begins another log.
        let elections = NATSCluster.elections(of: HubLayout.lease, among: office.servers)
        try #require(elections.count > former, "\(office.servers.map(\.log))")
        try await office.servers[killed].start()
        return elections[former]
    }

    /// All leases up to now, with some that the next leader has stored.
    private func history(since elected: Int64) async throws -> LeaseHistory {
        var history = try await LeaseHistory(at: office)
        try await eventually("a lease at the next leader", poll: .milliseconds(100)) {
            history = try await LeaseHistory(at: office)
            return history.entries.contains { $0.storedAt > elected }
        }
        return history
    }

    /// Each kiosk that took the lease from the other has waited for as long as it must.
    private func check(_ history: LeaseHistory, since elected: Int64) {
        for change in history.changes {
            #expect(change.silence >= .seconds(3), "\(history) \(holder.log) \(other.log)")
            guard change.next.storedAt > elected else { continue }
            let since = Duration.nanoseconds(change.next.storedAt - elected)
            #expect(since >= .seconds(1), "\(history) \(holder.log) \(other.log)")
        }
    }

    private func printed() async throws -> [String] {
        var printed: [String] = []
        for printer in printers { printed += try await office.printed(by: printer) }
        return printed.sorted()
    }

    @Test func `leader of three killed, the lease stays`() async throws {
        try await Self.send("before", office)
        try await office.report("before", .ended)
        let elected = try await killLeader {
            for kiosk in [holder, other] {
                let local = try await kiosk.client().submit(text: "local")
                try await kiosk.job(local.id, in: [.completed])
            }
            try await Self.send("while", office)
        }
        try await Self.send("after", office)
        for key in ["while", "after"] { try await office.report(key, .ended) }
        try await check(history(since: elected), since: elected)
        #expect(try await printed() == ["after", "before", "begin", "local", "local", "while"])
    }

    @Test func `leader of three killed while the holder is stopped, the other waits for it a second more`()
        async throws
    {
        let elected = try await killLeader { try kill(holder.process.processID, SIGSTOP) }
        try await Self.send("order", office)
        #expect(try await office.report("order", .ended).node.text == "kiosk-2", "\(other.log)")
        try kill(holder.process.processID, SIGCONT)
        let history = try await history(since: elected)
        check(history, since: elected)
        #expect(history.changes.contains { $0.next.node == "kiosk-2" }, "\(history)")
        #expect(try await printed() == ["begin", "order"])
    }
}
