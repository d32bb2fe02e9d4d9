import Foundation
import KioskPrintModel
import Testing

@Suite struct TimestampTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"), (1, "1970-01-01T00:00:00.001Z"), (-1, "1969-12-31T23:59:59.999Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"), (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
        (4_107_542_399_999, "2100-02-28T23:59:59.999Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        (1_795_232_400_123, "2026-11-21T03:40:00.123Z"),
    ])
    func `is RFC 3339 text, both ways`(milliseconds: Int64, text: String) {
        let moment = Timestamp(millisecondsSince1970: milliseconds)
        #expect(moment.description == text)
        #expect(Timestamp(text) == moment)
    }

    @Test func `agrees with Foundation over eight thousand years`() throws {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        for _ in 0..<2000 {
            // From 1600 on, since Foundation's calendar is Julian before 1582; whole seconds, since its dates are
            // binary fractions.
            let seconds = Int64.random(in: -11_676_096_000...250_000_000_000)
            let moment = Timestamp(millisecondsSince1970: seconds * 1000)
            #expect(moment.description == Date(timeIntervalSince1970: Double(seconds)).formatted(style))
            #expect(Timestamp(moment.description) == moment)
        }
    }

    @Test(arguments: ["2026-11-21T03:40:00Z", "2026-11-21T03:40:00.000Z"])
    func `reads seconds with and without a fraction`(text: String) {
        #expect(Timestamp(text)?.description == "2026-11-21T03:40:00.000Z")
    }

    @Test func `reads a leap second as the next one`() {
        #expect(Timestamp("2016-12-31T23:59:60Z")?.description == "2017-01-01T00:00:00.000Z")
    }

    @Test(arguments: [
        "", "Z", "2026-11-21", "2026-11-21T03:40:00", "2026-11-21 03:40:00Z", "2026-11-21T03:40:00+01:00",
        "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-32T00:00:00Z", "2026-01-00T00:00:00Z",
        "2026-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z", "2026-01-01T00:00:61Z", "2026-01-01T00:00:00.12Z", "2026-01-01T00:00:00,123Z",
        "+026-01-01T00:00:00Z", "2026-1 -01T00:00:00Z", "2026-01-01T00:00:00.-12Z", "٢٠٢٦-01-01T00:00:00Z",
        "2026-01-01t00:00:00z",
    ])
    func `refuses anything else`(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test func `writes the ends of its range and stays there`() {
        let (first, last) = (Timestamp(millisecondsSince1970: .min), Timestamp(millisecondsSince1970: .max))
        #expect(first.description.hasPrefix("-29227"))
        #expect(last.description.hasPrefix("29227"))
        #expect(last.advanced(bySeconds: 1) == last)
        #expect(first.advanced(bySeconds: -1) == first)
        #expect(last.advanced(bySeconds: .max) == last)
        #expect(Timestamp(millisecondsSince1970: 0).advanced(bySeconds: .min) == first)
        #expect(Timestamp(millisecondsSince1970: 5).advanced(bySeconds: 2).millisecondsSince1970 == 2005)
        #expect(first < last)
    }

    @Test func `is a string in JSON`() throws {
        #expect(try json(Timestamp(millisecondsSince1970: 0)) == "\"1970-01-01T00:00:00.000Z\"")
        #expect(throws: DecodingError.self) { try value("\"yesterday\"", as: Timestamp.self) }
        #expect(throws: DecodingError.self) { try value("0", as: Timestamp.self) }
    }
}
