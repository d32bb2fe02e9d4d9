import Testing

@testable import USB

@Suite("When a bus has settled")
struct SettlingTests {
    private let start = ContinuousClock.now

    @Test func `it is looked at when nothing has changed for a moment`() {
        var settling = Settling()
        #expect(settling.due == nil)
        settling.changed(at: start)
        settling.changed(at: start + .milliseconds(60))
        #expect(settling.due == start + .milliseconds(160))
        settling.settled()
        #expect(settling.due == nil)
    }

    @Test func `a storm does not put it off for ever`() {
        var settling = Settling()
        for step in 0...100 { settling.changed(at: start + .milliseconds(step * 50)) }
        #expect(settling.due == start + Settling.longest)
    }
}
