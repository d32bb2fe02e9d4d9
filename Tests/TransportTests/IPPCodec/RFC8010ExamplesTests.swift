import KioskIPPCodec
import Testing

/// The messages of RFC 8010 Appendix A, decoded and encoded.
@Suite struct RFC8010ExamplesTests {
    private static let printer = "ipp://printer.example.com/ipp/print/pinetree"
    private static let charset = WireBytes.attribute(0x47, "attributes-charset", "utf-8")
    private static let language = WireBytes.attribute(0x48, "attributes-natural-language", "en-us")
    private static let requestHeader = [0x01] + charset + language + WireBytes.attribute(0x45, "printer-uri", printer)

    private static let charsetAttribute = IPPAttribute("attributes-charset", .charset("utf-8"))
    private static let languageAttribute = IPPAttribute("attributes-natural-language", .naturalLanguage("en-us"))
    private static let requestAttributes = [
        charsetAttribute, languageAttribute, IPPAttribute("printer-uri", .uri(IPPText(printer))),
    ]

    struct Example: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        let message: IPPMessage
    }

    static let examples: [Example] = [
        Example(
            testDescription: "A.1 Print-Job request",
            bytes: WireBytes.header(0x0002) + requestHeader + WireBytes.attribute(0x42, "job-name", "foobar")
                + WireBytes.attribute(0x22, "ipp-attribute-fidelity", [1]) + [0x02]
                + WireBytes.attribute(0x21, "copies", [0, 0, 0, 0x14])
                + WireBytes.attribute(0x44, "sides", "two-sided-long-edge") + [0x03],
            message: IPPMessage(
                version: .v1_1, operation: .printJob, requestID: 1,
                groups: [
                    IPPGroup(
                        .operation,
                        requestAttributes + [
                            IPPAttribute("job-name", .name("foobar")),
                            IPPAttribute("ipp-attribute-fidelity", .boolean(true)),
                        ]),
                    IPPGroup(
                        .job,
                        [IPPAttribute("copies", .integer(20)), IPPAttribute("sides", keyword: "two-sided-long-edge")]),
                ])
        ),
        Example(
            testDescription: "A.2 Print-Job response, successful",
            bytes: WireBytes.header(0x0000) + [0x01] + charset + language
                + WireBytes.attribute(0x41, "status-message", "successful-ok") + [0x02]
                + WireBytes.attribute(0x21, "job-id", [0, 0, 0, 147])
                + WireBytes.attribute(0x45, "job-uri", "\(printer)/147")
                + WireBytes.attribute(0x23, "job-state", [0, 0, 0, 3]) + [0x03],
            message: IPPMessage(
                version: .v1_1, status: .successfulOk, requestID: 1,
                groups: [
                    IPPGroup(
                        .operation,
                        [
                            charsetAttribute, languageAttribute,
                            IPPAttribute("status-message", .text("successful-ok")),
                        ]),
                    IPPGroup(
                        .job,
                        [
                            IPPAttribute("job-id", .integer(147)), IPPAttribute("job-uri", .uri("\(printer)/147")),
                            IPPAttribute("job-state", .enum(3)),
                        ]),
                ])
        ),
        Example(
            testDescription: "A.3 Print-Job response, failure",
            bytes: WireBytes.header(0x040B) + [0x01] + charset + language
                + WireBytes.attribute(0x41, "status-message", "client-error-attributes-or-values-not-supported")
                + [0x05] + WireBytes.attribute(0x21, "copies", [0, 0, 0, 0x14])
                + WireBytes.attribute(0x10, "sides", []) + [0x03],
            message: IPPMessage(
                version: .v1_1, status: .clientErrorAttributesOrValuesNotSupported, requestID: 1,
                groups: [
                    IPPGroup(
                        .operation,
                        [
                            charsetAttribute, languageAttribute,
                            IPPAttribute("status-message", .text("client-error-attributes-or-values-not-supported")),
                        ]),
                    IPPGroup(
                        .unsupported, [IPPAttribute("copies", .integer(20)), IPPAttribute("sides", .unsupported)]),
                ])
        ),
        Example(
            testDescription: "A.5 Print-URI request",
            bytes: WireBytes.header(0x0003) + requestHeader
                + WireBytes.attribute(0x45, "document-uri", "ftp://foo.example.com/foo")
                + WireBytes.attribute(0x42, "job-name", "foobar") + [0x02]
                + WireBytes.attribute(0x21, "copies", [0, 0, 0, 1]) + [0x03],
            message: IPPMessage(
                version: .v1_1, operation: .printURI, requestID: 1,
                groups: [
                    IPPGroup(
                        .operation,
                        requestAttributes + [
                            IPPAttribute("document-uri", .uri("ftp://foo.example.com/foo")),
                            IPPAttribute("job-name", .name("foobar")),
                        ]),
                    IPPGroup(.job, [IPPAttribute("copies", .integer(1))]),
                ])
        ),
        Example(
            testDescription: "A.6 Create-Job request",
            bytes: WireBytes.header(0x0005) + requestHeader + [0x03],
            message: IPPMessage(
                version: .v1_1, operation: .createJob, requestID: 1, groups: [IPPGroup(.operation, requestAttributes)])
        ),
        Example(
            testDescription: "A.7 Create-Job request with collection attributes",
            bytes: WireBytes.header(0x0005) + requestHeader + WireBytes.attribute(0x34, "media-col", [])
                + WireBytes.memberName("media-size") + WireBytes.begCollection
                + WireBytes.memberName("x-dimension") + WireBytes.additional(0x21, [0x00, 0x00, 0x52, 0x08])
                + WireBytes.memberName("y-dimension") + WireBytes.additional(0x21, [0x00, 0x00, 0x74, 0x04])
                + WireBytes.endCollection + WireBytes.memberName("media-type")
                + WireBytes.additional(0x44, "stationery") + WireBytes.endCollection + [0x03],
            message: IPPMessage(
                version: .v1_1, operation: .createJob, requestID: 1,
                groups: [
                    IPPGroup(
                        .operation,
                        requestAttributes + [
                            IPPAttribute(
                                "media-col",
                                .collection([
                                    IPPAttribute(
                                        "media-size",
                                        .collection([
                                            IPPAttribute("x-dimension", .integer(21000)),
                                            IPPAttribute("y-dimension", .integer(29700)),
                                        ])),
                                    IPPAttribute("media-type", keyword: "stationery"),
                                ]))
                        ])
                ])
        ),
        Example(
            testDescription: "A.8 Get-Jobs request",
            bytes: WireBytes.header(0x000A, requestID: 123) + requestHeader
                + WireBytes.attribute(0x21, "limit", [0, 0, 0, 0x32])
                + WireBytes.attribute(0x44, "requested-attributes", "job-id")
                + WireBytes.additional(0x44, "job-name") + WireBytes.additional(0x44, "document-format") + [0x03],
            message: IPPMessage(
                version: .v1_1, operation: .getJobs, requestID: 123,
                groups: [
                    IPPGroup(
                        .operation,
                        requestAttributes + [
                            IPPAttribute("limit", .integer(50)),
                            IPPAttribute("requested-attributes", keywords: ["job-id", "job-name", "document-format"]),
                        ])
                ])
        ),
        Example(
            testDescription: "A.9 Get-Jobs response, the second job without attributes",
            bytes: WireBytes.header(0x0000, requestID: 123) + [0x01] + charset + language
                + WireBytes.attribute(0x41, "status-message", "successful-ok") + [0x02]
                + WireBytes.attribute(0x21, "job-id", [0, 0, 0, 147])
                + WireBytes.attribute(0x36, "job-name", [0, 5] + "fr-ca".utf8 + [0, 3] + "fou".utf8) + [0x02, 0x02]
                + WireBytes.attribute(0x21, "job-id", [0, 0, 0, 149])
                + WireBytes.attribute(0x36, "job-name", [0, 5] + "de-CH".utf8 + [0, 9] + "isch guet".utf8) + [0x03],
            message: IPPMessage(
                version: .v1_1, status: .successfulOk, requestID: 123,
                groups: [
                    IPPGroup(
                        .operation,
                        [
                            charsetAttribute, languageAttribute,
                            IPPAttribute("status-message", .text("successful-ok")),
                        ]),
                    IPPGroup(
                        .job,
                        [
                            IPPAttribute("job-id", .integer(147)),
                            IPPAttribute("job-name", .nameWithLanguage("fou", language: "fr-ca")),
                        ]),
                    IPPGroup(.job),
                    IPPGroup(
                        .job,
                        [
                            IPPAttribute("job-id", .integer(149)),
                            IPPAttribute("job-name", .nameWithLanguage("isch guet", language: "de-CH")),
                        ]),
                ])
        ),
    ]

    @Test(arguments: examples)
    func `decodes`(_ example: Example) throws {
        let (message, documentIndex) = try IPPDecoder.decode(example.bytes)
        #expect(message == example.message)
        #expect(documentIndex == example.bytes.count)
    }

    @Test(arguments: examples)
    func `encodes to the same octets`(_ example: Example) throws {
        #expect(try example.message.encoded() == example.bytes)
    }

    @Test func `A1's document begins behind the end-of-attributes tag`() throws {
        let bytes = Self.examples[0].bytes + "%!PS...".utf8
        let (_, documentIndex) = try IPPDecoder.decode(bytes)
        #expect(bytes[documentIndex...].elementsEqual("%!PS...".utf8))
    }

    @Test func `A4's response to ignored attributes holds three groups in their order`() throws {
        let bytes =
            WireBytes.header(0x0001) + [0x01] + Self.charset + Self.language
            + WireBytes.attribute(0x41, "status-message", "successful-ok-ignored-or-substituted-attributes") + [0x05]
            + WireBytes.attribute(0x21, "copies", [0, 0, 0, 0x14]) + WireBytes.attribute(0x10, "sides", []) + [0x02]
            + WireBytes.attribute(0x21, "job-id", [0, 0, 0, 147])
            + WireBytes.attribute(0x45, "job-uri", "\(Self.printer)/147")
            + WireBytes.attribute(0x23, "job-state", [0, 0, 0, 3]) + [0x03]
        let (message, _) = try IPPDecoder.decode(bytes)
        #expect(message.status == .successfulOkIgnoredOrSubstitutedAttributes)
        #expect(message.groups.map(\.tag) == [.operation, .unsupported, .job])
        #expect(message.attribute("sides", in: .unsupported)?.values == [.unsupported])
        #expect(message.attribute("job-state", in: .job)?.integer == 3)
        #expect(try message.encoded() == bytes)
    }
}
