import KioskDevicePrinting
import KioskPrintModel
import Testing

/// How long to wait for a silent printer. Times are plain numbers.
@Suite struct ProgressDeadlineTests {
    private struct Moment: InstantProtocol {
        var time: Duration
        func advanced(by duration: Duration) -> Moment { Moment(time: time + duration) }
        func duration(to other: Moment) -> Duration { other.time - time }
        static func < (left: Moment, right: Moment) -> Bool { left.time < right.time }
    }
    private static func at(_ seconds: Int) -> Moment { Moment(time: .seconds(seconds)) }

    @Test func `a printer that takes bytes is never given up`() {
        var deadline = ProgressDeadline(PrintTimeEstimate(margin: .seconds(10)), start: Self.at(0))
        for second in stride(from: 9, to: 36_000, by: 9) {
            #expect(!deadline.isOver(at: Self.at(second)))
            deadline.noteAccepted(1, at: Self.at(second))
        }
    }

    @Test func `a silent printer is given the time that its paper takes, and no more`() {
        var deadline = ProgressDeadline(
            PrintTimeEstimate(DeviceSettings(paperSpeed: 50), margin: .seconds(10)), start: Self.at(0))
        deadline.prints(3000)
        deadline.prints(20)
        deadline.noteAccepted(4096, at: Self.at(5))
        #expect(deadline.deadline == Self.at(5 + 60 + 10))
        deadline.noteAccepted(0, at: Self.at(20))
        #expect(!deadline.isOver(at: Self.at(74)))
        #expect(deadline.isOver(at: Self.at(75)))
        deadline.progressed(at: Self.at(70))
        #expect(!deadline.isOver(at: Self.at(75)))
    }

    @Test func `a printer may have taken what is on its way to it without telling yet`() {
        let estimate = PrintTimeEstimate(DeviceSettings(paperSpeed: 50), margin: .seconds(10))
        var deadline = ProgressDeadline(estimate, start: Self.at(0), underWay: 11 * 3000)
        #expect(deadline.deadline == Self.at(60 + 10))
        deadline.noteAccepted(512, at: Self.at(1))
        #expect(deadline.deadline == Self.at(1 + 60 + 10))
    }

    @Test func `a stopped printer is waited for without end`() {
        var deadline = ProgressDeadline(PrintTimeEstimate(margin: .seconds(10)), start: Self.at(0))
        deadline.stopped(at: Self.at(5))
        #expect(deadline.deadline == nil)
        #expect(!deadline.isOver(at: Self.at(1_000_000)))
        deadline.resumed(at: Self.at(2000))
        #expect(deadline.deadline == Self.at(2010))
    }

    @Test func `a metre-long receipt of text on the slowest paper is waited for to its end`() {
        // 250 lines of 48 characters, 4.2 mm each, at 15 mm/s: 70 s.
        #expect(PrintTimeEstimate(margin: .zero).maximumSilence(holding: 250 * 48) > .seconds(70))
    }

    @Test func `no number makes the wait endless or negative`() {
        for length in [0, -1, Int.max, Int.min] {
            for speed in [nil, 0, -1, 1, Int.max] as [Int?] {
                for held in [0, -1, Int.max] {
                    var estimate = PrintTimeEstimate(DeviceSettings(paperSpeed: speed), margin: .seconds(1))
                    estimate.length = length
                    let silence = estimate.maximumSilence(holding: held)
                    #expect(silence >= .seconds(1))
                    #expect(silence <= .seconds(100_001))
                }
            }
        }
        var deadline = ProgressDeadline(PrintTimeEstimate(), start: Self.at(0))
        deadline.noteAccepted(.max, at: Self.at(1))
        deadline.noteAccepted(.max, at: Self.at(2))
        #expect(deadline.deadline != nil)
    }
}
