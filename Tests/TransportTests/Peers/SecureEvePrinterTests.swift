import TestSupport
import Testing

/// ippeveprinter with TLS as curl, ipptool and `openssl s_client` see it.
@Suite struct SecureEvePrinterTests {
    @Test func `it proves itself with the certificate that it was given`() async throws {
        let authority = try await TestAuthority()
        var options = EvePrinter.Options()
        let certificate = try await authority.issue()
        options.certificate = certificate
        let printer = try await EvePrinter(options)
        let answer = try await CurlQuestion.ask(printer.secureURI, ["--cacert", authority.root])
        #expect(answer.isSuccessful, "\(answer.said)")
        let shown = try await OpenSSLTool.run([
            "s_client", "-connect", "localhost:\(printer.port)", "-servername", "localhost",
        ])
        let leaf = try #require(
            try String(decoding: readFile(certificate.certificate), as: UTF8.self).split(separator: "-----\n")
                .dropFirst().first)
        #expect(shown.contains(leaf))
        let plain = try await CurlQuestion.ask(printer.uri)
        #expect(plain.isSuccessful)
    }

    @Test func `it makes a certificate of its own where it has none`() async throws {
        let printer = try await EvePrinter()
        let unchecked = try await CurlQuestion.ask(printer.secureURI, ["--insecure"])
        #expect(unchecked.isSuccessful, "\(unchecked.said)")
        let checked = try await CurlQuestion.ask(printer.secureURI)
        #expect(checked.status == 0)
    }

    @Test func `it upgrades a plain connection to TLS`() async throws {
        let folder = try TemporaryFolder()
        let receipt = try folder.write("one receipt\n", to: "receipt.txt")
        let printer = try await EvePrinter()
        // -E: TLS by upgrade, on a connection that began plain.
        let printed = try await Ipptool.run("print-job.test", on: printer.uri, file: receipt, options: ["-tE"])
        #expect(printed.end.isSuccess, "\(printed.standardOutput)\(printer.log)")
        try await eventually { try printer.keptFiles().count == 1 }
        #expect(try printer.keptFiles().map { try readFile($0) } == [Array("one receipt\n".utf8)])
    }
}
