import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// Debian's ipptool, an independent client, against the simulated printer: the suites of CUPS, and RFC 8011's rules
/// beyond them.
@Suite struct SimulatedPrinterProtocolTests {
    // MARK: The suites of CUPS

    /// The suites of CUPS, with the sample documents that Debian leaves out: ipptool ends a suite silently where it
    /// misses one.
    private static func suites() throws -> TemporaryFolder {
        let folder = try TemporaryFolder("suites")
        for name in ["ipp-1.1.test", "ipp-2.0.test", "ipp-everywhere.test"] {
            try folder.write(try readFile("/usr/share/cups/ipptool/\(name)"), to: name)
        }
        for name in ["document-a4.pdf", "document-letter.pdf"] { try folder.write("%PDF-1.7\n%%EOF\n", to: name) }
        for name in ["document-a4.ps", "document-letter.ps"] { try folder.write("%!PS\nshowpage\n", to: name) }
        for name in ["color.jpg", "gray.jpg"] { try folder.write([0xFF, 0xD8, 0xFF, 0xD9], to: name) }
        try folder.write("a test page\n", to: "page.txt")
        return folder
    }

    @Test(arguments: SimulatedPrinterKind.allCases, ["ipp-1.1.test", "ipp-2.0.test", "ipp-everywhere.test"])
    func `passes the suites of CUPS`(kind: SimulatedPrinterKind, suite: String) async throws {
        try await run(suite, on: .init(kind))
    }

    @Test(arguments: [SimulatedPrinterKind.receipt, .laser], ["ipp-1.1.test", "ipp-2.0.test"])
    func `passes the suites of CUPS over TLS`(kind: SimulatedPrinterKind, suite: String) async throws {
        var options = SimulatedPrinter.Options(kind)
        options.tls = PrinterTLSOptions()
        try await run(suite, on: options)
    }

    private func run(_ suite: String, on options: SimulatedPrinter.Options) async throws {
        let printer = try await SimulatedPrinter.start(options)
        let folder = try Self.suites()
        let version = suite == "ipp-1.1.test" ? "1.1" : "2.0"
        let result = try await Ipptool.run(
            folder.appending(suite), on: printer.uri,
            // It prints no text.
            file: folder.appending(options.kind == .office ? "color.jpg" : "page.txt"),
            options: ["-t", "-I", "-V", version])
        #expect(result.end.isSuccess, "\(result.standardOutput)\(result.standardError)")
        let lines = result.standardOutput.split(separator: "\n")
        #expect(lines.filter { $0.contains("[FAIL]") }.isEmpty)
        // The last test of each suite: all before it have run.
        let ends = [
            "ipp-1.1.test": "Print-Job with job-hold-until",
            "ipp-2.0.test": "PWG 5100.12 section 6.2 - Required Printer Description Attributes",
            "ipp-everywhere.test": "PWG 5100.14 section 5.1/5.2 - Required Operations and Attributes",
        ]
        let end = try #require(ends[suite])
        #expect(lines.contains { $0.contains(end) }, "\(result.standardOutput)")
        try await printer.stop()
    }

    // MARK: RFC 8011's rules

    private static let head = """
        ATTR charset attributes-charset utf-8
        ATTR naturalLanguage attributes-natural-language en

        """

    /// One request as ipptool writes it, the status of its response, and what else the response must hold.
    struct Exchange: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var request: String
        var status: String
        var expect = ""

        init(
            _ name: String, _ operation: String, _ attributes: String, _ status: String, expect: String = "",
            head: String = head
        ) {
            testDescription = name
            request = "OPERATION \(operation)\nGROUP operation-attributes-tag\n\(head)\(attributes)"
            self.status = status
            self.expect = expect
        }
    }

    private static let exchanges = [
        Exchange(
            "a charset that is not known", "Get-Printer-Attributes", "ATTR uri printer-uri $uri",
            "client-error-charset-not-supported",
            expect: "EXPECT attributes-charset IN-GROUP unsupported-attributes-tag WITH-VALUE utf-16",
            head: "ATTR charset attributes-charset utf-16\nATTR naturalLanguage attributes-natural-language en\n"),
        Exchange(
            "an operation that is not known", "Pause-Printer", "ATTR uri printer-uri $uri",
            "server-error-operation-not-supported"),
        Exchange(
            "a printer that is not there", "Get-Printer-Attributes", "ATTR uri printer-uri ipp://localhost/ipp/other",
            "client-error-not-found"),
        Exchange(
            "a job that is not there", "Get-Job-Attributes", "ATTR uri printer-uri $uri\nATTR integer job-id 4711",
            "client-error-not-found"),
        Exchange(
            "a job-uri that is not there", "Cancel-Job",
            "ATTR uri job-uri ipp://localhost/ipp/print/99999999999999999999", "client-error-not-found"),
        Exchange(
            "a job operation without a target", "Cancel-Job", "ATTR uri printer-uri $uri", "client-error-bad-request"),
        Exchange(
            "an attribute that appears twice", "Get-Jobs",
            "ATTR uri printer-uri $uri\nATTR integer limit 1\nATTR integer limit 2", "client-error-bad-request"),
        Exchange(
            "an attribute of the wrong syntax", "Get-Jobs", "ATTR uri printer-uri $uri\nATTR keyword limit many",
            "client-error-bad-request"),
        Exchange(
            "an unknown which-jobs", "Get-Jobs", "ATTR uri printer-uri $uri\nATTR keyword which-jobs lost",
            "client-error-attributes-or-values-not-supported",
            expect: "EXPECT which-jobs IN-GROUP unsupported-attributes-tag WITH-VALUE lost"),
        Exchange(
            "a format that it does not take", "Validate-Job",
            "ATTR uri printer-uri $uri\nATTR mimeMediaType document-format application/x-unknown",
            "client-error-document-format-not-supported",
            expect: "EXPECT document-format IN-GROUP unsupported-attributes-tag"),
        Exchange(
            "a compression that it does not take", "Validate-Job",
            "ATTR uri printer-uri $uri\nATTR keyword compression compress", "client-error-compression-not-supported"),
        Exchange(
            "attributes that it ignores", "Validate-Job",
            """
            ATTR uri printer-uri $uri
            GROUP job-attributes-tag
            ATTR keyword sides two-sided-long-edge
            ATTR integer job-priority 50
            ATTR integer copies 2
            """,
            "successful-ok-ignored-or-substituted-attributes",
            expect: """
                EXPECT sides IN-GROUP unsupported-attributes-tag OF-TYPE keyword
                EXPECT job-priority IN-GROUP unsupported-attributes-tag OF-TYPE unsupported
                EXPECT !copies
                """),
        Exchange(
            "attributes that must not be ignored", "Validate-Job",
            """
            ATTR uri printer-uri $uri
            ATTR boolean ipp-attribute-fidelity true
            GROUP job-attributes-tag
            ATTR keyword media iso_a0_841x1189mm
            """,
            "client-error-attributes-or-values-not-supported",
            expect: "EXPECT media IN-GROUP unsupported-attributes-tag WITH-VALUE iso_a0_841x1189mm"),
        Exchange(
            "a group of attributes", "Get-Printer-Attributes",
            "ATTR uri printer-uri $uri\nATTR keyword requested-attributes job-template", "successful-ok",
            expect: "EXPECT copies-supported\nEXPECT !printer-name\nEXPECT !media-col-database"),
        Exchange(
            "the media database, which has to be named", "Get-Printer-Attributes",
            "ATTR uri printer-uri $uri\nATTR keyword requested-attributes media-col-database", "successful-ok",
            expect: "EXPECT media-col-database OF-TYPE collection\nEXPECT !printer-name"),
        Exchange(
            "a job without a document", "Print-Job", "ATTR uri printer-uri $uri", "client-error-bad-request",
            expect: "EXPECT !job-id"),
        Exchange(
            "what it can do, of which certification asks", "Get-Printer-Attributes", "ATTR uri printer-uri $uri",
            "successful-ok",
            expect: """
                EXPECT compression-supported WITH-VALUE gzip
                EXPECT compression-supported WITH-VALUE deflate
                EXPECT document-password-supported OF-TYPE integer COUNT 1
                EXPECT finishing-template-supported OF-TYPE keyword WITH-VALUE trim-after-job
                EXPECT finishings-ready OF-TYPE enum WITH-VALUE-FROM finishings-supported
                EXPECT finishings-col-database OF-TYPE collection COUNT 3
                EXPECT finishings-col-database/finishing-template WITH-VALUE none
                EXPECT finishings-col-default OF-TYPE collection COUNT 1
                EXPECT finishings-col-default/finishing-template WITH-VALUE none
                EXPECT finishings-col-ready OF-TYPE collection
                EXPECT finishings-col-supported WITH-VALUE finishing-template
                EXPECT job-creation-attributes-supported WITH-VALUE finishings-col
                """),
        Exchange(
            "a cut that it makes", "Validate-Job",
            """
            ATTR uri printer-uri $uri
            ATTR boolean ipp-attribute-fidelity true
            GROUP job-attributes-tag
            ATTR collection finishings-col {
                MEMBER keyword finishing-template trim-after-job
            }
            """, "successful-ok"),
        Exchange(
            "a finishing that it does not make", "Validate-Job",
            """
            ATTR uri printer-uri $uri
            ATTR boolean ipp-attribute-fidelity true
            GROUP job-attributes-tag
            ATTR collection finishings-col {
                MEMBER keyword finishing-template staple
            }
            """, "client-error-attributes-or-values-not-supported"),
        Exchange("being found", "Identify-Printer", "ATTR uri printer-uri $uri", "successful-ok"),
    ]

    @Test(arguments: exchanges)
    func `responds by the rules`(exchange: Exchange) async throws {
        let printer = try await SimulatedPrinter.start()
        let folder = try TemporaryFolder()
        let test = try folder.write(
            "{\n\(exchange.request)\nSTATUS \(exchange.status)\n\(exchange.expect)\n}\n", to: "one.test")
        let result = try await Ipptool.run(test, on: printer.uri, options: ["-tv"])
        #expect(result.end.isSuccess, "\(result.standardOutput)\(result.standardError)")
        #expect(result.standardOutput.contains("[PASS]"))
        try await printer.stop()
    }

    /// A request to the printer as ipptool writes it.
    private func request(_ operation: String, _ attributes: String, _ status: String) -> String {
        """
        {
        OPERATION \(operation)
        GROUP operation-attributes-tag
        \(Self.head)ATTR uri printer-uri $uri
        \(attributes)
        STATUS \(status)
        }

        """
    }

    @Test func `a job has a UUID of its own, and counts its document as one impression once it is printed`()
        async throws
    {
        let printer = try await SimulatedPrinter.start(.init(.laser))
        try await printer.perform(.hold)
        let folder = try TemporaryFolder()
        let file = try folder.write("page\n", to: "page.txt")
        func get(_ impressions: Int) -> String {
            request(
                "Get-Job-Attributes", "ATTR integer job-id $job-id",
                """
                successful-ok
                EXPECT job-uuid OF-TYPE uri COUNT 1 WITH-VALUE "/^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$$/"
                EXPECT job-impressions OF-TYPE integer COUNT 1 WITH-VALUE 1
                EXPECT job-impressions-completed OF-TYPE integer COUNT 1 WITH-VALUE \(impressions)
                """)
        }
        func run(_ test: String) async throws {
            let path = try folder.write(test, to: "one.test")
            let result = try await Ipptool.run(path, on: printer.uri, file: file, options: ["-tv"])
            #expect(result.end.isSuccess, "\(result.standardOutput)\(result.standardError)")
        }
        try await run(request("Print-Job", "FILE $filename", "successful-ok") + get(0))
        try await printer.perform(.release)
        try await run(
            request(
                "Get-Jobs", "ATTR keyword which-jobs completed\nATTR keyword requested-attributes all",
                "successful-ok\nEXPECT job-impressions-completed WITH-VALUE 1"))
        try await printer.stop()
    }

    @Test func `a job that waits for paper needs media`() async throws {
        let printer = try await SimulatedPrinter.start(.init(.laser))
        try await printer.perform(.paperOut)
        let folder = try TemporaryFolder()
        let file = try folder.write("page\n", to: "page.txt")
        let reasons = "ATTR keyword requested-attributes printer-state-reasons"
        let test = try folder.write(
            request(
                "Get-Printer-Attributes", reasons,
                "successful-ok\nEXPECT printer-state-reasons COUNT 1 WITH-VALUE media-empty-error")
                + request("Print-Job", "FILE $filename", "successful-ok")
                + request(
                    "Get-Printer-Attributes", reasons,
                    "successful-ok\nEXPECT printer-state-reasons COUNT 2 WITH-VALUE \"/^media-needed/\""),
            to: "one.test")
        let result = try await Ipptool.run(test, on: printer.uri, file: file, options: ["-tv"])
        #expect(result.end.isSuccess, "\(result.standardOutput)\(result.standardError)")
        try await printer.stop()
    }

    @Test func `a job is closed by a last Send-Document without a document`() async throws {
        let printer = try await SimulatedPrinter.start()
        let folder = try TemporaryFolder()
        let file = try folder.write("page\n", to: "page.txt")
        let test = try folder.write(
            request("Create-Job", "", "successful-ok")
                + request(
                    "Send-Document", "ATTR integer job-id $job-id\nATTR boolean last-document false\nFILE $filename",
                    "successful-ok")
                + request(
                    "Send-Document", "ATTR integer job-id $job-id\nATTR boolean last-document false\nFILE $filename",
                    "server-error-multiple-document-jobs-not-supported")
                + request(
                    "Send-Document", "ATTR integer job-id $job-id\nATTR boolean last-document true", "successful-ok")
                + request("Close-Job", "ATTR integer job-id $job-id", "client-error-not-possible"), to: "close.test")
        let result = try await Ipptool.run(test, on: printer.uri, file: file, options: ["-tv"])
        #expect(result.end.isSuccess, "\(result.standardOutput)\(result.standardError)")
        try await eventually { try await printer.jobs.map(\.state) == [.completed] }
        #expect(try await printer.paper.map(\.bytes) == [5])
        try await printer.stop()
    }

    @Test func `notifies of jobs that Print-Job and Create-Job have created`() async throws {
        let printer = try await SimulatedPrinter.start()
        let folder = try TemporaryFolder()
        let file = try folder.write("page\n", to: "page.txt")
        let subscription = """
            GROUP subscription-attributes-tag
            ATTR keyword notify-pull-method ippget
            ATTR keyword notify-events job-created,job-completed
            """
        let test = try folder.write(
            request("Create-Printer-Subscription", subscription, "successful-ok")
                + request("Print-Job", "FILE $filename", "successful-ok")
                + request("Create-Job", "", "successful-ok")
                + request("Get-Notifications", "ATTR integer notify-subscription-ids 1", "successful-ok"),
            to: "created.test")
        let result = try await Ipptool.run(test, on: printer.uri, file: file, options: ["-tv"])
        #expect(result.end.isSuccess, "\(result.standardOutput)\(result.standardError)")
        let events = result.standardOutput.split(separator: "\n").compactMap {
            $0.split(separator: "notify-subscribed-event (keyword) = ").dropFirst().first
        }
        #expect(events == ["job-created", "job-completed", "job-created"], "\(result.standardOutput)")
        try await printer.stop()
    }

    @Test func `cancels the jobs of one user and leaves those of others`() async throws {
        let printer = try await SimulatedPrinter.start()
        let folder = try TemporaryFolder()
        try await printer.perform(.hold)
        func request(_ operation: String, _ user: String) -> String {
            self.request(operation, "ATTR name requesting-user-name \(user)", "successful-ok")
        }
        let test = try folder.write(
            request("Create-Job", "ann") + request("Create-Job", "bob") + request("Cancel-My-Jobs", "ann"),
            to: "mine.test")
        let result = try await Ipptool.run(test, on: printer.uri, options: ["-tv"])
        #expect(result.end.isSuccess, "\(result.standardOutput)\(result.standardError)")
        #expect(try await printer.jobs.map(\.state) == [.canceled, .pendingHeld])
        try await printer.stop()
    }
}
