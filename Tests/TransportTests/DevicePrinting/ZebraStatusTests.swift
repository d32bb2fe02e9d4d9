import KioskPrintModel
import Testing

@testable import KioskDevicePrinting

/// What label printers say in response to `~HS`, `~HQES` and `getvar`.
@Suite struct ZebraStatusTests {
    private static let hostStatus = """
        \u{02}030,0,0,1245,000,0,0,0,000,0,0,0\u{03}\r\n\u{02}000,0,0,0,0,2,4,0,00000000,1,000\u{03}\r\n\u{02}1234,0\u{03}\r\n
        """

    private static func parse(_ text: String) -> [ZebraReply] {
        var parser = ZebraReplyParser()
        return parser.feed(Array(text.utf8))
    }

    private static func status(_ text: String) throws -> ZebraHostStatus {
        guard case .hostStatus(let status)? = parse(text).first else { throw NoStatus() }
        return status
    }

    private struct NoStatus: Error {}

    @Test func `a ready printer that holds nothing`() throws {
        let status = try Self.status(Self.hostStatus)
        #expect(!status.isWorking)
        #expect(status.condition.availability().state == .ready)
        #expect(Self.parse(Self.hostStatus).count == 1)
    }

    @Test(
        arguments: [
            ("030,1,0,1245,000,0,0,0,000,0,0,0", "000,0,0,0,0,2,4,0,00000000,1,000", "media-empty"),
            ("030,0,1,1245,000,0,0,0,000,0,0,0", "000,0,0,0,0,2,4,0,00000000,1,000", "paused"),
            ("030,0,0,1245,000,0,0,0,000,0,0,1", "000,0,0,0,0,2,4,0,00000000,1,000", "fuser-over-temp"),
            ("030,0,0,1245,000,0,0,0,000,0,0,0", "000,0,1,0,0,2,4,0,00000000,1,000", "interlock-open"),
            ("030,0,0,1245,000,0,0,0,000,0,0,0", "000,0,0,1,0,2,4,0,00000000,1,000", "marker-supply-empty"),
        ])
    func `each flag has its reason`(first: String, second: String, reason: String) throws {
        let status = try Self.status("\u{02}\(first)\u{03}\r\n\u{02}\(second)\u{03}\r\n")
        #expect(status.condition.reasons.map(\.keyword) == [reason])
        #expect(status.condition.isStopped && status.condition.advice != nil)
    }

    @Test(
        arguments: [
            ("030,0,0,1245,002,0,0,0,000,0,0,0", "000,0,0,0,0,2,4,0,00000000,1,000"),
            ("030,0,0,1245,000,0,0,1,000,0,0,0", "000,0,0,0,0,2,4,0,00000000,1,000"),
            ("030,0,0,1245,000,0,0,0,000,0,0,0", "000,0,0,0,0,2,4,0,00000003,1,000"),
        ])
    func `formats, a partial format and remaining labels are work`(first: String, second: String) throws {
        #expect(try Self.status("\u{02}\(first)\u{03}\r\n\u{02}\(second)\u{03}\r\n").isWorking)
    }

    @Test(
        arguments: [
            ("1 00000000 00000001", "0 00000000 00000000", ["media-empty"]),
            ("1 00000000 00000005", "0 00000000 00000000", ["interlock-open", "media-empty"]),
            ("1 00000000 00080000", "0 00000000 00000000", ["paused"]),
            ("1 00000000 00000008", "0 00000000 00000000", ["separation-cutter-jam"]),
            ("0 00000000 00000000", "1 00000000 00000008", ["media-low"]),
            // The flag before the groups says whether they count.
            ("0 00000000 00000001", "0 00000000 00000000", []),
        ])
    func `errors and warnings`(errors: String, warnings: String, reasons: [String]) {
        let replies = Self.parse(
            "\u{02}\r\n  PRINTER STATUS                 \r\n   ERRORS:         \(errors)\r\n   WARNINGS:       \(warnings)\r\n\u{03}\r\n"
        )
        guard case .errors(let found)? = replies.first, replies.count == 1 else {
            Issue.record("\(replies)")
            return
        }
        #expect(found.condition.reasons.map(\.keyword) == reasons)
    }

    @Test func `the odometer stands between quotation marks`() {
        #expect(Self.parse("\"21744\"") == [.variable("21744")])
        #expect(ZebraCommand.labelCount(in: "21744 LABELS") == 21744)
        #expect(ZebraCommand.labelCount(in: "?") == nil)
        #expect(ZebraCommand.labelCount(in: String(repeating: "9", count: 40)) == nil)
    }

    @Test func `responses that come byte by byte are the same`() {
        var parser = ZebraReplyParser()
        let drip = Array(("\"7\"" + Self.hostStatus).utf8).flatMap { parser.feed([$0]) }
        #expect(drip == Self.parse("\"7\"" + Self.hostStatus))
        #expect(drip.count == 2 && !parser.isInsideReply)
    }

    @Test func `a truncated response does not spoil the next`() {
        let replies = Self.parse("\u{02}030,0,0,12" + Self.hostStatus)
        #expect(replies.first == .garbage(count: 11))
        guard case .hostStatus? = replies.last else {
            Issue.record("\(replies)")
            return
        }
    }

    @Test(
        arguments: [
            // One field too few, letters, a number too long, the second string alone.
            "\u{02}030,0,0,1245,000,0,0,0,000,0,0\u{03}", "\u{02}a30,0,0,1245,000,0,0,0,000,0,0,0\u{03}",
            "\u{02}030,0,0,123456789,000,0,0,0,000,0,0,0\u{03}", "\u{02}000,0,0,0,0,2,4,0,00000000,1,000\u{03}",
            "\u{02}\(String(repeating: "1", count: 600))\u{03}", "\"\(String(repeating: "1", count: 600))\"", "\u{03}",
            "ready",
        ])
    func `whatever else comes is garbage`(text: String) {
        let replies = Self.parse(text)
        #expect(!replies.isEmpty && replies.allSatisfy { if case .garbage = $0 { true } else { false } }, "\(replies)")
    }
}
