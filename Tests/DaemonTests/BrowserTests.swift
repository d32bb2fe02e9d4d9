import Foundation
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPaper
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// Tills in a real browser, and requests from outside by others' programs. Where Chromium or the Python packages are
/// missing, nothing is tested.
@Suite(.enabled(if: BrowserScenario.isPossible), .timeLimit(.minutes(16))) struct BrowserTests {
    /// A daemon with a receipt printer for two roles, which listens at `listen` and a port. `unconfirmed`: what the role
    /// receipt wants where nobody can know.
    private func kiosk(
        _ printer: SimulatedRawPrinter, _ listen: String = "127.0.0.1", unconfirmed: String = "reprint"
    ) async throws -> (daemon: KioskdFixture, port: Int) {
        let port = try freePort()
        let daemon = try await KioskdFixture(
            registry: """
                version: 1
                printers:
                  - { id: till-1, url: "\(printer.uri)/?waiteof=false", profile: epson-tm }
                roles:
                  receipt:
                    printers: [till-1]
                    unconfirmed: \(unconfirmed)
                  kitchen:
                    printers: [till-1]

                """, arguments: ["--profiles", ShippedProfiles.folder, "--listen", "\(listen):\(port)"])
        return (daemon, port)
    }

    /// The secret of a new token.
    private func token(
        _ name: String, _ scopes: String, origin: String? = nil, on daemon: KioskdFixture
    ) async throws -> String {
        let arguments = ["tokens", "add", name, "--scope", scopes] + (origin.map { ["--origin", $0] } ?? [])
        let made = try await ChildProcess.run(
            try BuiltProducts.path("kioskctl"), arguments, environment: ["KIOSKD_SOCKET": daemon.socket])
        guard made.end.isSuccess else { throw TestSupportError(made.standardError) }
        return made.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// A code as `kioskctl admin` makes it.
    private func code(on daemon: KioskdFixture) async throws -> String {
        let made = try await daemon.curlJSON("POST", "/v1/login-codes", "{}")
        let answer = try JSONSerialization.jsonObject(with: Data(made.body)) as? [String: Any]
        guard let code = answer?["code"] as? String else { throw TestSupportError("no code: \(made.text)") }
        return code
    }

    @Test func `a till's page prints, follows and opens the drawer, and pages of others do not`() async throws {
        let printer = try await SimulatedRawPrinter.start()
        let (daemon, port) = try await kiosk(printer)
        let till = "https://till.example"
        let scenario = try BrowserScenario(
            "till.py",
            [
                "kiosk": "http://127.0.0.1:\(port)", "absent": "http://127.0.0.1:\(try freePort())",
                "token": try await token("till", "print:receipt,drawer", origin: till, on: daemon),
                "plain": try await token("plain", "print:receipt", origin: till, on: daemon),
                "other": try await token("other", "print:receipt", origin: "https://other.example", on: daemon),
            ])
        let passed = try await scenario.run { try await act($0, on: daemon, printer) }
        #expect(passed.count == 9)
        let paper = try PrintedReceipt.read(try await printer.paper)
        for (text, count) in [
            ("BY KIOSK.JS", 1), ("BY THE DAEMON'S MODULE", 2), ("BY TWENTY LINES", 1), ("ANSWER LOST", 1),
            ("ACROSS A RESTART", 1), ("BY A STRANGER", 0), ("BY ANOTHER TOKEN", 0),
        ] { #expect(paper.text.ranges(of: text).count == count, "\(text)") }
        try await printer.stop()
    }

    @Test func `each token may what its scopes say, and no more, for others' clients over TLS`() async throws {
        let printer = try await SimulatedRawPrinter.start()
        let (daemon, port) = try await kiosk(printer, "https://127.0.0.1")
        let files = try TemporaryFolder("rights")
        var settings = [
            "folder": files.path, "host": "127.0.0.1", "port": "\(port)",
            "certificate": daemon.folder.appending("tls/certificate.pem"),
        ]
        for scope in ["read", "print:receipt", "print", "admin"] {
            settings[scope] = try await token(scope, scope, on: daemon)
        }
        for scope in ["drawer", "raw"] {
            settings[scope] = try await token(scope, "print:receipt,\(scope)", on: daemon)
            settings[scope + " alone"] = try await token(scope + " alone", scope, on: daemon)
        }
        let passed = try await BrowserScenario("rights.py", settings).run()
        #expect(
            passed == [
                "table by python", "table by curl", "table by openssl", "documented table", "owners", "wrong tokens",
            ])
        try await printer.stop()
    }

    @Test(arguments: [nil, "admin", "print:receipt"])
    func `the API keeps to its own description, whatever is sent`(scope: String?) async throws {
        let printer = try await SimulatedRawPrinter.start()
        let (daemon, port) = try await kiosk(printer)
        let token = if let scope { try await token("fuzz", scope, on: daemon) } else { "" }
        let passed = try await BrowserScenario(
            "description.py",
            ["kiosk": "http://127.0.0.1:\(port)", "token": token, "examples": "\(rounds(3, long: 100))"]
        ).run(deadline: .seconds(600))
        #expect(passed == ["description"])
        #expect(!daemon.log.contains("Fatal error"))
        try await printer.stop()
    }

    @Test func `pages of others and strangers get nowhere beside a logged-in administrator`() async throws {
        let printer = try await SimulatedRawPrinter.start()
        let (daemon, port) = try await kiosk(printer)
        let passed = try await BrowserScenario(
            "attacks.py",
            ["kiosk": "http://127.0.0.1:\(port)", "code": try await code(on: daemon)]
        ).run()
        #expect(passed.count == 7)
        let jobs = try await daemon.curl("/v1/jobs").json(JobList.self)
        #expect(jobs.jobs.isEmpty)
        try await printer.stop()
    }

    @Test func `from a one-time code to the first printed receipt by the page alone`() async throws {
        let printer = try await SimulatedRawPrinter.start()
        let office = try await SimulatedPrinter.start(.init(.laser))
        var options = SimulatedPrinter.Options()
        options.login = PrinterLogin(.basic, user: "till", password: Secret("secret"))
        let locked = try await SimulatedPrinter.start(options)
        let port = try freePort()
        let daemon = try await KioskdFixture(
            arguments: ["--profiles", ShippedProfiles.folder, "--listen", "127.0.0.1:\(port)"])
        let passed = try await BrowserScenario(
            "first_run.py",
            [
                "kiosk": "http://127.0.0.1:\(port)", "code": try await code(on: daemon), "printer": printer.uri,
                "away": "socket://127.0.0.1:\(try freePort())", "office": office.uri, "locked": locked.uri,
            ]
        ).run()
        #expect(passed.count == 7)
        let paper = try PrintedReceipt.read(try await printer.paper)
        #expect(paper.text.ranges(of: "Test print of kioskd").count == 2)
        // The second of the two tells that it is one.
        #expect(paper.text.ranges(of: "*** COPY ***").count == 1)
        let copy = try #require(paper.text.firstRange(of: "*** COPY ***"))
        #expect(paper.text[..<copy.lowerBound].ranges(of: "Test print of kioskd").count == 1)
        #expect(paper.text.ranges(of: "BY THE EDITOR").count == 1)
        for printer in [office, locked] { try await printer.stop() }
        try await printer.stop()
    }

    @Test func `a printer that Avahi announces is found, accepted, saved and tested on the page`() async throws {
        let network = try await TestNetwork()
        try await network.startAvahi()
        let folder = try TemporaryFolder("eve")
        let eve = try network.start(
            try InstalledProgram.path("ippeveprinter", package: "cups-ipp-utils"),
            ["-p", "8631", "-d", folder.path, "-K", folder.path, "-k", "-M", "ACME", "-m", "Laser 5", "Office"])
        let daemon = try await KioskdFixture(
            registry: "version: 1\nprinters: []\nroles:\n  document: { printers: [] }\n",
            arguments: ["--profiles", ShippedProfiles.folder, "--listen", "127.0.0.1:8632"], network: network)
        let passed = try await BrowserScenario(
            "discovered.py",
            [
                "kiosk": "http://127.0.0.1:8632", "code": try await code(on: daemon), "model": "ACME Laser 5",
            ], in: network
        ).run()
        #expect(passed == ["found", "printed"])
        #expect(eve.isRunning)
    }

    @Test func `an empty tray shows on an open page, and is gone when it is filled`() async throws {
        let printer = try await EvePrinter()
        let port = try freePort()
        let daemon = try await KioskdFixture(
            registry: """
                version: 1
                printers:
                  - { id: office, url: "\(printer.uri)" }
                roles:
                  document:
                    printers: [office]

                """, arguments: ["--profiles", ShippedProfiles.folder, "--listen", "127.0.0.1:\(port)"])
        let passed = try await BrowserScenario(
            "paper.py", ["kiosk": "http://127.0.0.1:\(port)", "code": try await code(on: daemon)]
        ).run { request in
            let sheets = ["empty": 0, "fill": 250][request]
            guard let sheets else { throw TestSupportError("the scenario asks for \(request)") }
            let tray = "size1=na_letter_8.5x11in&type1=stationery&level1=\(sheets)"
            let envelopes = "size3=na_number-10_4.125x9.5in&type3=envelope&level3=\(sheets == 0 ? 0 : -2)"
            let set = try await ChildProcess.run(
                "/usr/bin/curl",
                ["-sSf", "-o", "/dev/null", "http://localhost:\(printer.port)/media?\(tray)&\(envelopes)"])
            #expect(set.end.isSuccess, "\(set.standardError)")
        }
        #expect(passed == ["seen", "gone"])
    }

    @Test func `printers and roles are looked after on the page, by keyboard, without script and by two admins`()
        async throws
    {
        let printer = try await SimulatedRawPrinter.start()
        let port = try freePort()
        let daemon = try await KioskdFixture(
            registry: """
                version: 1
                printers:
                  - { id: till-1, url: "\(printer.uri)/?waiteof=false", profile: epson-tm }
                  - { id: till-2, url: "socket://127.0.0.1:\(try freePort())", profile: epson-tm }
                roles:
                  receipt:
                    printers: [till-1, till-2]

                """,
            arguments: ["--profiles", ShippedProfiles.folder, "--listen", "127.0.0.1:\(port)"])
        let passed = try await BrowserScenario(
            "page.py", ["kiosk": "http://127.0.0.1:\(port)", "code": try await code(on: daemon)]
        ).run { try await act($0, on: daemon, printer) }
        #expect(passed.count == 7)
        try await printer.stop()
    }

    @Test func `a person decides on the page what became of a job that nobody can know of, and the record says so`()
        async throws
    {
        let printer = try await SimulatedRawPrinter.start()
        let (daemon, port) = try await kiosk(printer, unconfirmed: "hold")
        let passed = try await BrowserScenario(
            "decide.py",
            ["kiosk": "http://127.0.0.1:\(port)", "code": try await code(on: daemon)]
        ).run { try await act($0, on: daemon, printer) }
        #expect(passed == ["test_print_again", "test_it_came_out"])
        let paper = Data(try await printer.paper)
        func count(_ text: String) -> Int { paper.ranges(of: Data(text.utf8)).count }
        // The end of a receipt that was cut is not on the paper.
        #expect(count("END FIRST") == 1)
        #expect(count("END SECOND") == 0)
        #expect(count("*** COPY ***") == 1)
        try await printer.stop()
    }

    @Test func `a printer that shows another certificate is refused until a person has compared and accepted it`()
        async throws
    {
        var options = SimulatedPrinter.Options(.receipt)
        options.tls = PrinterTLSOptions()
        let printer = try await SimulatedPrinter.start(options)
        let port = try freePort()
        let daemon = try await KioskdFixture(
            registry: "version: 1\nprinters: []\nroles:\n  receipt: { printers: [] }\n",
            arguments: ["--profiles", ShippedProfiles.folder, "--listen", "127.0.0.1:\(port)"])
        let passed = try await BrowserScenario(
            "trust.py",
            ["kiosk": "http://127.0.0.1:\(port)", "code": try await code(on: daemon), "printer": printer.uri]
        ).run { request in
            guard request == "new certificate" else { throw TestSupportError("the scenario asks for \(request)") }
            try await printer.perform(.newCertificate)
            // A connection that is open keeps the certificate that it began with.
            try await printer.perform(.dropConnections)
            if try await daemon.curl("/v1/printers/till").status == 200 {
                _ = try await daemon.curlJSON("POST", "/v1/printers/till/contact", "")
            }
        }
        #expect(passed == ["test_changed_while_it_is_added", "test_changed_once_it_is_saved"])
        #expect(try await printer.paper.count == 1)
        try await printer.stop()
    }

    @Test func `a token that the page made prints from its origin alone, and not once it is revoked there`()
        async throws
    {
        let printer = try await SimulatedRawPrinter.start()
        let (daemon, port) = try await kiosk(printer)
        let passed = try await BrowserScenario(
            "token_page.py", ["kiosk": "http://127.0.0.1:\(port)", "code": try await code(on: daemon)]
        ).run()
        #expect(passed == ["test_tokens_of_the_page"])
        let paper = try PrintedReceipt.read(try await printer.paper)
        for (text, count) in [
            ("BY A TOKEN OF THE PAGE", 1), ("BY THE SECOND TOKEN", 1), ("BY ANOTHER ORIGIN", 0),
            ("BY A REVOKED TOKEN", 0),
        ] { #expect(paper.text.ranges(of: text).count == count, "\(text)") }
        try await printer.stop()
    }

    @Test func `every screen is fit for phone and desk, light and dark, and for a screen reader`() async throws {
        let kiosk = try await KioskAtWork()
        let passed = try await BrowserScenario(
            "screens.py",
            [
                "kiosk": "http://127.0.0.1:\(kiosk.port)", "code": try await code(on: kiosk.daemon),
                "paths": KioskAtWork.paths.joined(separator: ","), "add": kiosk.printerToAdd,
                "words": KioskAtWork.words.joined(separator: "\n"),
                // RECORD_SCREENS=FOLDER keeps pictures of them.
                "pictures": ProcessInfo.processInfo.environment["RECORD_SCREENS"] ?? "",
                "long": rounds(0, long: 1) == 0 ? "" : "yes",
            ]
        ).run(deadline: .seconds(900))
        #expect(
            passed == [
                "login", "light", "dark", "german", "forced colours", "assets", "large text",
            ])
        try await kiosk.stop()
    }

    /// Does what a scenario asks for.
    private func act(_ request: String, on daemon: KioskdFixture, _ printer: SimulatedRawPrinter) async throws {
        switch request {
        case "paper out", "paper in":
            try await printer.perform(.set(.paperOut, request == "paper out"))
            // An idle printer is asked every now and then; here at once.
            _ = try await daemon.curlJSON("POST", "/v1/printers/till-1/contact", "")
        case "lose power": try await printer.perform(.losePowerAfter(bytes: 1500))
        case "power on": try await printer.perform(.powerOn)
        case "restart":
            try await daemon.terminate()
            try await daemon.start()
        default: throw TestSupportError("the scenario asks for \(request)")
        }
    }
}
