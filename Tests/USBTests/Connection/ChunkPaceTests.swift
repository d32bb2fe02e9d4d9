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
        (0, 0, 512), (3, 0, 512), (4, 0, 1024), (8, 0, 2048), (36, 0, 262_144), (50, 0, 262_144), (8, 1, 1024), (8, 5, 512), (0, 5, 512),
    ])
    func `follows the printer's speed`(quick: Int, slow: Int, size: Int) {
        #expect(self.size(quick: quick, slow: slow) == size)
    }

    @Test func `does not follow the time in which nothing was to be sent`() {
        let clock = ManualClock()
        let elapsed = ElapsedClock(clock)
        var pace = ChunkPace()
        for _ in 0..<8 {
            pace.began(at: elapsed.now)
            clock.advance(by: .milliseconds(1))
            pace.ended(at: elapsed.now)
            clock.advance(by: .seconds(60))
        }
        #expect(pace.chunk == 2048)
    }
}
