import KioskDevicePrinting
import KioskPrintModel
import Testing

/// The replies of ESC/POS printers in one stream, byte for byte.
@Suite struct EscPosReplyParserTests {
    private static func parse(_ bytes: [UInt8], size: Int = .max) -> [EscPosReply] {
        var parser = EscPosReplyParser()
        var replies: [EscPosReply] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            replies += parser.feed(rest.prefix(size))
            rest = rest.dropFirst(size)
        }
        return replies
    }

    private static func status(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8) -> EscPosReply {
        .automaticStatus(EscPosAutomaticStatus(a, b, c, d))
    }

    /// A typical day: the status at the start, a job with its id, a request, paper low, a text.
    static let transcript: [UInt8] = [
        0x14, 0x00, 0x00, 0x0F, 0x37, 0x22, 0x30, 0x30, 0x30, 0x31, 0x00, 0x12, 0x16, 0x72, 0x00, 0x0C, 0x3C, 0x08,
        0x0C, 0x0F,
        0x5F, 0x54, 0x4D, 0x2D, 0x54, 0x38, 0x38, 0x00, 0x37, 0x25, 0x00,
    ]
    static let replies: [EscPosReply] = [
        status(0x14, 0x00, 0x00, 0x0F), .processID("0001"), .realTimeStatus(0x12), .realTimeStatus(0x16),
        .realTimeStatus(0x72), .status(0x00), .status(0x0C), status(0x3C, 0x08, 0x0C, 0x0F),
        .block(header: 0x5F, content: Array("TM-T88".utf8)), .cleared,
    ]

    @Test(arguments: [1, 2, 3, 5, 7, .max])
    func `a mixed stream is told apart in pieces of any size`(_ size: Int) {
        #expect(Self.parse(Self.transcript, size: size) == Self.replies)
    }

    @Test func `flow control may stand between and inside all of them`() {
        let interrupted: [UInt8] = Self.transcript.flatMap { [$0, 0x13, 0x11] as [UInt8] }
        #expect(Self.parse(interrupted) == Self.replies)
    }

    @Test(
        arguments: [
            // A status of which three bytes arrived, then a response.
            ([0x10, 0x00, 0x00, 0x12], [.garbage(count: 3), .realTimeStatus(0x12)]),
            // A status that another one truncates.
            ([0x10, 0x00, 0x14, 0x00, 0x00, 0x0F], [.garbage(count: 2), status(0x14, 0x00, 0x00, 0x0F)]),
            // An id whose end was lost.
            ([0x37, 0x22, 0x30, 0x30, 0x12], [.garbage(count: 4), .realTimeStatus(0x12)]),
            ([0x37, 0x22, 0x30, 0x30, 0x10, 0x00, 0x00, 0x0F], [.garbage(count: 4), status(0x10, 0x00, 0x00, 0x0F)]),
            // An id too short, one too long, and one with a character that none may have: no ids.
            ([0x37, 0x22, 0x30, 0x00], [.block(header: 0x37, content: [0x22, 0x30])]),
            ([0x37, 0x22, 0x30, 0x30, 0x30, 0x30, 0x20, 0x00], [.garbage(count: 6), .status(0x20), .status(0x00)]),
            // An id whose NUL was lost, and the next.
            (
                [0x37, 0x22, 0x30, 0x30, 0x30, 0x31, 0x37, 0x22, 0x30, 0x30, 0x30, 0x32, 0x00],
                [.garbage(count: 6), .processID("0002")]
            ),
            ([0x37, 0x25, 0x37, 0x25, 0x00], [.garbage(count: 2), .cleared]),
            // No header, whatever its bits.
            ([0x31, 0x71, 0x12], [.garbage(count: 2), .realTimeStatus(0x12)]),
            (
                [0x37, 0x22, 0x30, 0x30, 0x30, 0x7F, 0x00],
                [.block(header: 0x37, content: [0x22, 0x30, 0x30, 0x30, 0x7F])]
            ),
            ([0x37, 0x00], [.block(header: 0x37, content: [])]),
            ([0xFF, 0x80, 0x15, 0x12], [.garbage(count: 3), .realTimeStatus(0x12)]),
            ([0x12, 0xFF], [.realTimeStatus(0x12), .garbage(count: 1)]),
        ] as [([UInt8], [EscPosReply])])
    func `what is broken off costs itself and nothing more`(_ bytes: [UInt8], _ expected: [EscPosReply]) {
        #expect(Self.parse(bytes) == expected)
    }

    @Test func `a block without an end is given up`() {
        let bytes: [UInt8] = [0x5F] + [UInt8](repeating: 0x41, count: 1000) + [0x00, 0x12]
        var parser = EscPosReplyParser()
        let replies = parser.feed(bytes)
        #expect(replies.first == .garbage(count: 1 + EscPosReplyParser.maximumBlockLength))
        #expect(replies.last == .realTimeStatus(0x12))
        #expect(!parser.isInsideReply)
    }

    @Test func `every beginning of a stream gives the beginning of its replies`() {
        for count in 0...Self.transcript.count {
            let replies = Self.parse(Array(Self.transcript.prefix(count)))
            #expect(replies == Array(Self.replies.prefix(replies.count)))
        }
    }
}
