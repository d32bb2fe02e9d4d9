import Foundation
import KioskAPI
import KioskPrintModel
import Testing

@Suite struct KioskAPITimeNotationTests {
    private let now = Timestamp("2026-11-22T03:40:00.123Z")!

    @Test(arguments: [
        ("0s", "2026-11-22T03:40:00.123Z"), ("90s", "2026-11-22T03:38:30.123Z"), ("10m", "2026-11-22T03:30:00.123Z"),
        ("2h", "2026-11-22T01:40:00.123Z"), ("7d", "2026-11-15T03:40:00.123Z"),
        ("2026-03-14T09:30:00Z", "2026-03-14T09:30:00.000Z"), ("2026-11-22T03:40:00.001Z", "2026-11-22T03:40:00.001Z"),
    ])
    func `reads times ago and whole times`(text: String, moment: String) {
        #expect(TimeNotation.parse(text, at: now)?.description == moment)
    }

    @Test func `days begin at midnight here`() throws {
        for (text, ago) in [("today", 0), ("yesterday", 1)] {
            let moment = try #require(TimeNotation.parse(text, at: now))
            let date = Date(timeIntervalSince1970: Double(moment.millisecondsSince1970) / 1000)
            let whole = Date(timeIntervalSince1970: Double(now.millisecondsSince1970) / 1000)
            let start = Calendar.current.startOfDay(for: whole)
            #expect(date == Calendar.current.date(byAdding: .day, value: -ago, to: start))
        }
        let day = try #require(TimeNotation.parse("2026-03-14", at: now))
        let parts = Calendar.current.dateComponents(
            [.year, .month, .day, .hour, .minute],
            from: Date(timeIntervalSince1970: Double(day.millisecondsSince1970) / 1000))
        #expect([parts.year, parts.month, parts.day, parts.hour, parts.minute] == [2026, 3, 14, 0, 0])
    }

    @Test(arguments: [
        "", "10", "-1h", "+1h", "1.5h", "m", "10 m", "10min", "tomorrow", "Today", "2026-13-01", "2026-02-30",
        "2026-3-4", "14.03.2026",
        "2026-03-14T09:30", "99999999999999999999d", "10m\u{0}",
    ])
    func `refuses anything else`(text: String) {
        #expect(TimeNotation.parse(text, at: now) == nil)
    }
}
