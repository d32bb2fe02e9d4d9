import Testing

@testable import USB

@Suite("The size of a transfer")
struct ChunkPaceTests {
    private func size(every interval: Duration, times: Int) -> Int {
        var pace = ChunkPace()
        var now = ContinuousClock.now
        pace.began(at: now)
        for _ in 0..<times {
            now += interval
            pace.ended(at: now)
        }
        return pace.chunk
    }

    @Test(arguments: [(1, 20, 262_144), (100, 20, 4096), (1000, 1, 2048), (1000, 20, 512)])
    func `follows the printer's speed`(milliseconds: Int, times: Int, size: Int) {
        #expect(self.size(every: .milliseconds(milliseconds), times: times) == size)
    }

    @Test func `does not follow the time in which nothing was to be sent`() {
        var pace = ChunkPace()
        let start = ContinuousClock.now
        pace.began(at: start)
        pace.ended(at: start + .milliseconds(1))
        pace.began(at: start + .seconds(60))
        pace.ended(at: start + .seconds(60) + .milliseconds(1))
        #expect(pace.chunk == 16384)
    }
}
