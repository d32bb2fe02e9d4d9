import KioskDevicePrinting
import Testing

/// Star's automatic status on the wire.
@Suite struct StarStatusTests {
    private static let seven: [UInt8] = [0x0F, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00]
    private static let nine: [UInt8] = [0x23, 0x06, 0x02, 0x00, 0x00, 0x00, 0x00, 0x0A, 0x00]
    private static let network: [UInt8] = [
        0x23, 0x86, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x41, 0x12, 0xFF,
    ]

    private static func parse(_ bytes: [UInt8], size: Int = .max) -> [StarStatusParser.Reply] {
        var parser = StarStatusParser()
        var replies: [StarStatusParser.Reply] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            replies += parser.feed(rest.prefix(size))
            rest = rest.dropFirst(size)
        }
        return replies
    }

    private static func statuses(_ replies: [StarStatusParser.Reply]) -> [[UInt8]] {
        replies.compactMap { if case .status(let status) = $0 { status.bytes } else { nil } }
    }

    @Test(arguments: [1, 2, 3, 5, .max])
    func `statuses of any length follow each other in pieces of any size`(_ size: Int) throws {
        let replies = Self.parse(Self.seven + Self.nine + Self.network + Self.seven, size: size)
        #expect(replies.count == 4)
        #expect(Self.statuses(replies) == [Self.seven, Self.nine, Array(Self.network.prefix(9)), Self.seven])
        guard case .status(let third) = replies[2] else { return }
        #expect(third.attached == [0x41, 0x12, 0xFF])
    }

    /// Star's own table, from 7 to 15 bytes.
    @Test(arguments: zip([0x0F, 0x21, 0x23, 0x25, 0x27, 0x29, 0x2B, 0x2D, 0x2F] as [UInt8], 7...15))
    func `the first header counts the bytes`(_ header: UInt8, _ count: Int) {
        let bytes = [header] + [UInt8](repeating: 0, count: count - 1)
        #expect(Self.statuses(Self.parse(bytes + bytes)) == [bytes, bytes])
        #expect(Self.parse(Array(bytes.dropLast())).isEmpty)
    }

    @Test func `the ETB counter stands in two parts of its byte`() throws {
        for count in UInt8(0)..<32 {
            var bytes = Self.nine
            bytes[7] = (count & 0x18) << 2 | (count & 0x07) << 1
            guard case .status(let status)? = Self.parse(bytes).first else {
                Issue.record("no status")
                return
            }
            #expect(status.etbCount == count)
            #expect(status.isETBExecuted)
        }
        guard case .status(let old)? = Self.parse(Self.seven).first else { return }
        #expect(old.etbCount == nil)
        #expect(!old.isETBExecuted)
    }

    @Test(
        arguments: [
            ("a status broken off by the next", Array(nine.prefix(4)) + seven, 4),
            ("bytes before the header", [0x00, 0xFF, 0x10] + seven, 3),
            ("a header that counts too few", [0x0D] + seven, 1),
            ("an attachment that is too long", Array(network.prefix(9)) + [0x7F, 0xFF] + seven, 11),
        ] as [(String, [UInt8], Int)])
    func `what is broken costs itself and nothing more`(_ what: String, _ bytes: [UInt8], _ garbage: Int) {
        let replies = Self.parse(bytes)
        #expect(replies.first == .garbage(count: garbage))
        #expect(Self.statuses(replies) == [Self.seven])
    }
}
