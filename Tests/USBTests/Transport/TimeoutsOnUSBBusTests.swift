import PrintModel
import TestSupport
import Testing
import USB

@Suite("Printers that take no more, over USB", .serialized, .timeLimit(.minutes(2)))
struct TimeoutsOnUSBBusTests {
    /// What questions may take besides the job: less than any packet of it.
    private static let questions = 100

    @Test(arguments: [0, 512, 5120, 9728])
    func `A job that is given up says how much was taken, and the next is clean`(credit: Int) async throws {
        let clock = ManualClock()
        try await TransportBench.run("TIME\(credit)", clock: clock) { bench in
            _ = try await bench.transport.contact(bench.target)
            try await bench.control("credit \(credit + Self.questions)")
            let start = clock.now
            let error = try await clock.pass {
                try await bench.failure { try await bench.deliver(String(repeating: "x", count: 10_000)) }
            }
            #expect(error.code == (credit == 0 ? .timedOut : .outcomeUnknown))
            #expect(error.bytesAccepted == credit)
            #expect(error.message.contains("switch it off and on"))
            // As long as it can need to print what it holds.
            #expect(clock.now.offset - start.offset > .seconds(30))
            try await bench.control("credit off")
            let next = try await clock.pass { try await bench.deliver("Next receipt\n") }
            #expect(next.evidence == .printed)
            #expect(try bench.count(of: "Next receipt\n") == 1)
        }
    }
}
