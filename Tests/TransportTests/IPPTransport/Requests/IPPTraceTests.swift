import KioskIPPCodec
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

@testable import KioskIPP

/// What the wire trace shows of requests and responses.
@Suite struct IPPTraceTests {
    // MARK: Values

    private static let values: [(IPPAttribute, String)] = [
        (IPPAttribute("copies", .integer(2)), "copies=2"),
        (IPPAttribute("color-supported", .boolean(true)), "color-supported=true"),
        (IPPAttribute("job-state", .enum(5)), "job-state=processing"),
        (IPPAttribute("printer-state", .enum(5)), "printer-state=stopped"),
        (IPPAttribute("printer-state", .enum(77)), "printer-state=77"),
        (IPPAttribute("finishings", .enum(61)), "finishings=61"),
        (
            IPPAttribute("operations-supported", .enums([2, 0x0B, 0x7FFF])),
            "operations-supported=Print-Job,Get-Printer-Attributes,32767"
        ),
        (IPPAttribute("x-octets", .octetString([1, 0xAB])), "x-octets=0x01ab"),
        (
            IPPAttribute(
                "printer-current-time",
                .dateTime(IPPDateTime(year: 2026, month: 3, day: 1, hour: 9, minute: 5, second: 7))),
            "printer-current-time=2026-03-01T09:05:07.0+00:00"
        ),
        (IPPAttribute("printer-resolution", .resolution(IPPResolution(203, 203))), "printer-resolution=203dpi"),
        (IPPAttribute("copies-supported", .rangeOfInteger(IPPRange(1, 99))), "copies-supported=1-99"),
        (IPPAttribute("job-name", .name(#"Receipt "147""#)), #"job-name="Receipt \"147\"""#),
        (IPPAttribute("printer-info", .text("Bar, left")), #"printer-info="Bar, left""#),
        (IPPAttribute("job-name", .nameWithLanguage("Bon", language: "de")), #"job-name="Bon"[de]"#),
        (IPPAttribute("printer-info", .textWithLanguage("Bar", language: "en")), #"printer-info="Bar"[en]"#),
        (IPPAttribute("job-state-reasons", keywords: ["none"]), "job-state-reasons=none"),
        (IPPAttribute("printer-uri", .uri("ipp://till/ipp/print")), "printer-uri=ipp://till/ipp/print"),
        (IPPAttribute("device-uri", .uri("smb://till:geheim@shop/bar?a=b")), "device-uri=smb://till:…@shop/bar?a=b"),
        (IPPAttribute("device-uri", .uri("socket://till:9100/a@b")), "device-uri=socket://till:9100/a@b"),
        (IPPAttribute("uri-scheme", .uriScheme("ipp")), "uri-scheme=ipp"),
        (IPPAttribute("attributes-charset", .charset("utf-8")), "attributes-charset=utf-8"),
        (IPPAttribute("attributes-natural-language", .naturalLanguage("en")), "attributes-natural-language=en"),
        (IPPAttribute("document-format", .mimeMediaType("text/plain")), "document-format=text/plain"),
        (IPPAttribute("media-default", .noValue), "media-default=no-value"),
        (IPPAttribute("x-new", .other(IPPValueTag(rawValue: 0x60), [7])), "x-new=0x07 (value-tag 0x60)"),
        (IPPAttribute("media-supported", .keywords(["a b", ""])), #"media-supported="a b","""#),
        (
            IPPAttribute(
                "media-col",
                .collection([
                    IPPAttribute("media-size", .collection([IPPAttribute("x-dimension", .integer(8000))])),
                    IPPAttribute("media-type", keyword: "stationery"),
                ])),
            "media-col={media-size={x-dimension=8000} media-type=stationery}"
        ),
    ]

    @Test(arguments: values)
    func `each kind of value has its text`(attribute: IPPAttribute, text: String) {
        #expect(IPPTrace.text(attribute) == text)
    }

    @Test(arguments: [
        IPPAttribute("job-password", .octetString(Array("geheim".utf8))),
        IPPAttribute("Document-Password", .text("geheim")),
        IPPAttribute("x-wifi-passphrase", .text("geheim")),
        IPPAttribute("media-col", .collection([IPPAttribute("x-password", keyword: "geheim")])),
    ])
    func `a password is masked wherever it stands`(attribute: IPPAttribute) {
        let text = IPPTrace.text(attribute)
        #expect(["password=…", "Password=…", "passphrase=…"].contains { text.contains($0) })
        #expect(!text.contains("geheim") && !text.contains("67656865696d"))
    }

    @Test func `a long value is cut, and so is a long list of values`() {
        let long = IPPTrace.text(IPPAttribute("printer-info", .text(IPPText(String(repeating: "x", count: 1000)))))
        #expect(long.count == "printer-info=".count + IPPTrace.maximumValueLength + 1)
        #expect(long.hasSuffix("x…"))
        let list = IPPTrace.text(IPPAttribute("numbers", .integers((1...1000).map { $0 })))
        #expect(list.hasPrefix("numbers=1,2,3,") && list.hasSuffix(" more)"))
        #expect(list.count < "numbers=".count + IPPTrace.maximumValueLength + 20)
        let octets = IPPTrace.text(IPPAttribute("x", .octetString([UInt8](repeating: 0, count: 5000))))
        #expect(octets == "x=0x00000000000000000000000000000000… (5000 octets)")
    }

    @Test func `a character that is combined of many scalars is cut as many characters are`() {
        let character = "e" + String(repeating: "\u{301}", count: 5000)
        let text = IPPTrace.text(IPPAttribute("printer-info", .text(IPPText(character))))
        #expect(text.unicodeScalars.count == "printer-info=".count + IPPTrace.maximumValueLength + 1)
        let list = IPPTrace.text(IPPAttribute("names", .keywords([character, character])))
        #expect(list.unicodeScalars.count < "names=".count + IPPTrace.maximumValueLength + 20)

        let (trace, lines) = (WireTrace(), Recorder<WireTrace.Line>())
        let listener = trace.listen { lines.add($0) }
        trace.tell(.ipp, nil, character)
        listener.stop()
        let message = lines.all.first?.message ?? ""
        #expect(message.hasSuffix("… (905 more characters)"))
        #expect(message.unicodeScalars.count == WireTrace.maximumLength + "… (905 more characters)".count)
    }

    // MARK: Messages

    @Test func `a request shows its number, version, lengths and groups`() {
        let message = IPPMessage(
            version: .v1_1, operation: .printJob, requestID: 17,
            groups: [
                IPPGroup(.operation, [IPPAttribute("attributes-charset", .charset("utf-8"))]),
                IPPGroup(.job, [IPPAttribute("copies", .integer(2))]),
            ])
        #expect(
            IPPTrace.request(message, length: 43, documentLength: 1024, uncompressedLength: 4096)
                == "→ Print-Job #17 (IPP 1.1), 43 bytes of attributes, 1024 bytes of document (gzip of 4096): attributes-charset=utf-8; job-attributes: copies=2"
        )
    }

    @Test func `a response shows its statuses and what is unsupported`() {
        let message = IPPMessage(
            status: .successfulOkIgnoredOrSubstitutedAttributes, requestID: 1,
            groups: [
                IPPGroup(.operation), IPPGroup(.unsupported, [IPPAttribute("sides", .unsupported)]),
                IPPGroup(.job, [IPPAttribute("job-id", .integer(12)), IPPAttribute("job-state", .enum(3))]),
            ])
        #expect(
            IPPTrace.response(message, to: "Print-Job #17", requestID: 17, httpStatus: 200)
                == "← Print-Job #17: successful-ok-ignored-or-substituted-attributes (request-id 1), HTTP 200; unsupported-attributes: sides=unsupported; job-attributes: job-id=12 job-state=pending"
        )
    }

    @Test func `no line exceeds what the trace tells`() {
        let attributes = (0..<1000).map {
            IPPAttribute("attribute-\($0)", .text(IPPText(String(repeating: "ä", count: 300))))
        }
        let message = IPPMessage(status: .successfulOk, requestID: 2, groups: [IPPGroup(.printer, attributes)])
        let line = IPPTrace.response(message, to: "Get-Printer-Attributes #2", requestID: 2, httpStatus: 200)
        #expect(line.count <= WireTrace.maximumLength)
        #expect(line.hasSuffix("more attributes)"))
    }

    // MARK: Exchanges

    @Test func `a job is told, but neither its document nor the login`() async throws {
        var options = SimulatedPrinter.Options(.receipt)
        options.login = PrinterLogin(.basic, user: "till-seven", password: Secret("geheim"))
        let printer = try await SimulatedPrinter.start(options)
        let trace = WireTrace()
        let lines = Recorder<WireTrace.Line>()
        let listener = trace.listen { lines.add($0) }
        let transport = IPPTransport(
            credentials: ScriptedCredentials(user: "till-seven", "geheim"), deadlines: .patient, trace: trace)
        var target = PrinterTarget(url: try PrinterURL(printer.uri))
        target.credentials = "office"
        _ = try await transport.deliver(.receipt("k1", [UInt8]("\u{1B}@Coffee 2.50\n".utf8)), to: target) { _ in }
        await transport.shutDown()
        listener.stop()
        try await printer.stop()

        let messages = lines.all.map(\.message)
        let request = try #require(messages.first { $0.hasPrefix("→ Print-Job #") })
        #expect(request.contains(", 14 bytes of document") && request.contains(#"job-name="k1 Receipt""#))
        let response = try #require(messages.first { $0.hasPrefix("← Print-Job #") })
        #expect(response.contains(": successful-ok, HTTP 200") && response.contains("job-id="))
        #expect(messages.contains { $0.hasPrefix("connected to ") })
        #expect(messages.contains { $0.hasSuffix(" carries a Basic login") })
        #expect(messages.contains { $0.hasSuffix(" goes over a kept connection") })
        #expect(messages.contains { $0.contains("close the connection") || $0.contains("closed the connection") })
        for secret in ["Coffee", "geheim", "till-seven", "dGlsbC1zZXZlbjpnZWhlaW0="] {
            #expect(!messages.contains { $0.contains(secret) }, "\(secret) was told")
        }
        #expect(lines.all.allSatisfy { $0.printer == target.url })
    }

    @Test func `a handshake is told with its version, its cipher and the certificate`() async throws {
        let trace = WireTrace()
        let lines = Recorder<WireTrace.Line>()
        let listener = trace.listen { lines.add($0) }
        let trust = try await TLSFixtures.get().trust
        try await TLSPrinter.with(trace: trace) { it in
            _ = try await it.transport.contact(it.proxy.target(trust: trust))
            let error = try await it.contactError(it.proxy.target(trust: .ask))
            #expect(error?.code == .certificateNotAccepted)
        }
        listener.stop()
        let tls = lines.all.filter { $0.source == .tls }.map(\.message)
        #expect(tls.first?.hasPrefix("TLSv1.3, TLS_") == true)
        #expect(tls.first?.contains(", certificate sha256:") == true)
        #expect(tls.last?.hasPrefix("the printer's certificate is refused: ") == true)
        #expect(tls.count == 2)
    }
}
