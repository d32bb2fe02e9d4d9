import Foundation
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// Receipts that are shown before any paper is spent.
@Suite struct KioskdPreviewTests {
    private static let receipt = "Corner Café\nTea | 2.50\n{drawer:1}\n"

    private func daemon() async throws -> KioskdFixture {
        try await KioskdFixture(
            registry: """
                version: 1
                printers:
                  - { id: till-1, url: "ipp://localhost:\(try freePort())/ipp/print", profile: generic-58mm }
                  - { id: office, url: "ipp://localhost:\(try freePort())/ipp/print", profile: generic-document }
                roles: {}
                """,
            arguments: ["--profiles", KioskdMarkupTests.profiles])
    }

    private func preview(
        _ daemon: KioskdFixture, _ text: String, _ query: String = "", accept: String? = nil,
        type: String = "text/receiptline"
    ) async throws -> CurlResponse {
        let accept = accept.map { ["-H", "Accept: \($0)"] } ?? []
        return try await daemon.curl(
            "/v1/preview\(query)", ["-H", "Content-Type: \(type)", "--data-binary", text] + accept)
    }

    @Test(arguments: [("", 48), ("?columns=20", 20), ("?printer=till-1", 32), ("?profile=epson-tm", 48)])
    func `in characters it is as wide as its paper`(query: String, columns: Int) async throws {
        let response = try await preview(daemon(), Self.receipt, query)
        #expect(response.status == 200)
        #expect(response.headers["content-type"] == "text/plain; charset=utf-8")
        let lines = response.text.split(separator: "\n")
        #expect(
            lines.contains { $0.count == columns && $0.hasPrefix("Tea") && $0.hasSuffix("2.50") }, "\(response.text)")
        #expect(response.text.contains("drawer 1"))
        // What nobody wrote is done all the same, and shown.
        #expect(response.text.contains("cut: partial"))
    }

    @Test func `as a picture it is what Accept asks for`() async throws {
        let daemon = try await daemon()
        let svg = try await preview(daemon, Self.receipt, accept: "image/svg+xml")
        #expect(svg.headers["content-type"] == "image/svg+xml")
        #expect(svg.text.hasPrefix("<svg"))
        let png = try await preview(daemon, Self.receipt, "?printer=till-1", accept: "text/html, image/*;q=0.8")
        #expect(png.headers["content-type"] == "image/png")
        #expect(png.body.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        // The width in the header.
        #expect(png.body[16..<20].elementsEqual([0, 0, 1, 0x80]))
        let other = try await preview(daemon, Self.receipt, accept: "image/tiff")
        #expect(other.status == 406)
        #expect(try other.json(Problem.self).code == .notAcceptable)
    }

    @Test func `JSON has the remarks`() async throws {
        let response = try await preview(daemon(), "{colour:red}\nTea\n", accept: "application/json")
        let shown = try response.json(PreviewText.self)
        #expect(shown.text.contains("Tea"))
        #expect(shown.remarks.first?.line == 1)
    }

    @Test func `what no font has is told before it is printed, where the printer has it drawn`() async throws {
        let daemon = try await daemon()
        let shown = try await preview(daemon, "tea \u{E000}\n", "?printer=till-1", accept: "application/json").json(
            PreviewText.self)
        #expect(shown.remarks.map(\.message) == ["no font here has U+E000: blank on paper; install a font that does"])
        #expect(
            try await preview(daemon, "tea שלום\n", "?printer=till-1", accept: "application/json").json(
                PreviewText.self
            ).remarks == [])
    }

    @Test(arguments: [
        ("?printer=till-9", "tea", "text/receiptline", 404), ("?profile=none", "tea", "text/receiptline", 404),
        ("?columns=3", "tea", "text/receiptline", 400),
        ("?columns=20&profile=epson-tm", "tea", "text/receiptline", 400),
        ("?printer=office", "tea", "text/receiptline", 415),
        ("?profile=generic-document", "tea", "text/receiptline", 415),
        ("", "^XA", "application/vnd.zebra-zpl", 415), ("", "Milk { 0.80", "text/receiptline", 422),
        ("", "[", "application/vnd.kiosk.receipt+json", 422),
        ("?role=receipt", "tea", "text/receiptline", 400),
    ])
    func `what cannot be shown is refused`(query: String, text: String, type: String, status: Int) async throws {
        let response = try await preview(daemon(), text, query, type: type)
        #expect(response.status == status, "\(response.text)")
        #expect(try response.json(Problem.self).status == status)
    }

    @Test func `kioskctl shows it, and writes pictures by their names`() async throws {
        let daemon = try await daemon()
        let file = try daemon.folder.write("{colour:red}\nTea | 2.50\n", to: "order.receipt")
        let shown = try await daemon.kioskctl("preview", file, "--columns", "20")
        #expect(shown.end.isSuccess)
        #expect(shown.standardOutput.hasPrefix("Tea             2.50\n"), "\(shown.standardOutput)")
        #expect(shown.standardError.hasPrefix("kioskctl: \(file):1:2: "))
        for (name, start) in [("a.png", [0x89, 0x50]), ("a.svg", Array("<svg".utf8)), ("a.txt", Array("Tea".utf8))]
            as [(String, [UInt8])]
        {
            let written = try await daemon.kioskctl("preview", file, "-o", daemon.folder.appending(name))
            #expect(written.end.isSuccess, "\(written.standardError)")
            #expect(written.standardOutput.isEmpty)
            #expect(written.standardError.hasPrefix("kioskctl: \(file):1:2: "))
            #expect(try daemon.folder.read(name).starts(with: start))
        }
        let json = try await daemon.kioskctl("preview", file, "--json")
        #expect(try APIJSON.decode(PreviewText.self, from: Array(json.standardOutput.utf8)).remarks.count == 1)
        let piped = try await daemon.kioskctl("preview", "-", "--columns", "20", input: "Milk { 0.80\n")
        #expect(piped.end == .exited(1))
        #expect(piped.standardError.hasPrefix("kioskctl: standard input:1:6: "), "\(piped.standardError)")
        let wrong = try await daemon.kioskctl("preview", file, "-o", "a.pdf")
        #expect(wrong.end == .exited(64))
    }

    @Test func `kioskctl tells what a receipt loses on a printer, with pictures too, and reads standard input once`()
        async throws
    {
        let daemon = try await daemon()
        let output = daemon.folder.appending("a.png")
        let written = try await daemon.kioskctl(
            "preview", "-", "--profile", "epson-tm-p20", "-o", output, input: "tea\n{drawer:1}\n=\n")
        #expect(written.end.isSuccess, "\(written.standardError)")
        #expect(
            written.standardError == """
                kioskctl: standard input: the printer has no cutter: the paper is fed to where it is torn off
                kioskctl: standard input: the printer has no drawer: none was opened

                """)
        #expect(try daemon.folder.read("a.png").starts(with: [0x89, 0x50]))
    }

    /// On a terminal of its own, which script(1) makes.
    private func onTerminal(
        _ command: String, _ daemon: KioskdFixture, _ environment: [String: String]
    ) async throws -> String {
        let script = try InstalledProgram.path("script", package: "bsdutils")
        let program = try BuiltProducts.path("kioskctl")
        let none = [
            "TERM": "xterm", "TERM_PROGRAM": "", "KITTY_WINDOW_ID": "", "TMUX": "", "STY": "", "LC_TERMINAL": "",
            "KIOSKD_SOCKET": daemon.socket,
        ]
        let result = try await ChildProcess.run(
            script, ["-qec", "'\(program)' \(command)", "/dev/null"], environment: none.merging(environment) { $1 })
        #expect(result.end == .exited(0), "\(result.standardError)")
        return result.standardOutput
    }

    @Test func `a terminal that shows pictures gets one`() async throws {
        let daemon = try await daemon()
        let file = try daemon.folder.write("Tea | 2.50\n", to: "order.receipt")
        let picture = try await preview(daemon, "Tea | 2.50\n", accept: "image/png").body
        let kitty = try await onTerminal("preview '\(file)'", daemon, ["KITTY_WINDOW_ID": "1"])
        #expect(kitty.hasPrefix("\u{1B}_Ga=T,f=100,q=2,m=") && kitty.hasSuffix("\u{1B}\\\r\n"))
        let pieces = kitty.split(separator: "\u{1B}_G").map { $0.split(separator: ";")[1].prefix { $0 != "\u{1B}" } }
        #expect(Data(base64Encoded: pieces.joined()).map { Array($0) } == Array(picture))
        let inline = try await onTerminal("preview '\(file)'", daemon, ["TERM_PROGRAM": "WezTerm"])
        let start = "\u{1B}]1337;File=inline=1;size=\(picture.count);preserveAspectRatio=1:"
        #expect(inline.hasPrefix(start) && inline.hasSuffix("\u{7}\r\n"))
        #expect(
            Data(base64Encoded: String(inline.dropFirst(start.count).prefix { $0 != "\u{7}" })).map { Array($0) }
                == Array(picture))
        for (options, environment) in [
            ("", [:]), ("", ["KITTY_WINDOW_ID": "1", "TMUX": "/tmp/tmux"]), ("--text", ["KITTY_WINDOW_ID": "1"]),
        ] as [(String, [String: String])] {
            let text = try await onTerminal("preview '\(file)' \(options)", daemon, environment)
            #expect(text.hasPrefix("Tea "), "\(text)")
        }
    }
}
