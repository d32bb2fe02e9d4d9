import KioskIPPCodec
import Testing

@Suite struct IPPLimitsTests {
    private func code(_ bytes: [UInt8], _ limits: IPPLimits) -> IPPDecodingError.Code? {
        do {
            _ = try IPPDecoder.decode(bytes, limits: limits)
            return nil
        } catch {
            return error.code
        }
    }

    private func limits(_ change: (inout IPPLimits) -> Void) -> IPPLimits {
        var limits = IPPLimits()
        change(&limits)
        return limits
    }

    @Test func `a message may have as many octets as the limit says`() {
        let bytes = WireBytes.message(WireBytes.attribute(0x44, "a", "b"))
        #expect(code(bytes, limits { $0.messageBytes = bytes.count }) == nil)
        #expect(code(bytes, limits { $0.messageBytes = bytes.count - 1 }) == .limitExceeded)
        #expect(code(bytes + Array("document".utf8), limits { $0.messageBytes = bytes.count }) == nil)
    }

    @Test func `a field beyond the limit is refused before it is stored`() {
        var decoder = IPPDecoder(limits: limits { $0.messageBytes = 100 })
        #expect(throws: IPPDecodingError.self) {
            for byte in WireBytes.header(0) + [0x04, 0x41, 0, 1, 0x61, 0x7F, 0xFF] { _ = try decoder.feed([byte]) }
            _ = try decoder.feed([0x20])
        }
        #expect(decoder.offset < 100)
    }

    @Test func `attributes are counted with the members of collections`() {
        let bytes = WireBytes.message(
            WireBytes.attribute(0x34, "c", []) + WireBytes.memberName("m") + WireBytes.additional(0x44, "x")
                + WireBytes.endCollection)
        #expect(code(bytes, limits { $0.attributes = 2 }) == nil)
        #expect(code(bytes, limits { $0.attributes = 1 }) == .limitExceeded)
        #expect(code(bytes, limits { $0.values = 2 }) == nil)
        #expect(code(bytes, limits { $0.values = 1 }) == .limitExceeded)
    }

    @Test func `names and values may be as long as the limits say`() {
        let longest = String(repeating: "n", count: 255)
        #expect(code(WireBytes.message(WireBytes.attribute(0x44, longest, "x")), IPPLimits()) == nil)
        #expect(code(WireBytes.message(WireBytes.attribute(0x44, longest + "n", "x")), IPPLimits()) == .limitExceeded)
        let member = { (name: String) in
            WireBytes.message(
                WireBytes.attribute(0x34, "c", []) + WireBytes.memberName(name) + WireBytes.additional(0x44, "x")
                    + WireBytes.endCollection)
        }
        #expect(code(member(longest), IPPLimits()) == nil)
        #expect(code(member(longest + "n"), IPPLimits()) == .limitExceeded)
        let value = [UInt8](repeating: 0x61, count: 32767)
        #expect(code(WireBytes.message(WireBytes.attribute(0x41, "a", value)), IPPLimits()) == nil)
        #expect(code(WireBytes.message(WireBytes.attribute(0x41, "a", value + [0x61])), IPPLimits()) == .limitExceeded)
    }

    @Test func `collections may be ten deep`() throws {
        func nested(_ depth: Int) -> [UInt8] {
            let inner = (1..<depth).reduce(WireBytes.memberName("m") + WireBytes.additional(0x44, "x")) { body, _ in
                WireBytes.memberName("m") + WireBytes.begCollection + body + WireBytes.endCollection
            }
            return WireBytes.message(WireBytes.attribute(0x34, "c", []) + inner + WireBytes.endCollection)
        }
        let (message, _) = try IPPDecoder.decode(nested(10))
        #expect(try message.encoded() == nested(10))
        #expect(code(nested(11), IPPLimits()) == .limitExceeded)
    }
}

@Suite struct IPPTolerancesTests {
    private func decode(_ bytes: [UInt8], _ tolerances: IPPTolerances) throws -> IPPMessage {
        #expect(throws: IPPDecodingError.self, "refused without the tolerance") { try IPPDecoder.decode(bytes) }
        #expect(throws: IPPDecodingError.self, "the other tolerances do not accept it") {
            try IPPDecoder.decode(bytes, tolerances: IPPTolerances.all.subtracting(tolerances))
        }
        let (message, index) = try IPPDecoder.decode(bytes, tolerances: tolerances)
        #expect(index == bytes.count)
        var decoder = IPPDecoder(tolerances: .all)
        _ = try decoder.feed(bytes)
        #expect(decoder.violations == tolerances, "the decoder tells what it tolerated")
        try DripFeed.expect(message, from: bytes, tolerances: tolerances)
        #expect(try IPPDecoder.decode(try message.encoded()).message == message, "encodes to a correct message")
        return message
    }

    @Test func `octets behind an out-of-band tag are dropped`() throws {
        let bytes = WireBytes.message(
            WireBytes.attribute(0x13, "printer-geo-location", "none") + WireBytes.additional(0x10, [0]),
            WireBytes.attribute(0x44, "last", "x"))
        let message = try decode(bytes, .outOfBandValues)
        #expect(message.attribute("printer-geo-location", in: .printer)?.values == [.noValue, .unsupported])
        #expect(message.attribute("last", in: .printer)?.string == "x")
    }

    @Test func `what only looks like a violation needs no tolerance`() throws {
        let bytes = WireBytes.message(
            WireBytes.attribute(0x45, "printer-more-info", "http://printer/a page with spaces"),
            WireBytes.attribute(0x34, "media-col-default", []) + WireBytes.endCollection)
        let message = try IPPDecoder.decode(bytes).message
        #expect(message.attribute("printer-more-info", in: .printer)?.string == "http://printer/a page with spaces")
        #expect(message.attribute("media-col-default", in: .printer)?.collection == [])
        #expect(try IPPDecoder.decode(try message.encoded()).message == message)
    }

    @Test func `members of a collection may have their names in front of their values`() throws {
        let bytes = WireBytes.message(
            WireBytes.attribute(0x34, "media-col", [])
                + WireBytes.attribute(0x34, "media-size", []) + WireBytes.attribute(0x21, "x-dimension", [0, 0, 0, 1])
                + WireBytes.attribute(0x21, "y-dimension", [0, 0, 0, 2]) + WireBytes.endCollection
                + WireBytes.attribute(0x44, "media-type", "a") + WireBytes.additional(0x44, "b")
                + WireBytes.endCollection,
            WireBytes.attribute(0x44, "last", "x"))
        let message = try decode(bytes, .namedCollectionMembers)
        #expect(
            message.attribute("media-col", in: .printer)?.collection == [
                IPPAttribute(
                    "media-size",
                    .collection([IPPAttribute("x-dimension", .integer(1)), IPPAttribute("y-dimension", .integer(2))])),
                IPPAttribute("media-type", keywords: ["a", "b"]),
            ])
        #expect(message.attribute("last", in: .printer)?.string == "x")
    }

    @Test(arguments: ["en", "de-ch", "zh-hant-tw", "de-CH-1996-x-kasse"])
    func `with-language strings may lack their value-length`(_ language: String) throws {
        // The value-length is missing. The language-length is in its place.
        let broken = { (text: String) in
            Array(WireBytes.attribute(0x36, "job-name", language) + WireBytes.integer16(text.utf8.count) + text.utf8)
        }
        let bytes = WireBytes.message(
            broken("Küche"), broken(""), WireBytes.attribute(0x35, "right", WireBytes.withLanguage("ok", "en")),
            WireBytes.attribute(0x44, "last", "x"))
        let message = try decode(bytes, .missingValueLengths)
        let attributes = try #require(message.first(.printer)?.attributes)
        #expect(
            attributes == [
                IPPAttribute("job-name", .nameWithLanguage("Küche", language: IPPText(language))),
                IPPAttribute("job-name", .nameWithLanguage("", language: IPPText(language))),
                IPPAttribute("right", .textWithLanguage("ok", language: "en")),
                IPPAttribute("last", keyword: "x"),
            ])
    }

    @Test func `tolerances change nothing about messages without a violation`() throws {
        for example in IPPValueTests.cases {
            var decoder = IPPDecoder(tolerances: .all)
            _ = try decoder.feed(example.bytes)
            #expect(try decoder.finish() == example.message)
            #expect(decoder.violations.isEmpty)
        }
        for example in RFC8010ExamplesTests.examples {
            #expect(try IPPDecoder.decode(example.bytes, tolerances: .all).message == example.message)
        }
    }
}
