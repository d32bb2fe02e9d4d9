import KioskIPPCodec
import Testing

/// Every value tag of RFC 8010: decoded, encoded, truncated anywhere and fed in pieces of any size.
@Suite struct IPPValueTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let tag: UInt8
        let octets: [UInt8]
        let value: IPPValue
        var testDescription: String { "\(value.tag), \(octets.count) octets" }

        init(_ tag: UInt8, _ octets: [UInt8], _ value: IPPValue) {
            self.tag = tag
            self.octets = octets
            self.value = value
        }

        init(_ tag: UInt8, _ octets: String, _ value: IPPValue) {
            self.init(tag, Array(octets.utf8), value)
        }

        var bytes: [UInt8] {
            WireBytes.message(
                WireBytes.attribute(tag, "first", octets) + WireBytes.additional(tag, octets),
                WireBytes.attribute(0x44, "last", "none"))
        }

        var message: IPPMessage {
            IPPMessage(
                version: .v1_1, code: 0, requestID: 1,
                groups: [
                    IPPGroup(.printer, [IPPAttribute("first", [value, value]), IPPAttribute("last", keyword: "none")])
                ])
        }
    }

    static let outOfBand = IPPOutOfBand.allCases.map { Case($0.rawValue, [], .outOfBand($0)) }

    static let numbers = [
        Case(0x21, [0x7F, 0xFF, 0xFF, 0xFF], .integer(.max)),
        Case(0x21, [0x80, 0, 0, 0], .integer(.min)),
        Case(0x22, [0], .boolean(false)),
        Case(0x22, [1], .boolean(true)),
        Case(0x23, [0, 0, 0, 5], .enum(5)),
        Case(0x23, [0xFF, 0xFF, 0xFF, 0xFF], .enum(-1)),
    ]

    static let octetStrings = [
        Case(0x30, [], .octetString([])),
        Case(0x30, [0, 0xFF, 3], .octetString([0, 0xFF, 3])),
        Case(
            0x31, [0x07, 0xEA, 2, 28, 23, 59, 60, 9, UInt8(ascii: "-"), 11, 30],
            .dateTime(
                IPPDateTime(
                    year: 2026, month: 2, day: 28, hour: 23, minute: 59, second: 60, deciSecond: 9,
                    directionFromUTC: UInt8(ascii: "-"), hoursFromUTC: 11, minutesFromUTC: 30))),
        Case(0x32, [0, 0, 0, 203, 0, 0, 1, 0x2C, 3], .resolution(IPPResolution(203, 300, .dotsPerInch))),
        Case(0x33, [0, 0, 0, 1, 0, 0, 0x03, 0xE7], .rangeOfInteger(IPPRange(1...999))),
        Case(0x33, [0, 0, 0, 9, 0, 0, 0, 1], .rangeOfInteger(IPPRange(9, 1))),
        Case(0x35, WireBytes.withLanguage("Papier fehlt", "de"), .textWithLanguage("Papier fehlt", language: "de")),
        Case(0x35, [0, 0, 0, 0], .textWithLanguage("", language: "")),
        Case(0x36, WireBytes.withLanguage("Küche", "de-ch"), .nameWithLanguage("Küche", language: "de-ch")),
    ]

    static let characterStrings = [
        Case(0x41, "", .text("")),
        Case(0x41, "Out of paper ☂", .text("Out of paper ☂")),
        Case(0x41, [0xE9, 0x74, 0xE9], .text(IPPText(bytes: [0xE9, 0x74, 0xE9]))),
        Case(0x42, "till-1", .name("till-1")),
        Case(0x44, "na_index-4x6_4x6in", .keyword("na_index-4x6_4x6in")),
        Case(0x45, "ipp://localhost/ipp/print", .uri("ipp://localhost/ipp/print")),
        Case(0x46, "ipps", .uriScheme("ipps")),
        Case(0x47, "utf-8", .charset("utf-8")),
        Case(0x48, "en", .naturalLanguage("en")),
        Case(0x49, "application/pdf", .mimeMediaType("application/pdf")),
    ]

    // Reserved and unassigned tags, and the extension tag with the four octets of its real tag.
    static let unknownTags = [0x14, 0x18, 0x1F, 0x20, 0x24, 0x38, 0x40, 0x43, 0x4B, 0x7F, 0x80, 0xFF].map {
        Case($0, [0x40, 0, 0, 1, 0xFF], .other(IPPValueTag(rawValue: $0), [0x40, 0, 0, 1, 0xFF]))
    }

    static let cases = outOfBand + numbers + octetStrings + characterStrings + unknownTags

    @Test(arguments: cases)
    func `decodes exactly`(_ example: Case) throws {
        let (message, documentIndex) = try IPPDecoder.decode(example.bytes)
        #expect(message == example.message)
        #expect(documentIndex == example.bytes.count)
    }

    @Test(arguments: cases)
    func `encodes exactly`(_ example: Case) throws {
        #expect(try example.message.encoded() == example.bytes)
    }

    @Test(arguments: cases)
    func `decodes when fed octet by octet`(_ example: Case) throws {
        try DripFeed.expect(example.message, from: example.bytes)
    }

    @Test(arguments: cases)
    func `is truncated at every length but the whole`(_ example: Case) {
        DripFeed.expectTruncated(example.bytes)
    }

    @Test(arguments: cases)
    func `is the same as a member of a collection`(_ example: Case) throws {
        let bytes = WireBytes.message(
            WireBytes.attribute(0x34, "col", []) + WireBytes.memberName("m")
                + WireBytes.additional(example.tag, example.octets) + WireBytes.endCollection)
        let (message, _) = try IPPDecoder.decode(bytes)
        let member = message.attribute("col", in: .printer)?.collection?["m"]
        #expect(member?.values == [example.value])
        #expect(try message.encoded() == bytes)
        try DripFeed.expect(message, from: bytes)
        DripFeed.expectTruncated(bytes)
    }

    @Test(
        arguments: [
            (0x21, 4), (0x22, 1), (0x23, 4), (0x31, 11), (0x32, 9), (0x33, 8), (0x10, 0), (0x13, 0),
        ] as [(UInt8, Int)])
    func `refuses a length that the syntax does not have`(_ tag: UInt8, _ right: Int) {
        for length in 0...12 where length != right {
            let bytes = WireBytes.message(WireBytes.attribute(tag, "a", [UInt8](repeating: 0, count: length)))
            let error = #expect(throws: IPPDecodingError.self) { try IPPDecoder.decode(bytes) }
            #expect(error?.code == .invalidLength)
            #expect(error?.offset == 15)
        }
    }

    @Test func `refuses a boolean that is neither true nor false`() {
        let bytes = WireBytes.message(WireBytes.attribute(0x22, "a", [2]))
        let error = #expect(throws: IPPDecodingError.self) { try IPPDecoder.decode(bytes) }
        #expect(error?.code == .invalidValue)
    }

    @Test(
        arguments: [
            [], [0], [0, 0], [0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0, 0], [0xFF, 0xFF, 0, 0],
            [0, 2, 0x65, 0x6E, 0, 9, 0x61],
        ] as [[UInt8]])
    func `refuses a with-language string whose lengths do not add up`(_ octets: [UInt8]) {
        for tag: UInt8 in [0x35, 0x36] {
            let bytes = WireBytes.message(WireBytes.attribute(tag, "a", octets))
            let error = #expect(throws: IPPDecodingError.self) { try IPPDecoder.decode(bytes) }
            #expect(error?.code == .invalidLength)
        }
    }

    @Test func `reads the real tag behind the extension tag`() {
        #expect(IPPValue.other(.extension, [0x12, 0x34, 0x56, 0x78, 0xFF]).extensionTag == 0x1234_5678)
        #expect(IPPValue.other(.extension, [1, 2, 3]).extensionTag == nil)
        #expect(IPPValue.other(IPPValueTag(rawValue: 0x14), [1, 2, 3, 4]).extensionTag == nil)
    }
}

@Suite struct IPPTextTests {
    @Test func `keeps octets that are not UTF-8`() {
        let latin1: [UInt8] = [0x4B, 0xFC, 0x63, 0x68, 0x65]
        let text = IPPText(bytes: latin1)
        #expect(!text.isUTF8)
        #expect(text.bytes == latin1)
        #expect(text.count == 5)
        #expect(text.string == "K\u{FFFD}che")
    }

    @Test func `keeps NUL and the octets of a decomposed letter`() {
        for bytes: [UInt8] in [[0], [0x61, 0, 0x62], [0x65, 0xCC, 0x81], [0xEF, 0xBB, 0xBF, 0x61]] {
            #expect(IPPText(bytes: bytes).bytes == bytes)
            #expect(IPPText(bytes: bytes).isUTF8)
        }
    }

    @Test func `is equal only when its octets are`() {
        #expect(IPPText("\u{E9}") != IPPText("e\u{301}"))
        #expect(IPPText(bytes: Array("till".utf8)) == "till")
        #expect(Set([IPPText("a"), IPPText(bytes: [0x61]), "b"]).count == 2)
    }
}
