import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// `kill -9` of the daemon at any moment between accept and completion.
@Suite(.serialized) struct KillTests {
    /// Submissions in a round; the daemon dies somewhere amid them or while they print.
    private static let batch = 6

    @Test func `no acknowledged job is lost, and none is printed twice in silence`() async throws {
        var options = SimulatedPrinter.Options()
        options.port = try freePort()
        let printer = try await SimulatedPrinter.start(options)
        // Jobs take some milliseconds, so that many a crash meets one on the printer.
        try await printer.perform(.slow(milliseconds: 3))
        let daemon = try await KioskdFixture(printers: [printer.uri])
        let report = try await killAgainAndAgain(daemon, rounds: KioskTestSupport.rounds(30, long: 500)) {
            try await printer.copies()
        }
        print("simulated printer: \(report)")
    }

    /// A printer that takes one job at a time and is not ours.
    @Test func `nor on ippeveprinter`() async throws {
        let printer = try await EvePrinter()
        let daemon = try await KioskdFixture(printers: [printer.uri], more: "    job-type: general\n")
        let report = try await killAgainAndAgain(daemon, rounds: KioskTestSupport.rounds(20, long: 200)) {
            try printer.copies()
        }
        print("ippeveprinter: \(report)")
    }

    private func killAgainAndAgain(
        _ daemon: KioskdFixture, rounds: Int, paper: () async throws -> [String: Int]
    ) async throws -> String {
        var ledger = Ledger()
        for round in 0..<rounds {
            if round > 0 { try await daemon.start() }
            let killed = Task {
                try await Task.sleep(for: .microseconds(Int.random(in: 0...60_000)))
                try await daemon.kill()
            }
            let client = daemon.client()
            for number in 0..<Self.batch {
                let text = "round \(round) receipt \(number)\n" + String(repeating: "x", count: 1500)
                try await ledger.send(.init(text: text, role: "receipt", key: "key-\(round)-\(number)"), by: client)
            }
            client.close()
            try await killed.value
        }
        try await daemon.start()
        let client = daemon.client()
        let unacknowledged = ledger.unacknowledged.count
        try await ledger.sendAgain(by: client)
        #expect(ledger.acknowledged.count == rounds * Self.batch)
        return try await "\(unacknowledged) first unacknowledged, "
            + ledger.check(against: paper, by: client, doubts: rounds)
    }
}
