import KioskTestSupport
import Testing

/// A site and its hub through random faults: whatever happens, an office that repeats its jobs until they are reported
/// has each printed once, or is told that nobody knows.
///
/// One round of a seed after the other: each has a hub of its own. `SEEDS=17` plays a seed again.
@Suite(.serialized) struct KioskdFleetRandomFaultTests {
    @Test(.timeLimit(.minutes(30)), arguments: seeds(2, long: 1000))
    func `each job is printed once, or in doubt`(seed: Int) async throws {
        try await FleetFaultRounds.run(seed: seed, kiosks: 1, atThreeServers: seed % 8 == 2)
    }

    @Test(.timeLimit(.minutes(30)), arguments: seeds(2, long: 1000))
    func `each job of a pair is printed once, or in doubt`(seed: Int) async throws {
        try await FleetFaultRounds.run(seed: seed, kiosks: 2, atThreeServers: seed % 8 == 3)
    }
}
