import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// The power goes while tills print.
///
/// It is not enough to copy a mounted image: the copy has what the disk was told, flushed or not. Here the disk keeps
/// what was flushed, and of the rest as much as a disk may. This proves that all a till was told is flushed before it
/// is told, and that database and files are read again whatever was not. It proves nothing of disks that say they have
/// flushed and have not.
@Suite(
    .serialized,
    .enabled("where tests may mount file systems from images (root, loop devices, FUSE)") { await PowerDisk.isPossible }
)
struct PowerCutTests {
    private static let rounds = KioskTestSupport.rounds(8, long: 100)
    private static let tills = 4
    /// How many texts a till sends in a round: together fewer than the 10,000 copies that the printer remembers, and than
    /// fill the disk.
    private static let texts = 24

    @Test func `whenever the power goes, every acknowledged job is there, and the ledger agrees with the paper`()
        async throws
    {
        var random = SeededRandom(7)
        let disk = try await PowerDisk()
        try await disk.powerOn()
        var options = SimulatedPrinter.Options()
        options.port = try freePort()
        // It has power of its own, and some jobs are on it when the daemon's goes.
        let printer = try await SimulatedPrinter.start(options)
        try await printer.perform(.slow(milliseconds: 2))
        let daemon = try await KioskdFixture(
            folder: TemporaryFolder(at: "\(disk.path)/state", isKept: true),
            registry: KioskdFixture.registry([printer.uri], more: "    keep: { size: 8MB }\n"))
        try await disk.flush()
        var ledger = Ledger()
        var atStake = 0
        for round in 0..<Self.rounds {
            let delay = Duration.milliseconds(Int.random(in: 5...150, using: &random))
            let sending = (0..<Self.tills).map { till in Task { await Self.sendUntilCut(daemon, "\(round)-\(till)") } }
            try await Task.sleep(for: delay)
            atStake += try await disk.cutPower(seed: round, of: daemon.process)
            var roundLedger = Ledger()
            for till in sending { roundLedger.add(await till.value) }
            #expect(try await disk.isSound(), "round \(round)")
            try await disk.powerOn()
            try await daemon.start()
            try await expectAll(of: roundLedger, at: daemon, round: round)
            ledger.add(roundLedger)
        }
        let client = daemon.client()
        let unacknowledged = ledger.unacknowledged.count
        try await ledger.sendAgain(by: client)
        let report = try await ledger.check(against: { try await printer.copies() }, by: client, doubts: Self.rounds)
        #expect(ledger.count > Self.rounds, "\(report)")
        // On an idle machine nothing may be: whatever was written was flushed before the cut came.
        print("\(Self.rounds) power cuts, \(atStake) sectors at stake, \(unacknowledged) unacknowledged: \(report)")
        try await daemon.kill()
        _ = try await disk.cutPower(seed: 0, of: daemon.process)
    }

    private static func sendUntilCut(_ daemon: KioskdFixture, _ name: String) async -> Ledger {
        var ledger = Ledger()
        let client = daemon.client()
        defer { client.close() }
        for number in 0..<texts {
            // Every twentieth has a file of its own.
            let text = "\(name) number \(number)\n" + String(repeating: "x", count: number % 20 == 4 ? 70_000 : 600)
            do {
                try await ledger.send(.init(text: text, role: "receipt", key: "\(name)-\(number)"), by: client)
            } catch {
                Issue.record(error)
                break
            }
            if !ledger.unacknowledged.isEmpty { break }
        }
        return ledger
    }

    /// Under its number and no other.
    private func expectAll(of ledger: Ledger, at daemon: KioskdFixture, round: Int) async throws {
        let client = daemon.client()
        defer { client.close() }
        for (sent, jobs) in ledger.acknowledged {
            let found = try? await client.submit(text: sent.text, to: sent.role, key: sent.key)
            #expect([found?.id] == jobs, "round \(round): \(sent.key) is lost")
            #expect(found?.documentLength == Int64(sent.text.utf8.count))
        }
    }
}
