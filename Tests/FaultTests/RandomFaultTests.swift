import Foundation
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// Printers that fail in every way that they know, a daemon that is killed, a disk that is full, people who cancel,
/// release and print again: in any order and at once.
@Suite(.serialized) struct RandomFaultTests {
    private static let batch = 5
    /// The same seed makes the same faults; what meets them where is up to the clock. The long run has more than 10,000
    /// jobs.
    private static let seeds = Array(0..<KioskTestSupport.rounds(2, long: 60))
    private static let rounds = 35

    @Test(arguments: seeds)
    func `whatever fails, the ledger agrees with the paper`(seed: Int) async throws {
        try await run(seed, on: SimulatedPrinter.self)
    }

    @Test(arguments: seeds)
    func `whatever fails over raw TCP, the ledger agrees with the paper`(seed: Int) async throws {
        try await run(seed, on: SimulatedRawPrinter.self)
    }

    private func run<Printer: ScriptedPrinter>(_ seed: Int, on kind: Printer.Type) async throws {
        var random = SeededRandom(UInt64(seed))
        // Where tests may mount a file system.
        let disk = try? SmallDisk(megabytes: 24)
        let fixture = try await FaultFixture<Printer>(
            folder: try disk.map { try TemporaryFolder(at: "\($0.path)/state") })
        for round in 0..<Self.rounds {
            let faults = (0..<Int.random(in: 0...2, using: &random)).map { _ in
                (
                    printer: Int.random(in: 0..<fixture.printers.count, using: &random),
                    fault: Printer.randomFault(using: &random)
                )
            }
            let point = Int.random(in: 0..<3, using: &random) == 0 ? CrashPoint.random(using: &random) : nil
            let killAfter = Int.random(in: 0..<4, using: &random) == 0 ? Int.random(in: 0...80, using: &random) : nil
            let isFull = Int.random(in: 0..<8, using: &random) == 0
            if isFull { try disk?.fill() }
            let isUp = try await startOrFail(fixture, point, isFull: isFull)
            for (printer, fault) in faults { try await fixture.perform(fault.begin, on: printer) }
            let killing = Task { [daemon = fixture.daemon] in
                guard let killAfter else { return }
                try await Task.sleep(for: .milliseconds(killAfter))
                if try daemon.process.isRunning { try await daemon.kill() }
            }
            if isUp { try await fixture.send(Self.batch, name: "seed-\(seed)-round-\(round)") }
            if isUp, Bool.random(using: &random) { try await fixture.interfere(using: &random) }
            try await killing.value
            // Long enough that what could not be printed is worth nothing any more.
            if Int.random(in: 0..<12, using: &random) == 0 { try await Task.sleep(for: .milliseconds(1200)) }
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...60, using: &random)))
            if isFull { try disk?.makeRoom() }
            for (printer, fault) in faults {
                for command in fault.end { try await fixture.printers[printer].perform(command) }
            }
            if point != nil || killAfter != nil || !isUp { try await fixture.kill() }
        }
        print("\(kind), seed \(seed): \(try await fixture.compareWithPaper())")
    }

    /// The daemon may be running from the round before.
    private func startOrFail(
        _ fixture: FaultFixture<some ScriptedPrinter>, _ point: CrashPoint?, isFull: Bool
    ) async throws -> Bool {
        if (try? fixture.daemon.process.isRunning) == true {
            guard point != nil else { return true }
            try await fixture.kill()
        }
        do {
            return try await fixture.start(crashingAt: point)
        } catch let error as TestSupportError {
            // It cannot start without a byte of room, and says so.
            guard isFull, fixture.daemon.log.contains("disk is full") || fixture.daemon.log.contains("No space left")
            else {
                throw error
            }
            return false
        }
    }
}

extension CrashPoint {
    fileprivate static func random(using random: inout SeededRandom) -> CrashPoint {
        CrashPoint(
            kind: Kind.allCases.randomElement(using: &random) ?? .fsync, number: Int.random(in: 1...60, using: &random))
    }
}
