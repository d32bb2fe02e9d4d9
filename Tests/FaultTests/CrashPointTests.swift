import KioskAPI
import PrintModel
import SimulatedPrinter
import TestSupport
import Testing

/// The daemon is ended at every single step of its work with the disk, the printers and the tills.
@Suite(.serialized) struct CrashPointTests {
    private static let batch = 4

    @Test(arguments: CrashPoint.Kind.allCases)
    func `wherever it is ended, nothing is lost, doubled in silence or called printed that is not`(
        kind: CrashPoint.Kind
    ) async throws {
        let shop = try await FaultyShop()
        var round = 0
        repeat {
            for number in 1... {
                let point = CrashPoint(kind: kind, number: number)
                guard try await shop.start(crashingAt: point) else { continue }
                let (before, texts) = (shop.ledger.jobs, shop.ledger.acknowledged.count)
                try await shop.send(Self.batch, name: "\(round)-\(point)")
                let ids = Set(shop.ledger.jobs).subtracting(before)
                let areAccepted = shop.ledger.acknowledged.count == texts + Self.batch
                let hasCrashed = try await shop.waitForCrash(orJobs: ids, whereAll: areAccepted)
                try await shop.kill()
                // It has done all that it had to do: there is no further step.
                guard hasCrashed else { break }
            }
            round += 1
        } while round < TestSupport.rounds(1, long: 4)
        let report = try await shop.closeBooks()
        #expect(shop.crashes > 5, "\(report)")
        print("\(kind.rawValue): \(report)")
    }
}
