import KioskPrintModel
import KioskTestSupport
import KioskUSB
import Synchronization
import Testing

@Suite("Printers that take no more, over USB", .serialized, .timeLimit(.minutes(10)))
struct TimeoutsOnUSBBusTests {
    /// The bytes of status requests besides the job: less than a packet.
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
            // The time that it can need to print the data that it holds.
            #expect(clock.now.offset - start.offset > .seconds(30))
            try await bench.control("credit off")
            let next = try await clock.pass { try await bench.deliver("Next receipt\n") }
            #expect(next.evidence == .printed)
            #expect(try bench.count(of: "Next receipt\n") == 1)
        }
    }

    @Test func `A printer that takes a packet every 20 s is waited for`() async throws {
        let clock = ManualClock()
        try await TransportBench.run("TIMESLOW", clock: clock) { bench in
            _ = try await bench.transport.contact(bench.target)
            try await bench.control("credit \(512 + Self.questions)")
            let text = String(repeating: "x", count: 6000)
            let sent = Atomic(0)
            let delivery = Task {
                try await bench.deliver(text) {
                    if case .sending(let bytes, _) = $0 { sent.store(Int(bytes), ordering: .relaxed) }
                }
            }
            for packet in 1...10 {
                try await eventually("packet \(packet) is accepted") { sent.load(ordering: .relaxed) == packet * 512 }
                clock.advance(by: .seconds(20))
                try await bench.control("credit 512")
            }
            try await bench.control("credit off")
            #expect(try await clock.pass { try await delivery.value }.evidence == .printed)
            #expect(try bench.count(of: text) == 1)
        }
    }
}
