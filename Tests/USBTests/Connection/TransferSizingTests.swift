import KioskAsyncPrimitives
import KioskDevicePrinting
import Testing

@testable import KioskUSB

@Suite("The size of a transfer")
struct TransferSizingTests {
    /// The size after `quick` transfers that ended one millisecond apart, and `slow` ones that took a second.
    private func size(quick: Int, slow: Int) -> Int {
        let clock = ManualClock()
        let elapsed = ElapsedClock(clock)
        var sizing = TransferSizing()
        sizing.began(at: elapsed.now)
        for number in 0..<quick + slow {
            clock.advance(by: number < quick ? .milliseconds(1) : .seconds(1))
            sizing.ended(sizing.size, at: elapsed.now)
        }
        return sizing.size
    }

    @Test(arguments: [
        (0, 0, 512), (1, 0, 512), (2, 0, 1024), (4, 0, 2048), (12, 0, 32768), (14, 0, 262_144), (16, 0, 1_048_576),
        (50, 0, 1_048_576), (4, 1, 1024), (4, 5, 512), (0, 5, 512),
    ])
    func `follows the printer's speed`(quick: Int, slow: Int, size: Int) {
        #expect(self.size(quick: quick, slow: slow) == size)
    }

    @Test func `is never more than half of what was taken, and a packet, while that may lie in a buffer`() {
        let clock = ManualClock()
        var (sizing, accepted) = (TransferSizing(), 0)
        sizing.began(at: ElapsedClock(clock).now)
        for _ in 0..<30 {
            accepted += sizing.size
            sizing.ended(sizing.size, at: ElapsedClock(clock).now)
            let most = accepted / 2 + TransferSizing.minimumSize
            #expect(accepted > PrintTimeEstimate.maximumBuffer || sizing.size <= most)
        }
        #expect(sizing.size == TransferSizing.maximumSize)
    }

    @Test(arguments: [(0, 512), (2, 512), (6, 1024), (10, 4096), (16, 8192), (50, 8192)])
    func `begins the next document with a part of the last, and never with much`(quick: Int, size: Int) {
        let clock = ManualClock()
        var sizing = TransferSizing()
        for _ in 0..<quick { sizing.ended(sizing.size, at: ElapsedClock(clock).now) }
        let next = TransferSizing(after: sizing)
        #expect(next.size == size)
    }

    @Test func `of a printer that waits once must prove itself anew before it grows fast`() {
        let clock = ManualClock()
        let elapsed = ElapsedClock(clock)
        var sizing = TransferSizing()
        sizing.began(at: elapsed.now)
        for _ in 0..<12 { sizing.ended(sizing.size, at: elapsed.now) }
        clock.advance(by: .milliseconds(100))
        sizing.ended(sizing.size, at: elapsed.now)
        #expect(sizing.size == 32768)
        for _ in 0..<2 { sizing.ended(16384, at: elapsed.now) }
        #expect(sizing.size == 65536)
    }

    @Test func `does not follow the time in which nothing was to be sent`() {
        let clock = ManualClock()
        let elapsed = ElapsedClock(clock)
        var sizing = TransferSizing()
        for _ in 0..<4 {
            sizing.began(at: elapsed.now)
            clock.advance(by: .milliseconds(1))
            sizing.ended(sizing.size, at: elapsed.now)
            clock.advance(by: .seconds(60))
        }
        #expect(sizing.size == 2048)
    }
}
