import KioskIPP
import KioskIPPCodec
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskIPP

/// What becomes of each wish of a ticket at a printer: it is asked for, made otherwise, refused, or told.
@Suite struct TicketRequestTests {
    /// Sends a receipt with this ticket to a printer with these attributes; returns the requests and the report.
    private func deliver(
        _ ticket: Ticket, to attributes: [IPPAttribute] = [], format: DocumentFormat = .pdf, bytes: [UInt8] = [1],
        answer: @escaping @Sendable (ScriptedConnection.Request) -> IPPMessage = { _ in
            ScriptedConnection.ok(ScriptedConnection.job(7, state: 9))
        }
    ) async throws -> (requests: [ScriptedConnection.Request], report: JobReport) {
        let asked = Recorder<ScriptedConnection.Request>()
        let printer = try ScriptedPrinter(describedBy: attributes, asked, answer)
        defer { printer.stop() }
        var delivery = Delivery.receipt("k1", bytes, format: format)
        delivery.ticket = ticket
        var report: JobReport?
        try await withTransport { [delivery] transport in
            report = try await transport.deliver(delivery, to: printer.target) { _ in }
        }
        return (asked.all, try #require(report))
    }

    private func refusal(_ ticket: Ticket, by attributes: [IPPAttribute]) async throws -> TransportError {
        let asked = Recorder<ScriptedConnection.Request>()
        let printer = try ScriptedPrinter(describedBy: attributes, asked) { _ in
            ScriptedConnection.ok(ScriptedConnection.job(7, state: 9))
        }
        defer { printer.stop() }
        var delivery = Delivery.receipt("k1", [1], format: .pdf)
        delivery.ticket = ticket
        var refusal: TransportError?
        try await withTransport { [delivery] transport in
            do {
                _ = try await transport.deliver(delivery, to: printer.target) { _ in }
            } catch let error as TransportError {
                refusal = error
            }
        }
        #expect(asked.all.isEmpty)
        return try #require(refusal)
    }

    private static func ticket(_ change: (inout Ticket) -> Void) -> Ticket {
        var ticket = Ticket()
        change(&ticket)
        return ticket
    }

    private static let wishes: [Ticket] = [
        ticket { $0.sides = .twoSidedLongEdge }, ticket { $0.media = "iso_a4_210x297mm" },
        ticket { $0.pageRanges = [PageRange("1-3")!] }, ticket { $0.numberUp = 2 },
        ticket { $0.orientation = .landscape }, ticket { $0.colorMode = .color }, ticket { $0.quality = .high },
        ticket { $0.cut = .full }, ticket { $0.mediaSource = "tray-1" }, ticket { $0.mediaType = "labels" },
        ticket { $0.outputBin = "face-up" }, ticket { $0.scaling = .fill }, ticket { $0.accountID = "4711" },
        ticket { $0.accountingUserID = "lea" }, ticket { $0.documentHandling = .uncollatedCopies },
        ticket { $0.pageBorder = .single }, ticket { $0.contentOptimization = .photo }, ticket { $0.resolution = 600 },
    ]

    @Test(arguments: wishes.indices)
    func `a wish that a printer does not take is told`(index: Int) async throws {
        let (requests, report) = try await deliver(Self.wishes[index])
        #expect(requests.last?.message.first(.job) == nil)
        #expect(report.remarks.count == 1)
        #expect(report.remarks.first?.hasPrefix("the printer takes no ") == true)
    }

    @Test(arguments: wishes.indices)
    func `a wish that a printer does not take refuses a job with fidelity`(index: Int) async throws {
        var ticket = Self.wishes[index]
        ticket.fidelity = true
        let error = try await refusal(ticket, by: [])
        #expect(error.code == .jobRefused)
        #expect(error.message.contains("the ticket asks for fidelity"))
    }

    private static let able: [IPPAttribute] = [
        IPPAttribute("sides-supported", keywords: ["one-sided", "two-sided-long-edge"]),
        IPPAttribute("media-supported", keywords: ["iso_a4_210x297mm"]),
        IPPAttribute("page-ranges-supported", .boolean(true)),
        IPPAttribute("number-up-supported", .rangeOfInteger(IPPRange(1, 4))),
        IPPAttribute("orientation-requested-supported", .enums([3, 4])),
        IPPAttribute("print-color-mode-supported", keywords: ["auto", "color"]),
        IPPAttribute("print-quality-supported", .enums([4, 5])),
        IPPAttribute("finishings-supported", .enums([3, 11])),
        IPPAttribute("media-col-supported", keywords: ["media-size", "media-source", "media-type"]),
        IPPAttribute("media-source-supported", keywords: ["auto", "tray-1"]),
        IPPAttribute("media-type-supported", keywords: ["stationery", "labels"]),
        IPPAttribute("output-bin-supported", keywords: ["face-up"]),
        IPPAttribute("print-scaling-supported", keywords: ["auto", "fill"]),
        IPPAttribute("job-account-id-supported", .boolean(true)),
        IPPAttribute("job-accounting-user-id-supported", .boolean(true)),
        IPPAttribute("multiple-document-handling-supported", keyword: "separate-documents-uncollated-copies"),
        IPPAttribute("page-border-supported", keywords: ["none", "single"]),
        IPPAttribute("print-content-optimize-supported", keywords: ["auto", "photo"]),
        IPPAttribute("printer-resolution-supported", .resolution(IPPResolution(600, 600))),
    ]

    @Test(arguments: wishes.indices)
    func `a wish that a printer takes is asked for, without a remark`(index: Int) async throws {
        let (requests, report) = try await deliver(Self.wishes[index], to: Self.able)
        #expect(requests.last?.message.first(.job)?.attributes.count == 1)
        #expect(report.remarks == [])
    }

    @Test func `a printer that says it takes no page ranges is not asked for them`() async throws {
        let attributes = [IPPAttribute("page-ranges-supported", .boolean(false))]
        let (requests, report) = try await deliver(Self.ticket { $0.pageRanges = [PageRange("2")!] }, to: attributes)
        #expect(requests.last?.message.first(.job) == nil)
        #expect(report.remarks == ["the printer takes no page-ranges=2: printed without"])
    }

    @Test func `what every printer does unasked is no wish`() async throws {
        let usual = Self.ticket {
            $0.sides = .oneSided
            $0.numberUp = 1
            $0.orientation = .portrait
            $0.colorMode = .auto
            $0.quality = .normal
            $0.cut = Ticket.Cut.none
            $0.copies = 1
            $0.fidelity = true
        }
        let (_, report) = try await deliver(usual)
        #expect(report.remarks == [])
    }

    @Test func `a tray and a kind of paper go with the size in one media-col`() async throws {
        let ticket = Self.ticket {
            $0.media = "iso_a4_210x297mm"
            $0.mediaSource = "tray-1"
            $0.mediaType = "labels"
        }
        let (requests, report) = try await deliver(ticket, to: Self.able)
        let attributes = try #require(requests.last?.message.first(.job))
        #expect(attributes["media"] == nil)
        let medium = try #require(attributes["media-col"]?.collection)
        #expect(medium["media-size"]?.collection?["x-dimension"]?.integer == 21000)
        #expect(medium["media-source"]?.string == "tray-1" && medium["media-type"]?.string == "labels")
        #expect(report.remarks == [])
    }

    // MARK: What the printer says

    private static let statuses: [(IPPStatus, [IPPAttribute], String)] = [
        (
            .successfulOkIgnoredOrSubstitutedAttributes, [IPPAttribute("sides", .outOfBand(.unsupported))],
            "the printer ignored or replaced attributes of the job: sides"
        ),
        (
            .successfulOkIgnoredOrSubstitutedAttributes, [],
            "the printer ignored or replaced attributes of the job, without naming them"
        ),
        (
            .successfulOkConflictingAttributes, [IPPAttribute("sides", keyword: "two-sided-long-edge")],
            "the printer changed attributes of the job that conflict: sides"
        ),
        (
            .successfulOk, [IPPAttribute("sides", .outOfBand(.unsupported))],
            "the printer ignored or replaced attributes of the job: sides"
        ),
    ]

    @Test(arguments: statuses.indices, [1, 300_000])
    func `what a printer ignores or replaces is told`(index: Int, length: Int) async throws {
        let (status, unsupported, remark) = Self.statuses[index]
        let (requests, report) = try await deliver(
            Self.ticket { $0.sides = .twoSidedLongEdge }, to: Self.able, bytes: [UInt8](repeating: 0x20, count: length)
        ) { request in
            let job = ScriptedConnection.job(7, state: request.message.operation == .createJob ? 3 : 9)
            guard [.printJob, .createJob].contains(request.message.operation) else { return ScriptedConnection.ok(job) }
            return ScriptedConnection.status(status, IPPGroup(.unsupported, unsupported), job)
        }
        #expect(report.remarks == [remark])
        #expect(requests.contains { $0.message.operation == .createJob } == (length > 1))
    }

    @Test func `an attribute that the job did not have is no news`() async throws {
        let (_, report) = try await deliver(Ticket()) { _ in
            ScriptedConnection.status(
                .successfulOk, IPPGroup(.unsupported, [IPPAttribute("requesting-user-name", .outOfBand(.unsupported))]),
                ScriptedConnection.job(7, state: 9))
        }
        #expect(report.remarks == [])
    }

    @Test func `fidelity by ticket is the printer's too`() async throws {
        let (requests, _) = try await deliver(
            Self.ticket {
                $0.sides = .twoSidedLongEdge
                $0.fidelity = true
            }, to: Self.able)
        #expect(requests.last?.message.attribute("ipp-attribute-fidelity", in: .operation)?.boolean == true)
        let (others, _) = try await deliver(Self.ticket { $0.sides = .twoSidedLongEdge }, to: Self.able)
        #expect(others.last?.message.attribute("ipp-attribute-fidelity", in: .operation) == nil)
    }

    // MARK: Copies

    private static let copies: [([IPPAttribute], DocumentFormat, asked: Int32?, most: Int)] = [
        ([IPPAttribute("copies-supported", .rangeOfInteger(IPPRange(1, 99)))], .pdf, 3, 99),
        ([IPPAttribute("copies-supported", .rangeOfInteger(IPPRange(1, 2)))], .pdf, 2, 2),
        ([IPPAttribute("copies-supported", .rangeOfInteger(IPPRange(1, 99)))], .pwgRaster, nil, 99),
        ([], .pdf, nil, 1),
    ]

    @Test(arguments: copies.indices)
    func `how many copies one job makes is known before, and told after`(index: Int) async throws {
        let (attributes, format, asked, most) = Self.copies[index]
        let formats = IPPAttribute(
            "document-format-supported", .mimeMediaTypes(["application/pdf", "image/pwg-raster"]))
        let (requests, report) = try await deliver(
            Self.ticket { $0.copies = 3 }, to: attributes + [formats], format: format)
        #expect(requests.last?.message.first(.job)?["copies"]?.integer == asked)
        #expect(report.remarks.isEmpty == (asked == 3))
        let support = PrinterDescription(ScriptedConnection.printer(attributes.first ?? formats)).ticketSupport
        #expect(support?.copies == most)
        #expect(support?.copies(of: .pwgRaster) == 1)
    }

    // MARK: PIN, accounts, mandatory attributes

    private static let pinPrinter: [IPPAttribute] = [
        IPPAttribute("job-password-supported", .integer(8)),
        IPPAttribute("job-password-encryption-supported", keywords: ["none", "sha2-256"]),
    ]

    @Test(arguments: [nil, "none", "sha2-256"])
    func `a PIN goes as the printer takes it, and never in clear where it takes a digest`(
        encryption: String?
    ) async throws {
        let (requests, _) = try await deliver(
            Self.ticket {
                $0.jobPassword = Secret("1234")
                $0.jobPasswordEncryption = encryption
            }, to: Self.pinPrinter)
        let message = try #require(requests.last?.message)
        let sent = message.attribute("job-password", in: .operation)?.octetStrings.first
        #expect(
            message.attribute("job-password-encryption", in: .operation)?.string == (encryption ?? "sha2-256"))
        #expect(encryption == "none" ? sent == Array("1234".utf8) : sent?.count == 32)
        // A printer that ignored it would print at once.
        #expect(message.attribute("ipp-attribute-fidelity", in: .operation)?.boolean == true)
    }

    private static let pinRefusals: [(String, String?, [IPPAttribute], String)] = [
        ("1234", nil, [], "takes no job-password"), ("123456789", nil, pinPrinter, "longer than 8 bytes"),
        ("1234", "md5", pinPrinter, "takes job-password-encryption none, sha2-256 only"),
    ]

    @Test(arguments: pinRefusals.indices)
    func `a printer that would print at once gets no job with a PIN`(index: Int) async throws {
        let (pin, encryption, attributes, words) = Self.pinRefusals[index]
        let error = try await refusal(
            Self.ticket {
                $0.jobPassword = Secret(pin)
                $0.jobPasswordEncryption = encryption
            }, by: attributes)
        #expect(error.code == .jobRefused && error.message.contains(words))
        #expect(!error.message.contains(pin))
    }

    @Test func `a job whose PIN is no longer stored is not printed without it`() async throws {
        let error = try await refusal(Self.ticket { $0.jobPasswordEncryption = "any" }, by: Self.pinPrinter)
        #expect(error.message.contains("no longer stored"))
    }

    @Test func `the trace shows no PIN`() async throws {
        let trace = WireTrace()
        let lines = Recorder<String>()
        let printer = try ScriptedPrinter(describedBy: Self.pinPrinter, Recorder()) { _ in
            ScriptedConnection.ok(ScriptedConnection.job(7, state: 9))
        }
        defer { printer.stop() }
        let listener = trace.listen { lines.add($0.message) }
        defer { listener.stop() }
        try await use(IPPTransport(deadlines: .patient, trace: trace)) { transport in
            var delivery = Delivery.receipt("k1", [1])
            delivery.ticket = Self.ticket {
                $0.jobPassword = Secret("9876")
                $0.jobPasswordEncryption = "none"
            }
            _ = try await transport.deliver(delivery, to: printer.target) { _ in }
        }
        #expect(lines.all.contains { $0.contains("job-password=…") })
        #expect(!lines.all.contains { $0.contains("9876") || $0.contains("39383736") })
    }

    @Test func `a printer that takes no job without an account names it before anything is sent`() async throws {
        let mandatory = [
            IPPAttribute(
                "printer-mandatory-job-attributes", keywords: ["job-account-id", "job-name", "document-format"]),
            IPPAttribute("job-account-id-supported", .boolean(true)),
        ]
        let error = try await refusal(Ticket(), by: mandatory)
        #expect(error.code == .jobRefused)
        #expect(error.message.contains("takes no job without job-account-id;"))
        let (requests, _) = try await deliver(Self.ticket { $0.accountID = "4711" }, to: mandatory)
        #expect(requests.last?.message.first(.job)?["job-account-id"]?.string == "4711")
    }

    // MARK: Identify-Printer

    private static let identifications: [([String], String?, actions: [String], message: String?)] = [
        (["display", "flash", "sound"], "this one", ["display", "flash", "sound"], "this one"),
        (["display", "flash", "sound"], nil, ["flash", "sound"], nil), (["sound"], "this one", ["sound"], nil),
        ([], nil, [], nil),
    ]

    @Test(arguments: identifications.indices)
    func `a printer shows which one it is, as it can`(index: Int) async throws {
        let (listed, message, actions, sent) = Self.identifications[index]
        let asked = Recorder<ScriptedConnection.Request>()
        let operations = [IPPOperation.printJob, .getPrinterAttributes, .identifyPrinter].map { Int32($0.rawValue) }
        let attributes =
            [IPPAttribute("operations-supported", .enums(operations))]
            + (listed.isEmpty ? [] : [IPPAttribute("identify-actions-supported", keywords: listed)])
        let printer = try ScriptedPrinter(describedBy: attributes, asked) { _ in ScriptedConnection.ok() }
        defer { printer.stop() }
        try await withTransport { transport in
            let target = try printer.target
            let asked = try await transport.identify(target, message: message)
            #expect(asked == actions)
        }
        let request = try #require(asked.all.last?.message)
        #expect(request.operation == .identifyPrinter)
        #expect(request.attribute("identify-actions", in: .operation)?.strings ?? [] == actions)
        #expect(request.attribute("message", in: .operation)?.string == sent)
    }

    @Test func `a printer without Identify-Printer says so`() async throws {
        let printer = try ScriptedPrinter(describedBy: [], Recorder()) { _ in ScriptedConnection.ok() }
        defer { printer.stop() }
        try await withTransport { transport in
            let target = try printer.target
            await #expect(throws: TransportError.self) { try await transport.identify(target, message: nil) }
        }
    }
}
