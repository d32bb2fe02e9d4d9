import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskEngine

/// Printers that answer that they are busy.
@Suite struct BusyBackoffTests {
    private static let megabytes: Int64 = 3 << 20

    /// The times at which a document is offered within this many seconds, the first at zero.
    private static func offers(within seconds: Int, length: Int64, retryAfter: Duration? = nil) -> [Duration] {
        var backoff = BusyBackoff(documentLength: length)
        var times: [Duration] = [.zero]
        while let last = times.last {
            let next = last + backoff.next(notBefore: retryAfter)
            guard next <= .seconds(seconds) else { break }
            times.append(next)
        }
        return times
    }

    @Test func `a receipt is offered again within milliseconds, then ever later, at most five seconds apart`() {
        let times = Self.offers(within: 60, length: 400)
        #expect(Array(times.prefix(5)) == [0, 2, 6, 14, 30].map { .milliseconds($0) })
        #expect(times.count == 23)
        #expect(zip(times.dropFirst(), times).map { $0 - $1 }.max() == .seconds(5))
    }

    @Test func `of a long document that is sent in vain each time there are six in twenty seconds`() {
        let times = Self.offers(within: 20, length: Self.megabytes)
        #expect(times == [0, 500, 1500, 3500, 7500, 15500].map { .milliseconds($0) })
        #expect(Self.offers(within: 60, length: Self.megabytes).count == 10)
    }

    @Test(arguments: [400, megabytes])
    func `a printer that asks to be left alone is, up to a minute`(length: Int64) {
        #expect(Self.offers(within: 20, length: length, retryAfter: .seconds(7)) == [.zero, .seconds(7), .seconds(14)])
        #expect(Self.offers(within: 100, length: length, retryAfter: .seconds(86_400)) == [.zero, .seconds(60)])
        // It may ask for less than is well.
        #expect(Self.offers(within: 60, length: length, retryAfter: .zero) == Self.offers(within: 60, length: length))
    }

    @Test func `a minute of busy costs a job some twenty offers, and is shown`() async throws {
        let clock = SteppedClock()
        let kiosk = try await TestKiosk(clock: clock.clock, prepare: { $0.set("till-1", .isBusy(times: .max)) })
        let job = try await kiosk.submit("one coffee", role: "held")
        for _ in 0..<60 {
            clock.advance(by: .seconds(1))
            // The attempt goes on before the next second, or is the later for it: its offers are no more then.
            await Task.yield()
        }
        try await eventually("the job to say so") {
            clock.advance(by: .milliseconds(500))
            return try await kiosk.engine.job(job.id).message?.contains("is busy; it is offered the job again in")
                == true
        }
        let offers = kiosk.transport.deliveries.count
        #expect(offers <= 40, "\(offers)")
        let shown = try await kiosk.engine.printer(.test("till-1")).availability
        #expect(shown.isAvailable)
        #expect(shown.reasons == [.busyWithOthers] || shown.state == .ready)
        kiosk.transport.set("till-1", .prints)
        try await eventually("the job to print") {
            clock.advance(by: .milliseconds(500))
            return try await kiosk.engine.job(job.id).state == .completed
        }
        let printed = try await kiosk.engine.job(job.id)
        #expect(printed.attempts == 1 && printed.message == nil)
        #expect(kiosk.transport.texts == ["one coffee"])
        clock.release()
        try await kiosk.stop()
    }
}
