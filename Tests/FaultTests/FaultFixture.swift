import Foundation
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport

/// A daemon with two scripted printers, and the ledger of what was sent to it.
final class FaultFixture<Printer: ScriptedPrinter> {
    let printers: [Printer]
    let daemon: KioskdFixture
    var ledger = Ledger()
    private var starts = 0
    /// How often the daemon was ended.
    var crashes: Int { starts - 1 }

    /// Whatever may have put a job in doubt on a printer.
    private(set) var troubles = 0

    /// Roles over both printers: one for each thing that can be done about a job in doubt, one that prints on both, and
    /// one whose jobs soon expire.
    init(folder: TemporaryFolder? = nil) async throws {
        var printers: [Printer] = []
        for number in 1...2 { printers.append(try await Printer.start(number: number)) }
        self.printers = printers
        ledger.format = Printer.format
        let roles = [
            "order": "unconfirmed: hold", "coupon": "unconfirmed: drop", "kitchen": "policy: all",
            "flyer": "expires-after: 1",
        ]
        .map { "  \($0):\n    printers: [till-1, till-2]\n    \($1)\n" }
        let saved = printers.enumerated().map {
            "  - { id: till-\($0 + 1), url: \"\($1.uri)\"\(Printer.profile.map { ", profile: \($0)" } ?? "") }\n"
        }
        let receipt = "  receipt:\n    printers: [till-1, till-2]\n"
        daemon = try await KioskdFixture(
            folder: folder,
            registry: "version: 1\nprinters:\n\(saved.joined())roles:\n\(receipt)\(roles.joined())",
            arguments: ["--profiles", ShippedProfiles.folder])
        try await daemon.kill()
    }

    private let roles = ["receipt", "order", "coupon", "kitchen", "flyer"]

    /// Starts the daemon, which ends at this point if it comes to it; false where that was before it listened.
    func start(crashingAt point: CrashPoint? = nil) async throws -> Bool {
        starts += 1
        do {
            try await daemon.start(environment: try point?.environment() ?? [:])
            return true
        } catch let error as TestSupportError {
            guard point != nil, try !daemon.process.isRunning else { throw error }
            return false
        }
    }

    /// Has people act on a job or two of all those that were sent.
    func interfere(using random: inout some RandomNumberGenerator) async throws {
        let client = daemon.client()
        defer { client.close() }
        for _ in 0..<Int.random(in: 1...2, using: &random) { try await ledger.interfere(by: client, using: &random) }
    }

    /// Does something to a printer that may put the job there in doubt.
    func perform(_ commands: [Printer.Command], on printer: Int) async throws {
        troubles += 1
        for command in commands { try await printers[printer].perform(command) }
    }

    /// Sends so many jobs, one after the other, to the roles in turn.
    func send(_ count: Int, name: String) async throws {
        let client = daemon.client()
        defer { client.close() }
        for number in 0..<count {
            let role = roles[number % roles.count]
            // Every seventh is too long for the database, and has a file of its own; of these, every fifth is so long that
            // printers are asked first whether they take it.
            let place = number + ledger.count
            let length = place % 35 == 3 ? 300_000 : place % 7 == 3 ? 70_000 : 400 * (number + 1)
            let text = FaultText.text(name: "\(name) number \(number)", length: length)
            try await ledger.send(.init(text: text, role: role, key: "\(name)-\(number)"), by: client)
        }
    }

    /// Until nothing more happens, or the daemon has ended; true in that case. A job that nobody acknowledged has met
    /// its end.
    func waitForCrash(orJobs ids: Set<Job.ID>, whereAll areAccepted: Bool) async throws -> Bool {
        let client = daemon.client()
        defer { client.close() }
        try await eventually("the daemon to end, or its jobs", poll: .milliseconds(3)) {
            guard try daemon.process.isRunning else { return true }
            guard areAccepted else { return false }
            do {
                for id in ids where try await !client.job(id).isSettled { return false }
                return true
            } catch is KioskClientError {
                return false
            }
        }
        return try !daemon.process.isRunning
    }

    /// Without waiting for what it does.
    func kill() async throws {
        guard try daemon.process.isRunning else { return }
        try await daemon.kill()
    }

    /// How often each text came out whole, on both printers.
    func paper() async throws -> [String: Int] {
        var copies: [String: Int] = [:]
        for printer in printers { copies.merge(try await printer.copies()) { $0 + $1 } }
        return copies
    }

    /// All is in order again: whatever waits is to print now. Then the ledger is compared with the paper.
    func compareWithPaper() async throws -> String {
        if try !daemon.process.isRunning { _ = try await start() }
        for printer in printers { try await printer.mend() }
        let client = daemon.client()
        defer { client.close() }
        ledger.checkRefused(against: try await paper())
        try await ledger.sendAgain(by: client)
        for id in ledger.jobs {
            try await eventually("job \(id) to be settled") {
                // A loss of power may have been waiting for its document.
                for printer in printers { try await printer.mend() }
                return try await client.job(id, wait: .seconds(1)).isSettled
            }
        }
        // What a canceled attempt had begun may still be coming out.
        try await eventually("the printers to be done") {
            for printer in printers where try await !printer.isDone { return false }
            return true
        }
        // A crash meets one job on each printer at most, and a trouble one on its own.
        let doubts = crashes * printers.count + troubles
        return try await ledger.check(against: paper, by: client, printersAbort: troubles > 0, doubts: doubts)
            + ", \(crashes) crashes"
    }
}
