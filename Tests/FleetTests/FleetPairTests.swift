import FoundationEssentials
import KioskPrintModel
import KioskTestSupport
import Synchronization
import Testing

@testable import KioskFleet
@testable import KioskFleetAgent

/// Two kiosks of a site at a real hub: each job has one owner, and what the one has not begun is the other's where it
/// falls silent.
@Suite struct FleetPairTests {
    private let folder: TemporaryFolder
    private let office: FleetOffice
    private let first = ScriptedKiosk()
    private let second = ScriptedKiosk()

    init() async throws {
        folder = try TemporaryFolder("fleet")
        office = try await FleetOffice()
    }

    private func withFirst(_ body: () async throws -> Void) async throws {
        try await office.withAgent(
            "kiosk-1", of: first, records: folder.appending("1.sqlite"), isPaired: true, body)
    }

    private func withSecond(_ body: () async throws -> Void) async throws {
        try await office.withAgent(
            "kiosk-2", of: second, records: folder.appending("2.sqlite"), isPaired: true, body)
    }

    @Test func `of each role one job is taken, and the next once that is settled`() async throws {
        try await withFirst {
            for name in ["a", "b"] { try await office.send(name) }
            try await office.send("label", to: "label")
            try await office.report("label", .accepted)
            try await office.report("a", .accepted)
            #expect(first.waiting == ["a", "label"])
            #expect(try await office.report("b") == nil)
            try first.end("a")
            try await office.report("b", .accepted)
            #expect(try await office.report("a", .ended).node.text == "kiosk-1")
            #expect(first.asked.filter { $0 != "label" } == ["a", "b"])
        }
    }

    @Test func `the other takes over what was not begun, and the first one's own word counts for what was`()
        async throws
    {
        try await withFirst {
            for name in ["a", "b", "c"] { try await office.send(name) }
            try await office.report("a", .accepted)
        }
        try await withSecond {
            let doubt = try await office.report("a", .unconfirmed)
            #expect(doubt.node.text == "kiosk-2" && doubt.error?.code == "kiosk-silent")
            try await office.report("b", .accepted)
            try second.end("b")
            #expect(try await office.report("c", .accepted).node.text == "kiosk-2")
            // It comes back: it prints what it had, and takes nothing.
            try await withFirst {
                try first.end("a")
                #expect(try await office.report("a", .ended).node.text == "kiosk-1")
                try await office.send("d")
                try second.end("c")
                #expect(try await office.report("d", .accepted).node.text == "kiosk-2")
            }
        }
        #expect(first.asked == ["a"])
        #expect(second.asked == ["b", "c", "d"])
    }

    @Test func `both at once take each job once`() async throws {
        let keys = (1...20).map { "order-\($0)" }
        try await withFirst {
            try await withSecond {
                for key in keys {
                    try await office.send(key)
                    try await eventually("\(key) to be taken") {
                        for kiosk in [first, second] where kiosk.waiting.contains(key) { try kiosk.end(key) }
                        return try await office.report(key)?.stage == .ended
                    }
                }
            }
        }
        #expect((first.asked + second.asked).sorted() == keys.sorted())
        // The lease does not fall to the other without need.
        #expect(first.asked.isEmpty || second.asked.isEmpty)
    }

    /// Under which leases a kiosk reads the site's reports, by the requests on its link.
    private final class ReportReads: Sendable {
        private struct State {
            var lease = "none"
            var leases: [String] = []
        }
        private let state = Mutex(State())

        private struct Lease: Decodable {
            var token: String
        }

        /// For each read the token of the lease that the kiosk wrote last.
        var leases: [String] { state.withLock(\.leases) }

        /// Notes a request; true where it begins a read.
        func note(_ request: HubMessage) -> Bool {
            if request.subject == FleetSubject.lease(FleetOffice.site).text,
                let lease = try? JSONDecoder().decode(Lease.self, from: Data(request.body))
            {
                state.withLock { $0.lease = lease.token }
            }
            let isRead =
                request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.REPORTS.")
                && String(decoding: request.body, as: UTF8.self).contains("last_per_subject")
            if isRead { state.withLock { $0.leases.append($0.lease) } }
            return isRead
        }
    }

    @Test func `the lease is kept while the hub elects the leader of another stream`() async throws {
        let reads = ReportReads()
        try await office.withAgent(
            "kiosk-1", of: first, records: folder.appending("1.sqlite"), isPaired: true,
            through: { FaultyLink($0, first: 6, .noResponders) { reads.note($0) } }
        ) {
            try await office.send("a")
            try await office.report("a", .accepted)
        }
        #expect(first.asked == ["a"])
        #expect(reads.leases.count > 6 && !reads.leases.contains("none"))
        // Who gives the lease up takes another for each read. Who keeps it may lose it where the machine delays a
        // renewal for seconds, but not after each of six reads.
        #expect(Set(reads.leases.prefix(6)).count < 6, "\(reads.leases)")
    }

    @Test func `the lease falls to the other also where a server of the hub lags behind`() async throws {
        let read = "$JS.API.DIRECT.GET.\(HubLayout.lease).\(FleetSubject.lease(FleetOffice.site).text)"
        var older: HubMessage?
        try await withFirst {
            try await office.send("a")
            try await office.report("a", .accepted)
            older = try await office.link.request(HubMessage(subject: read), timeout: .seconds(60))
            try await eventually("the lease to be renewed") {
                let now = try await office.link.request(HubMessage(subject: read), timeout: .seconds(60))
                return now.headers[JetStream.sequenceHeader] != older?.headers[JetStream.sequenceHeader]
            }
        }
        let stale = try #require(older)
        try await office.withAgent(
            "kiosk-2", of: second, records: folder.appending("2.sqlite"), isPaired: true,
            through: { LaggingLink($0, reading: read, gives: stale) }
        ) {
            try await office.send("b")
            #expect(try await office.report("b", .accepted).node.text == "kiosk-2")
        }
    }

    @Test func `jobs that wait in their lanes are not there again when another consumer delivers them`() async throws {
        let lanes = RoleLanes(from: 0)
        func delivery(_ sequence: Int, by consumer: String) throws -> JobFetcher.Delivery {
            let job = try JobKey(idempotencyKey: "order-\(sequence)")
            let position = StoredPosition(
                replySubject: "$JS.ACK.JOBS.\(consumer).1.\(sequence).\(sequence).\(sequence).0")
            return try JobFetcher.Delivery(
                subject: .job(FleetOffice.site, "receipt", job), message: HubMessage(subject: "jobs"),
                position: #require(position))
        }
        for consumer in ["first", "second", "third"] {
            // More than the lanes have room for, if each were there three times.
            for sequence in 1...40 { try await lanes.add(delivery(sequence, by: consumer), to: "receipt") }
        }
        let last = try delivery(40, by: "third")
        #expect(lanes.progress(taking: last) == 0)
        for sequence in 1...40 {
            #expect(lanes.first(of: "receipt")?.position.sequence == UInt64(sequence))
            #expect(lanes.removeFirst(of: "receipt") == (sequence < 40))
        }
        #expect(lanes.progress(taking: last) == 40)
    }

    @Test func `a document that is long in coming holds up its own role alone, also behind an election`() async throws {
        let store = ScriptedFetcher(.hang)
        let claim = FleetSubject.report(FleetOffice.site, try JobKey(idempotencyKey: "a")).text
        try await office.withAgent(
            "kiosk-1", of: first, records: folder.appending("1.sqlite"), isPaired: true, fetcher: store,
            through: { FaultyLink($0, first: 1, .noResponders) { $0.subject == claim } }
        ) {
            try await office.send(
                Array("page".utf8), at: "https://store.example/a.txt", key: "page", role: "page")
            try await eventually("the fetch") { store.fetches.count == 1 }
            try await office.send("a")
            try await office.report("a", .accepted)
            #expect(try await office.report("page")?.stage == .claimed)
        }
        #expect(first.asked == ["a"])
    }

    @Test func `what the other has taken since is in no doubt behind an election`() async throws {
        let claim = FleetSubject.report(FleetOffice.site, try JobKey(idempotencyKey: "b")).text
        try await office.withAgent(
            "kiosk-1", of: first, records: folder.appending("1.sqlite"), isPaired: true,
            through: { FaultyLink($0, first: 1, .noResponders) { $0.subject == claim } }
        ) {
            try await office.send("a")
            try await office.report("a", .accepted)
            try first.end("a")
            // It had claimed the job before, and is back.
            _ = try await office.jetStream.publish(
                .report(FleetOffice.site, JobKey(idempotencyKey: "c")),
                body: Array(#"{"node": "kiosk-2", "stage": "accepted"}"#.utf8))
            try await office.send("b")
            try await office.report("b", .accepted)
            try first.end("b")
            try await office.report("b", .ended)
            #expect(try await office.report("c")?.node.text == "kiosk-2")
        }
    }

    @Test func `a job that this kiosk has called doubtful is the other's, also with a claim of its own`() async throws {
        // As where it was killed between the two.
        let (key, own, other) = (try JobKey(idempotencyKey: "a"), try NodeName("kiosk-1"), try NodeName("kiosk-2"))
        try await FleetRecords(path: folder.appending("1.sqlite")).note(.init(key: key, senderKey: "a"))
        try await office.send("a")
        _ = try await office.jetStream.publish(
            .report(FleetOffice.site, key), body: FleetReport.doubt(of: own, about: other).body())
        try await withFirst {
            try await office.send("b")
            try await office.report("b", .accepted)
        }
        #expect(first.asked == ["b"])
    }

    @Test func `a hub that is away and comes back has each job taken once`() async throws {
        try await withFirst {
            try await withSecond {
                for round in 1...3 {
                    let key = "order-\(round)"
                    try await office.send(key)
                    try await eventually("\(key) to be taken") { (first.waiting + second.waiting).contains(key) }
                    try await office.restartHub()
                    for kiosk in [first, second] where kiosk.waiting.contains(key) { try kiosk.end(key) }
                    try await office.report(key, .ended)
                }
            }
        }
        #expect((first.asked + second.asked).sorted() == ["order-1", "order-2", "order-3"])
    }

    @Test func `a cancellation ends a job that waits behind another`() async throws {
        try await withFirst {
            for name in ["a", "b", "c"] { try await office.send(name) }
            try await office.report("a", .accepted)
            try await office.cancel("b")
            #expect(try await office.report("b", .refused).error?.code == "job-canceled")
            try first.end("a")
            try await office.report("c", .accepted)
        }
        #expect(first.asked == ["a", "c"])
    }

    @Test func `one that is claimed by the other is not taken`() async throws {
        let claim = try FleetReport.claim(by: NodeName("kiosk-2")).body()
        try await withFirst {
            try await office.send("a")
            try await office.report("a", .accepted)
            _ = try await office.jetStream.publish(
                .report(FleetOffice.site, JobKey(idempotencyKey: "b")), body: claim)
            try await office.send("b")
            try await office.send("c")
            try first.end("a")
            try await office.report("c", .accepted)
            // Nobody has said more of it.
            #expect(try await office.report("b", .unconfirmed).error?.code == "kiosk-silent")
        }
        #expect(first.asked == ["a", "c"])
    }

    @Test(arguments: [ScriptedKiosk.Fall.beforeAcceptance, .afterAcceptance])
    func `a job that was claimed by a kiosk which fell is its own still, and is not taken twice`(
        fall: ScriptedKiosk.Fall
    ) async throws {
        first.fall(fall)
        try await withFirst {
            try await office.send("a")
            try await eventually("the kiosk to be asked") { first.asked == ["a"] }
        }
        first.fall(nil)
        try await withSecond {
            #expect(try await office.report("a", .unconfirmed).error?.code == "kiosk-silent")
            try await withFirst {
                let report = try await office.report("a", .accepted)
                #expect(report.node.text == "kiosk-1" && report.job?.name == "a")
                #expect(first.waiting == ["a"])
                try first.end("a")
                #expect(try await office.report("a", .ended).node.text == "kiosk-1")
                try await office.send("b")
                #expect(try await office.report("b", .accepted).node.text == "kiosk-2")
            }
        }
        #expect(first.asked == (fall == .afterAcceptance ? ["a"] : ["a", "a"]))
        #expect(second.asked == ["b"])
    }

    @Test func `a claim of a job that the hub has no more ends as refused`() async throws {
        first.fall(.beforeAcceptance)
        try await withFirst {
            try await office.send("a")
            try await eventually("the kiosk to be asked") { first.asked == ["a"] }
        }
        first.fall(nil)
        try await office.purgeJobs()
        try await withFirst {
            let report = try await office.report("a", .refused)
            #expect(report.error?.code == "job-expired")
        }
        #expect(first.asked == ["a"])
    }
}
