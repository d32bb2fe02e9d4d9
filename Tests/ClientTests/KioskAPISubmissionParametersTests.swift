import KioskAPI
import KioskPrintModel
import Testing

@Suite struct SubmissionParametersTests {
    private func parse(_ query: String?, _ headers: [String: String] = [:]) throws -> SubmissionParameters {
        try SubmissionParameters(query: query) { name in
            headers.first { $0.key.lowercased() == name.lowercased() }?.value
        }
    }

    private func refusal(_ query: String?, _ headers: [String: String] = [:]) throws -> Problem {
        try #require(throws: Problem.self) { _ = try parse(query, headers) }
    }

    private var full: SubmissionParameters {
        var parameters = SubmissionParameters()
        parameters.role = RoleName(rawValue: "receipt")
        parameters.name = "Order 4711 & tea + 1 % ümlaut"
        parameters.user = "till 1"
        parameters.format = .pdf
        parameters.ticket.copies = 2
        parameters.ticket.sides = .twoSidedLongEdge
        parameters.ticket.media = "iso_a4_210x297mm"
        parameters.ticket.pageRanges = [PageRange("1-3"), PageRange("5")].compactMap(\.self)
        parameters.ticket.numberUp = 4
        parameters.ticket.orientation = .landscape
        parameters.ticket.colorMode = .monochrome
        parameters.ticket.quality = .draft
        parameters.ticket.cut = .full
        parameters.ticket.drawer = true
        parameters.ticket.priority = 70
        parameters.ticket.expiresAfter = 60
        parameters.ticket.mediaSource = "tray-1"
        parameters.ticket.mediaType = "labels"
        parameters.ticket.outputBin = "face-down"
        parameters.ticket.scaling = .autoFit
        parameters.ticket.documentHandling = .uncollatedCopies
        parameters.ticket.pageBorder = .double
        parameters.ticket.contentOptimization = .textAndGraphic
        parameters.ticket.resolution = 600
        parameters.ticket.accountID = "R&D 1"
        parameters.ticket.accountingUserID = "lea"
        parameters.ticket.fidelity = true
        parameters.ticket.jobPassword = Secret("12 34%")
        parameters.ticket.jobPasswordEncryption = "none"
        parameters.ticket.documentPassword = Secret("ge heim%")
        parameters.wait = 10
        parameters.idempotencyKey = "order-4711"
        return parameters
    }

    @Test func `what the client writes, the daemon reads`() throws {
        let parts = full.path.split(separator: "?", maxSplits: 1).map(String.init)
        #expect(parts[0] == "/v1/jobs")
        let read = try parse(parts[1], Dictionary(uniqueKeysWithValues: full.headers.map { ($0.name, $0.value) }))
        #expect(read == full)
    }

    @Test func `writes page ranges as 1-3,5 and every key of a ticket`() {
        #expect(full.path.contains("page-ranges=1-3%2C5"))
        #expect(full.ticket.parameters.map(\.key) == Ticket.keys)
    }

    @Test func `reads a space written as a plus, as curl and forms write it`() throws {
        #expect(try parse("role=receipt&name=two+words").name == "two words")
    }

    @Test func `reads parameters from header fields`() throws {
        let read = try parse(
            nil,
            [
                "kiosk-role": "receipt", "Kiosk-Copies": "3", "Kiosk-Name": "Caf%C3%A9",
                "Content-Type": "text/plain; charset=utf-8",
            ])
        #expect(read.role?.rawValue == "receipt")
        #expect(read.ticket.copies == 3)
        #expect(read.name == "Café")
        #expect(read.format == .plainText)
    }

    @Test func `a header and the query may say the same, but not something else`() throws {
        #expect(try parse("role=receipt", ["Kiosk-Role": "receipt"]).role?.rawValue == "receipt")
        #expect(try refusal("role=receipt", ["Kiosk-Role": "label"]).code == .invalidParameter)
    }

    @Test func `leaves the format open where curl made it up`() throws {
        #expect(try parse("role=receipt", ["Content-Type": "application/x-www-form-urlencoded"]).format == nil)
        #expect(try parse("role=receipt").format == nil)
        #expect(
            try parse("role=receipt&document-format=image/png", ["Content-Type": "application/x-www-form-urlencoded"])
                .format == .png)
    }

    @Test(arguments: [#""order-1""#, "order-1"]) func `reads an idempotency key with and without quotes`(
        _ text: String
    ) throws {
        #expect(try parse("role=receipt", ["Idempotency-Key": text]).idempotencyKey == "order-1")
    }

    @Test(arguments: ["", "\"\"", "a b", "ä", "a\u{7}", String(repeating: "k", count: 256), "a\"b"])
    func `refuses an unusable idempotency key`(_ text: String) throws {
        #expect(try refusal("role=receipt", ["Idempotency-Key": text]).code == .invalidParameter)
    }

    @Test(
        arguments: [
            (nil, "neither role nor printer"),
            ("role=receipt&printer=till-1", "both named"),
            ("role=Receipt", "role is \"Receipt\""),
            ("role=receipt&copys=2", "\"copys\" is not known"),
            ("role=receipt&role=receipt", "stands twice"),
            ("role=receipt&name=%zz", "percent-encoded"),
            ("role=receipt&name=%ff", "percent-encoded"),
            ("role=receipt&name=a%0Ab", "without control characters"),
            ("role=receipt&name=a%E2%80%AEb", "without control characters"),
            ("role=receipt&copies=two", "copies is \"two\"; write a whole number"),
            ("role=receipt&copies=-1", "copies is \"-1\""),
            ("role=receipt&copies=99999999999999999999", "copies"),
            ("role=receipt&sides=both", "one-sided, two-sided-long-edge"),
            ("role=receipt&drawer=maybe", "true or false"),
            ("role=receipt&page-ranges=3-1", "page ranges such as 1-3,5"),
            ("role=receipt&page-ranges=", "page ranges such as 1-3,5"),
            ("role=receipt&wait=601", "whole seconds from 0 to 600"),
            ("role=receipt&wait=1.5", "whole seconds"),
            ("role=receipt&document-format=pdf", "media type"),
        ] as [(String?, String)])
    func `refuses with a word on what to write`(_ query: String?, _ words: String) throws {
        let problem = try refusal(query)
        #expect(problem.code == .invalidParameter)
        #expect(problem.status == 400)
        #expect(problem.detail?.contains(words) == true, "\(problem)")
    }

    @Test func `refuses a ticket out of bounds with every finding`() throws {
        let problem = try refusal("role=receipt&copies=1000&priority=101")
        #expect(problem.code == .invalidTicket)
        #expect(problem.problems?.count == 2)
    }

    @Test func `refuses a name longer than its bound`() throws {
        #expect(try refusal("role=receipt&name=\(String(repeating: "n", count: 256))").code == .invalidParameter)
        #expect(try parse("role=receipt&name=\(String(repeating: "n", count: 255))").name?.count == 255)
    }

    @Test func `shows a refused value without its control characters`() throws {
        #expect(try refusal("role=%1B%5B2J").detail?.hasControlCharacters == false)
    }

    @Test func `a JSON body leaves nothing but the wait to the query`() throws {
        let submission = JobSubmission(role: RoleName(rawValue: "receipt"), document: .text("Tea"))
        let read = try SubmissionParameters(submission: submission, query: "wait=5") { _ in nil }
        #expect(read.wait == 5)
        #expect(read.format == .plainText)
        #expect(throws: Problem.self) {
            _ = try SubmissionParameters(submission: submission, query: "copies=2") { _ in nil }
        }
    }
}

@Suite struct FormatDetectionTests {
    @Test(arguments: [
        ("Tea 2.50\n", DocumentFormat.plainText), ("Crème brûlée 4,20 €\r\n\t領収書\u{0C}", .plainText),
        ("%PDF-1.7", .pdf),
        ("^XA^FO50,50^XZ", .zpl), ("\u{1B}@Tea", .escPOS), ("Tea\u{1B}E", nil), ("Tea\0", nil), ("", nil),
    ]) func `tells text from signatures and from anything else`(_ text: String, _ format: DocumentFormat?) {
        #expect(DocumentFormat.detected(in: Array(text.utf8)) == format)
    }

    @Test func `a letter cut in two at the end of the looking is still text`() {
        for offset in 0..<4 {
            let bytes = Array(String(repeating: "a", count: 1021 + offset).utf8) + Array("🧾 and more".utf8)
            #expect(DocumentFormat.detected(in: bytes) == .plainText)
        }
    }

    @Test(arguments: [[0xC3], [0x61, 0xFF], [0x61, 0xE2, 0x82], [0xED, 0xA0, 0x80]] as [[UInt8]])
    func `bytes that are not UTF-8 are not text`(_ bytes: [UInt8]) {
        #expect(DocumentFormat.detected(in: bytes) == nil)
    }
}
