import DevicePrinting
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
            pace.ended(pace.chunk, at: elapsed.now)
        }
        return pace.chunk
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
        var (pace, taken) = (ChunkPace(), 0)
        pace.began(at: ElapsedClock(clock).now)
        for _ in 0..<30 {
            taken += pace.chunk
            pace.ended(pace.chunk, at: ElapsedClock(clock).now)
            #expect(taken > PrintPace.largestBuffer || pace.chunk <= taken / 2 + ChunkPace.smallest)
        }
        #expect(pace.chunk == ChunkPace.largest)
    }

    @Test(arguments: [(0, 512), (2, 512), (6, 1024), (10, 4096), (16, 8192), (50, 8192)])
    func `begins the next document with a part of the last, and never with much`(quick: Int, size: Int) {
        let clock = ManualClock()
        var pace = ChunkPace()
        for _ in 0..<quick { pace.ended(pace.chunk, at: ElapsedClock(clock).now) }
        let next = ChunkPace(after: pace)
        #expect(next.chunk == size)
    }

    @Test func `of a printer that waits once must prove itself anew before it grows fast`() {
        let clock = ManualClock()
        let elapsed = ElapsedClock(clock)
        var pace = ChunkPace()
        pace.began(at: elapsed.now)
        for _ in 0..<12 { pace.ended(pace.chunk, at: elapsed.now) }
        clock.advance(by: .milliseconds(100))
        pace.ended(pace.chunk, at: elapsed.now)
        #expect(pace.chunk == 32768)
        for _ in 0..<2 { pace.ended(16384, at: elapsed.now) }
        #expect(pace.chunk == 65536)
    }

    @Test func `does not follow the time in which nothing was to be sent`() {
        let clock = ManualClock()
        let elapsed = ElapsedClock(clock)
        var pace = ChunkPace()
        for _ in 0..<4 {
            pace.began(at: elapsed.now)
            clock.advance(by: .milliseconds(1))
            pace.ended(pace.chunk, at: elapsed.now)
            clock.advance(by: .seconds(60))
        }
        #expect(pace.chunk == 2048)
    }
}
