import DeviceStatus
import Testing
@testable import USB

@Suite("The size of a transfer")
struct ChunkPaceTests {
    /// After transfers that ended one millisecond after each other, and then some that took a second.
    private func size(quick: Int, slow: Int) -> Int {
        let clock = ManualClock()
        let elapsed = ElapsedClock(clock)
        var pace = ChunkPace()
        pace.began(at: elapsed.now)
        for number in 0..<quick + slow {
            clock.advance(by: number < quick ? .milliseconds(1) : .seconds(1))
            pace.ended(at: elapsed.now)
        }
        return pace.chunk
    }

    @Test(arguments: [
        (0, 0, 512), (1, 0, 512), (2, 0, 1024), (4, 0, 2048), (18, 0, 262_144), (50, 0, 262_144), (4, 1, 1024), (4, 5, 512), (0, 5, 512),
    ])
    func `follows the printer's speed`(quick: Int, slow: Int, size: Int) {
        #expect(self.size(quick: quick, slow: slow) == size)
    }

    @Test func `is never more than half of what was taken, and a packet`() {
        let clock = ManualClock()
        var (pace, taken) = (ChunkPace(), 0)
        pace.began(at: ElapsedClock(clock).now)
        for _ in 0..<30 {
            taken += pace.chunk
            pace.ended(at: ElapsedClock(clock).now)
            #expect(pace.chunk <= taken / 2 + ChunkPace.smallest)
        }
        #expect(pace.chunk == ChunkPace.largest)
    }

    @Test func `does not follow the time in which nothing was to be sent`() {
        let clock = ManualClock()
        let elapsed = ElapsedClock(clock)
        var pace = ChunkPace()
        for _ in 0..<4 {
            pace.began(at: elapsed.now)
            clock.advance(by: .milliseconds(1))
            pace.ended(at: elapsed.now)
            clock.advance(by: .seconds(60))
        }
        #expect(pace.chunk == 2048)
    }
}
