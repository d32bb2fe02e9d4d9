import KioskAPI
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// The daemon is ended at every single step of its work with the disk, the printers and the tills.
@Suite(.serialized) struct CrashPointTests {
    private static let batch = 4

    @Test(arguments: CrashPoint.Kind.allCases)
    func `wherever it is ended, nothing is lost, doubled in silence or called printed that is not`(
        kind: CrashPoint.Kind
    ) async throws {
        let fixture = try await FaultFixture<SimulatedPrinter>()
        var round = 0
        repeat {
            for number in 1... {
                let point = CrashPoint(kind: kind, number: number)
                guard try await fixture.start(crashingAt: point) else { continue }
                let (before, texts) = (fixture.ledger.jobs, fixture.ledger.acknowledged.count)
                try await fixture.send(Self.batch, name: "\(round)-\(point)")
                let ids = Set(fixture.ledger.jobs).subtracting(before)
                let areAccepted = fixture.ledger.acknowledged.count == texts + Self.batch
                let hasCrashed = try await fixture.waitForCrash(orJobs: ids, whereAll: areAccepted)
                try await fixture.kill()
                // It has done all that it had to do: there is no further step.
                guard hasCrashed else { break }
            }
            round += 1
        } while round < KioskTestSupport.rounds(1, long: 4)
        let report = try await fixture.compareWithPaper()
        #expect(fixture.crashes > 5, "\(report)")
        print("\(kind.rawValue): \(report)")
    }
}
