import KioskPrintModel
import Testing

@testable import KioskDevicePrinting

/// What office printers say in PJL (the examples are those of HP's reference manual).
@Suite struct PJLStatusTests {
    private static func parse(_ text: String) -> [PJLReply] {
        var parser = PJLReplyParser()
        return parser.feed(Array(text.utf8))
    }

    @Test func `the status that was asked for`() {
        let replies = Self.parse("@PJL INFO STATUS\r\nCODE=10001\r\nDISPLAY=\"00 READY\"\r\nONLINE=TRUE\r\n\u{0C}")
        #expect(replies == [.status(PJLStatus(code: 10001, isOnline: true))])
    }

    @Test func `a job begins, ends and is cancelled`() {
        let replies = Self.parse(
            """
            @PJL USTATUS JOB\r\nSTART\r\nNAME="JOB 14993"\r\n\u{0C}@PJL USTATUS JOB\r\nEND\r\nNAME="JOB 14993"\r\n\
            PAGES=3\r\n\u{0C}@PJL USTATUS JOB\r\nCANCELED\r\nID=346\r\nRESULT=USER_CANCELED\r\n\u{0C}
            """)
        #expect(
            replies == [
                .job(.started, name: "JOB 14993"), .job(.ended(pages: 3, result: nil), name: "JOB 14993"),
                .job(.cancelled(result: "USER_CANCELED"), name: nil),
            ])
    }

    @Test(
        arguments: [
            (10001, []), (10023, []), (40021, ["cover-open"]), (40022, ["media-jam"]), (42022, ["media-jam"]),
            (41102, ["media-needed"]), (40079, ["offline"]), (44031, ["media-jam"]), (50000, ["other"]),
            // Toner is low, and it prints.
            (40038, []), (35031, []),
        ] as [(Int, [String])])
    func `status codes have reasons`(code: Int, reasons: [String]) {
        let condition = PJLStatus(code: code, isOnline: true).condition
        #expect(condition.reasons.map(\.keyword) == reasons)
        #expect(condition.isStopped == !reasons.isEmpty)
    }

    @Test func `one that is offline for no other reason is offline`() {
        #expect(PJLStatus(code: 10002, isOnline: false).condition.reasons.map(\.keyword) == ["offline"])
    }

    @Test func `one without its end does not swallow the next`() {
        let replies = Self.parse("@PJL INFO STA\r\n@PJL USTATUS JOB\r\nEND\r\nNAME=\"a\"\r\nPAGES=x\r\n\u{0C}")
        #expect(replies.last == .job(.ended(pages: 0, result: nil), name: "a"))
    }

    @Test func `a result that is no keyword is not shown to people`() {
        let replies = Self.parse("@PJL USTATUS JOB\r\nEND\r\nNAME=\"a\"\r\nRESULT=\u{1B}[2J\r\n\u{0C}")
        #expect(replies == [.job(.ended(pages: nil, result: "UNKNOWN"), name: "a")])
    }

    @Test func `one that needs an operator is stopped where it is off-line`() {
        #expect(PJLStatus(code: 40010, isOnline: false).condition.reasons.map(\.keyword) == ["other"])
    }

    @Test func `responses that come byte by byte are the same`() {
        let text = "\r\n@PJL USTATUS DEVICE\r\nCODE=40021\r\nDISPLAY=\"CLOSE COVER\"\r\nONLINE=FALSE\r\n\u{0C}"
        var parser = PJLReplyParser()
        #expect(Array(text.utf8).flatMap { parser.feed([$0]) } == Self.parse(text))
        #expect(!parser.isInsideReply)
    }

    @Test func `noise before a response is garbage, and the response counts`() {
        #expect(
            Self.parse("xx@P@PJL INFO STATUS\r\nCODE=10001\r\n\u{0C}") == [
                .garbage(count: 4), .status(PJLStatus(code: 10001, isOnline: nil)),
            ])
    }

    @Test(
        arguments: [
            "@PJL INFO STATUS\r\nCODE=ready\r\n\u{0C}", "@PJL ECHO 12:07\r\n\u{0C}", "@PJL\u{0C}",
            "@PJL USTATUS JOB\r\n\u{0C}", "@PJL USTATUS JOB\r\nPAUSED\r\n\u{0C}",
        ])
    func `other responses mean nothing`(text: String) { #expect(Self.parse(text) == [.other]) }

    @Test func `one without an end is dropped`() {
        let replies = Self.parse("@PJL " + String(repeating: "x", count: 10_000))
        #expect(!replies.isEmpty && replies.allSatisfy { if case .garbage = $0 { true } else { false } })
    }
}
