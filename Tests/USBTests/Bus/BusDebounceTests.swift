import Testing

@testable import KioskUSB

@Suite("When a bus is quiet enough for a scan")
struct BusDebounceTests {
    private let start = ContinuousClock.now

    @Test func `it is scanned when nothing has changed for a moment`() {
        var debounce = BusDebounce()
        #expect(debounce.due == nil)
        debounce.changed(at: start)
        debounce.changed(at: start + .milliseconds(60))
        #expect(debounce.due == start + .milliseconds(160))
        debounce.scanStarts()
        #expect(debounce.due == nil)
    }

    @Test func `a storm does not put it off for ever`() {
        var debounce = BusDebounce()
        for step in 0...100 { debounce.changed(at: start + .milliseconds(step * 50)) }
        #expect(debounce.due == start + BusDebounce.maximumDelay)
    }
}
