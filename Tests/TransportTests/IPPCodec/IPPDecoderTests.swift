import KioskIPPCodec
import Testing

@Suite struct IPPDecoderTests {
    private let small = WireBytes.message(WireBytes.attribute(0x44, "media-ready", "na_letter_8.5x11in"))

    @Test func `tells in which chunk and at which index the document begins`() throws {
        var decoder = IPPDecoder()
        guard case .needsMore = try decoder.feed(small[..<10]) else { Issue.record("too early"); return }
        #expect(decoder.offset == 10)
        let rest = small[10...] + "PDF".utf8
        guard case .complete(let message, let index) = try decoder.feed(rest) else { Issue.record("too late"); return }
        #expect(index == small.count - 10)
        #expect(message.attribute("media-ready", in: .printer)?.strings == ["na_letter_8.5x11in"])
        #expect(try decoder.finish() == message)
    }

    @Test func `takes nothing more once the message is whole`() throws {
        var decoder = IPPDecoder()
        _ = try decoder.feed(small)
        guard case .complete(_, let index) = try decoder.feed(Array("more".utf8)) else { Issue.record("lost"); return }
        #expect(index == 0)
        #expect(decoder.offset == small.count)
    }

    @Test func `takes empty chunks`() throws {
        var decoder = IPPDecoder()
        for byte in small.dropLast() {
            _ = try decoder.feed([])
            _ = try decoder.feed([byte])
        }
        guard case .complete(_, let index) = try decoder.feed([0x03]) else { Issue.record("lost"); return }
        #expect(index == 1)
    }

    @Test func `stays at its error`() {
        var decoder = IPPDecoder()
        let invalid = WireBytes.header(0) + [0x00]
        let first = #expect(throws: IPPDecodingError.self) { try decoder.feed(invalid) }
        let second = #expect(throws: IPPDecodingError.self) { try decoder.feed(small) }
        let third = #expect(throws: IPPDecodingError.self) { try decoder.finish() }
        #expect(first?.offset == 8)
        #expect(first == second && second == third)
    }

    @Test func `an error says where and what`() {
        let invalid = WireBytes.header(0) + [0x04] + WireBytes.attribute(0x21, "copies", [1])
        let error = #expect(throws: IPPDecodingError.self) { try IPPDecoder.decode(invalid) }
        #expect(error?.description == "IPP message refused at byte 20: a value of integer has 1 octets instead of 4")
    }

    @Test func `decodes a message without groups and one with empty groups`() throws {
        for bytes in [WireBytes.header(7) + [3], WireBytes.header(7) + [1, 4, 4, 2, 3]] {
            let (message, _) = try IPPDecoder.decode(bytes)
            #expect(message.groups.map(\.tag.rawValue) == bytes[8...].dropLast())
            #expect(try message.encoded() == bytes)
        }
    }

    @Test func `keeps groups whose tag is not known`() throws {
        let bytes = WireBytes.header(0) + [0x0F] + WireBytes.attribute(0x44, "a", "b") + [0x0B, 0x03]
        let (message, _) = try IPPDecoder.decode(bytes)
        #expect(message.groups.map(\.tag.rawValue) == [0x0F, 0x0B])
        #expect(try message.encoded() == bytes)
    }

    @Test func `keeps order, repeated attributes and mixed syntaxes`() throws {
        let bytes = WireBytes.message(
            WireBytes.attribute(0x44, "media", "a") + WireBytes.additional(0x42, "my paper")
                + WireBytes.additional(0x13, []),
            WireBytes.attribute(0x44, "media", "b"), WireBytes.attribute(0x44, "Media", "c"))
        let (message, _) = try IPPDecoder.decode(bytes)
        let attributes = try #require(message.first(.printer)?.attributes)
        #expect(attributes.map(\.name) == ["media", "media", "Media"])
        #expect(attributes[0].values == [.keyword("a"), .name("my paper"), .noValue])
        #expect(try message.encoded() == bytes)
    }

    struct Malformed: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let body: [UInt8]
        let code: IPPDecodingError.Code
        /// Counted from the end of the header.
        let offset: Int

        init(_ description: String, _ body: [UInt8], _ code: IPPDecodingError.Code, _ offset: Int) {
            (testDescription, self.body, self.code, self.offset) = (description, body, code, offset)
        }
    }

    static let malformed = [
        Malformed("reserved delimiter", [0x01, 0x00], .invalidTag, 1),
        Malformed("attribute before the first group", WireBytes.attribute(0x44, "a", "b"), .invalidTag, 0),
        Malformed("additional value first in its group", [0x01] + WireBytes.additional(0x44, "b"), .strayValue, 1),
        Malformed(
            "additional value first in the next group",
            [0x01] + WireBytes.attribute(0x44, "a", "b") + [0x02] + WireBytes.additional(0x44, "b"), .strayValue, 9),
        Malformed("name that is not UTF-8", [0x01, 0x44, 0, 1, 0xFF, 0, 0], .invalidName, 4),
        Malformed("name length with the high bit set", [0x01, 0x44, 0x80, 0], .limitExceeded, 2),
        Malformed("value length with the high bit set", [0x01, 0x44, 0, 1, 0x61, 0x80, 0], .limitExceeded, 5),
        Malformed("endCollection alone", [0x01] + WireBytes.endCollection, .malformedCollection, 1),
        Malformed("memberAttrName alone", [0x01] + WireBytes.memberName("a"), .malformedCollection, 1),
        Malformed(
            "group tag in a collection", [0x01] + WireBytes.attribute(0x34, "c", []) + [0x02], .malformedCollection, 7),
        Malformed("end in a collection", [0x01] + WireBytes.attribute(0x34, "c", []) + [0x03], .malformedCollection, 7),
        Malformed("begCollection with a value", [0x01] + WireBytes.attribute(0x34, "c", "x"), .invalidLength, 1),
        Malformed(
            "endCollection with a value",
            [0x01] + WireBytes.attribute(0x34, "c", []) + WireBytes.additional(0x37, "x"), .invalidLength, 12),
        Malformed(
            "endCollection with a name",
            [0x01] + WireBytes.attribute(0x34, "c", []) + WireBytes.attribute(0x37, "x", []), .invalidName, 8),
        Malformed(
            "value without a member's name",
            [0x01] + WireBytes.attribute(0x34, "c", []) + WireBytes.additional(0x44, "x"), .strayValue, 7),
        Malformed(
            "member without a value",
            [0x01] + WireBytes.attribute(0x34, "c", []) + WireBytes.memberName("m") + WireBytes.endCollection,
            .malformedCollection, 13),
        Malformed(
            "two member names in a row",
            [0x01] + WireBytes.attribute(0x34, "c", []) + WireBytes.memberName("m") + WireBytes.memberName("n"),
            .malformedCollection, 13),
        Malformed(
            "empty member name",
            [0x01] + WireBytes.attribute(0x34, "c", []) + WireBytes.memberName(""), .malformedCollection, 12),
        Malformed(
            "member with its name in front",
            [0x01] + WireBytes.attribute(0x34, "c", []) + WireBytes.attribute(0x44, "m", "x"), .malformedCollection, 8),
    ]

    @Test(arguments: malformed)
    func `refuses`(_ example: Malformed) {
        let bytes = WireBytes.header(0) + example.body
        let whole = #expect(throws: IPPDecodingError.self) { try IPPDecoder.decode(bytes) }
        #expect(whole?.code == example.code)
        #expect(whole?.offset == 8 + example.offset)
        var decoder = IPPDecoder()
        let fed = #expect(throws: IPPDecodingError.self) {
            for byte in bytes { _ = try decoder.feed([byte]) }
        }
        #expect(fed == whole)
    }

    @Test func `keeps an empty collection and empty collections inside`() throws {
        let bytes = WireBytes.message(
            WireBytes.attribute(0x34, "media-col", []) + WireBytes.endCollection + WireBytes.additional(0x34, [])
                + WireBytes.memberName("media-size") + WireBytes.begCollection + WireBytes.endCollection
                + WireBytes.begCollection + WireBytes.endCollection + WireBytes.endCollection)
        let (message, _) = try IPPDecoder.decode(bytes)
        #expect(
            message.attribute("media-col", in: .printer)?.collections
                == [[], [IPPAttribute("media-size", [.collection([]), .collection([])])]])
        #expect(try message.encoded() == bytes)
        try DripFeed.expect(message, from: bytes)
        DripFeed.expectTruncated(bytes)
    }
}
