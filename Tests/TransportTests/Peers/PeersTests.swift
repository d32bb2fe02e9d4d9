import KioskTestSupport
import Testing

/// The peers that other suites lean on.
@Suite struct PeersTests {
    @Test func `a child's output, input and end arrive`() async throws {
        let result = try await ChildProcess.run("/bin/sh", ["-c", "cat; echo bad >&2; exit 3"], input: "hello")
        #expect(result.end == .exited(3))
        #expect(result.standardOutput == "hello")
        #expect(result.standardError == "bad\n")
    }

    @Test func `a child that ignores its end is killed at the deadline`() async throws {
        let child = try ChildProcess("/bin/sh", ["-c", "trap '' TERM; echo ready; while :; do sleep 1; done"])
        try await child.waitForOutput("ready")
        await #expect(throws: TestSupportError.self) { try await child.terminate(deadline: .milliseconds(50)) }
        try await eventually { !child.isRunning }
    }

    @Test func `a port that was given stays free, and is nobody else's`() async throws {
        let port = try freePort()
        #expect(throws: TestSupportError.self) { try LoopbackSocket().connect(to: port) }
        // Another test run would reserve it as we do; a program that asks for any port gets another anyway.
        let python = try InstalledProgram.path("python3", package: "python3")
        func listen(_ option: String) async throws -> ChildProcess.Result {
            try await ChildProcess.run(
                python,
                [
                    "-c",
                    """
                    import socket
                    listener = socket.socket()
                    \(option)
                    listener.bind(("127.0.0.1", \(port)))
                    listener.listen()
                    """,
                ])
        }
        #expect(try await listen("").standardError.contains("Address already in use"))
        // What a peer does.
        #expect(try await listen("listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)").end.isSuccess)
        #expect(try await listen("").standardError.contains("Address already in use"))
    }

    @Test func `a missing peer is an error that names its package`() {
        #expect(throws: TestSupportError.self) { try InstalledProgram.path("no-such-peer", package: "no-such-package") }
    }

    @Test func `ippeveprinter keeps what ipptool prints and comes back on its port`() async throws {
        let folder = try TemporaryFolder()
        let receipt = try folder.write("one receipt\n", to: "receipt.txt")
        let printer = try await EvePrinter()
        let printed = try await Ipptool.run("print-job.test", on: printer.uri, file: receipt)
        #expect(printed.end.isSuccess, "\(printed.standardOutput)")
        try await eventually { try printer.printScript.startedJobs().count == 1 }
        #expect(try printer.keptFiles().map { try readFile($0) } == [Array("one receipt\n".utf8)])

        try await printer.stop()
        let refused = try await Ipptool.run("get-printer-attributes.test", on: printer.uri, options: ["-t", "-T", "5"])
        #expect(!refused.end.isSuccess)
        try await printer.start()
        let answered = try await Ipptool.run("get-printer-attributes.test", on: printer.uri)
        #expect(answered.end.isSuccess)
    }

    @Test func `ippeveprinter holds a job and takes over the reasons that its print command reports`() async throws {
        let folder = try TemporaryFolder()
        let receipt = try folder.write("two\n", to: "receipt.txt")
        let printer = try await EvePrinter()
        try printer.printScript.hold()
        try printer.printScript.say("STATE: +cover-open")
        _ = try await Ipptool.run("print-job.test", on: printer.uri, file: receipt)
        try await eventually("the reason") {
            try await Ipptool.run("get-printer-attributes.test", on: printer.uri, options: ["-tv"])
                .standardOutput.contains("cover-open-warning")
        }
        try printer.printScript.say("STATE: -cover-open")
        try printer.printScript.release()
        try await eventually("completion") {
            try await Ipptool.run("get-completed-jobs.test", on: printer.uri, options: ["-tv"])
                .standardOutput.contains("job-state (enum) = completed")
        }
    }
}

/// ippeveprinter with TLS as curl, ipptool and `openssl s_client` see it.
@Suite struct SecureEvePrinterTests {
    @Test func `it proves itself with the certificate that it was given`() async throws {
        let authority = try await TestAuthority()
        var options = EvePrinter.Options()
        let certificate = try await authority.issue()
        options.certificate = certificate
        let printer = try await EvePrinter(options)
        let response = try await CurlRequest.send(printer.secureURI, ["--cacert", authority.root])
        #expect(response.isSuccessful, "\(response.log)")
        let shown = try await OpenSSLTool.run([
            "s_client", "-connect", "localhost:\(printer.port)", "-servername", "localhost",
        ])
        let leaf = try #require(
            try String(decoding: readFile(certificate.certificate), as: UTF8.self).split(separator: "-----\n")
                .dropFirst().first)
        #expect(shown.contains(leaf))
        let plain = try await CurlRequest.send(printer.uri)
        #expect(plain.isSuccessful)
    }

    @Test func `it makes a certificate of its own where it has none`() async throws {
        let printer = try await EvePrinter()
        let unchecked = try await CurlRequest.send(printer.secureURI, ["--insecure"])
        #expect(unchecked.isSuccessful, "\(unchecked.log)")
        let checked = try await CurlRequest.send(printer.secureURI)
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
