import IPPCodec
import Testing

@Suite struct IPPTolerancesTests {
    private func decode(_ bytes: [UInt8], _ tolerances: IPPTolerances) throws -> IPPMessage {
        #expect(throws: IPPDecodingError.self, "it is refused without the tolerance") { try IPPDecoder.decode(bytes) }
        #expect(throws: IPPDecodingError.self, "the other tolerances do not let it pass") {
            try IPPDecoder.decode(bytes, tolerances: IPPTolerances.all.subtracting(tolerances))
        }
        let (message, index) = try IPPDecoder.decode(bytes, tolerances: tolerances)
        #expect(index == bytes.count)
        var decoder = IPPDecoder(tolerances: .all)
        _ = try decoder.feed(bytes)
        #expect(decoder.breaches == tolerances, "what was tolerated is told")
        try DripFeed.expect(message, from: bytes, tolerances: tolerances)
        #expect(try IPPDecoder.decode(try message.encoded()).message == message, "it encodes to what is no breach")
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

    @Test func `what only looks like a breach needs no tolerance`() throws {
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
        // The value-length is missing: the language's length stands where it should be.
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

    @Test func `tolerances change nothing about messages without a breach`() throws {
        for one in IPPValueTests.cases {
            var decoder = IPPDecoder(tolerances: .all)
            _ = try decoder.feed(one.bytes)
            #expect(try decoder.finish() == one.message)
            #expect(decoder.breaches.isEmpty)
        }
        for example in RFC8010ExamplesTests.examples {
            #expect(try IPPDecoder.decode(example.bytes, tolerances: .all).message == example.message)
        }
    }
}
