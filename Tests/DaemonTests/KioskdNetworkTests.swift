import Foundation
import Glibc
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskTestSupport
import Testing

/// The API over TCP, with the programs that others use: curl, openssl, and plain sockets.
@Suite struct KioskdNetworkTests {
    private func daemon(
        _ listen: String, _ more: [String] = [], folder: TemporaryFolder? = nil
    ) async throws -> (daemon: KioskdFixture, port: Int) {
        let daemon = try await KioskdFixture(folder: folder, arguments: ["--listen", listen] + more)
        return (daemon, try await port(of: daemon))
    }

    /// The port that the kernel chose, as the log tells.
    private func port(of daemon: KioskdFixture) async throws -> Int {
        try await eventuallyValue("the daemon to listen over TCP") {
            daemon.log.firstMatch(of: /listening at https?:\/\/[^ ]*:([0-9]+)\n/).flatMap { Int($0.1) }
        }
    }

    private func curl(_ url: String, _ arguments: [String] = []) async throws -> (status: String, output: String) {
        let result = try await ChildProcess.run(
            try InstalledProgram.path("curl", package: "curl"),
            ["-sS", "-i", "-w", "\n%{http_code}"] + arguments + [url])
        let lines = result.standardOutput.split(separator: "\n", omittingEmptySubsequences: false)
        return (String(lines.last ?? ""), result.standardOutput + result.standardError)
    }

    @Test func `loopback is served without TLS, with fields that tell browsers what not to do`() async throws {
        let (daemon, port) = try await daemon("127.0.0.1:0")
        let answer = try await curl("http://127.0.0.1:\(port)/v1/openapi.json")
        #expect(answer.status == "200")
        for field in [
            "X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer",
            "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'", "Cache-Control: no-store",
            "Cross-Origin-Opener-Policy: same-origin", "Cross-Origin-Resource-Policy: same-origin",
        ] { #expect(answer.output.contains(field), "\(answer.output)") }
        let local = try await daemon.curl("/v1/server")
        #expect(local.headers["x-content-type-options"] == nil)
        let server = try local.json(ServerInformation.self)
        #expect(server.addresses == ["http://127.0.0.1:\(port)"])
        #expect(server.certificate == nil)
    }

    @Test func `TLS shows the certificate whose fingerprint the daemon tells, and keeps it after a restart`()
        async throws
    {
        let (daemon, port) = try await daemon("https://127.0.0.1:0")
        let server = try await daemon.curl("/v1/server").json(ServerInformation.self)
        let certificate = try #require(server.certificate)
        #expect(server.addresses == ["https://127.0.0.1:\(port)"])
        #expect(server.isOwnCertificate == true)
        let authority = daemon.folder.appending("tls/certificate.pem")
        #expect(
            try await curl("https://localhost:\(port)/v1/openapi.json", ["--cacert", authority, "--noproxy", "*"])
                .status
                == "200")
        let digest = Data(certificate.keyFingerprint.octets).base64EncodedString()
        for pin in [digest, Data(count: 32).base64EncodedString()] {
            let answer = try await curl(
                "https://127.0.0.1:\(port)/v1/openapi.json", ["--insecure", "--pinnedpubkey", "sha256//\(pin)"])
            #expect(answer.status == (pin == digest ? "200" : "000"))
        }
        try await daemon.terminate()
        try await daemon.start()
        let later = try await eventuallyValue("the daemon to tell its certificate") {
            try await daemon.curl("/v1/server").json(ServerInformation.self).certificate
        }
        #expect(later == certificate)
        let shown = try await daemon.kioskctl("server")
        #expect(shown.standardOutput.contains(certificate.fingerprint.description))
    }

    @Test func `a browser that forgets the s of https is sent on`() async throws {
        let (daemon, port) = try await daemon("https://127.0.0.1:0")
        defer { withExtendedLifetime(daemon) {} }
        let answer = try await curl("http://127.0.0.1:\(port)/v1/openapi.json")
        #expect(answer.status == "307" && answer.output.contains("Location: https://127.0.0.1:\(port)/v1/openapi.json"))
        let followed = try await curl("http://127.0.0.1:\(port)/v1/openapi.json", ["-L", "--insecure"])
        #expect(followed.status == "200")
    }

    @Test(arguments: [("-tls1_1", false), ("-tls1_2", true), ("-tls1_3", true)])
    func `versions older than TLS 1.2 are refused`(version: String, isServed: Bool) async throws {
        let (daemon, port) = try await daemon("https://127.0.0.1:0")
        defer { withExtendedLifetime(daemon) {} }
        let result = try await ChildProcess.run(
            try InstalledProgram.path("openssl", package: "openssl"),
            [
                "s_client", "-connect", "127.0.0.1:\(port)", version, "-cipher", "DEFAULT:@SECLEVEL=0", "-alpn",
                "h2,http/1.1",
            ], input: "GET /v1/health HTTP/1.1\r\nHost: localhost:\(port)\r\nConnection: close\r\n\r\n")
        #expect(result.standardOutput.contains("ALPN protocol: http/1.1") == isServed, "\(result.standardOutput)")
    }

    @Test func `a document goes over TLS, and its job is told`() async throws {
        let daemon = try await KioskdFixture(
            printers: ["ipp://localhost:\(try freePort())/ipp/print"], arguments: ["--listen", "https://127.0.0.1:0"])
        let port = try await port(of: daemon)
        let made = try await daemon.kioskctl("tokens", "add", "till", "--scope", "print:receipt")
        let secret = made.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
        let file = daemon.folder.appending("document")
        try Data(repeating: UInt8(ascii: "x"), count: 3 << 20).write(to: URL(fileURLWithPath: file))
        let answer = try await curl(
            "https://127.0.0.1:\(port)/v1/jobs?role=receipt",
            [
                "--insecure", "-H", "Content-Type: text/plain", "-H", "Authorization: Bearer \(secret)",
                "--data-binary", "@\(file)",
            ])
        #expect(answer.status == "202", "\(answer.output)")
        #expect(try await daemon.client().jobs().jobs.map(\.documentLength) == [3 << 20])
    }

    // MARK: Refusals

    @Test func `a request for another host is refused before anything else`() async throws {
        let (daemon, port) = try await daemon("127.0.0.1:0", ["--host-name", "proxy.example"])
        defer { withExtendedLifetime(daemon) {} }
        let url = "http://127.0.0.1:\(port)"
        for (host, status) in [
            ("evil.example", "421"), ("evil.example:\(port)", "421"), ("localhost", "421"),
            ("localhost:\(port)", "200"),
            ("proxy.example", "200"), ("LOCALHOST:\(port)", "200"),
        ] {
            let answer = try await curl("\(url)/v1/openapi.json", ["-H", "Host: \(host)"])
            #expect(answer.status == status, "\(host): \(answer.output)")
            if status == "421" { #expect(answer.output.contains("misdirected-request")) }
        }
        // Also where the path or the method would be refused.
        #expect(try await curl("\(url)/nothing", ["-H", "Host: evil.example"]).status == "421")
        #expect(try await curl("\(url)/v1/jobs", ["-X", "POST", "-H", "Host: evil.example"]).status == "421")
    }

    @Test func `a page of another origin cannot change anything`() async throws {
        let (daemon, port) = try await daemon("127.0.0.1:0")
        let url = "http://127.0.0.1:\(port)"
        for field in ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site", "Origin: https://evil.example"] {
            let answer = try await curl("\(url)/v1/registry/reload", ["-X", "POST", "-H", field])
            #expect(answer.status == "403", "\(field): \(answer.output)")
            #expect(answer.output.contains("cross-origin"))
            let isOrigin = field.hasPrefix("Origin")
            // What changes nothing may come from everywhere, but another origin's page is not shown it.
            #expect(try await curl("\(url)/v1/openapi.json", ["-H", field]).status == (isOrigin ? "403" : "200"))
        }
        for field in ["Sec-Fetch-Site: same-origin", "Origin: \(url)", "X-None: 1"] {
            #expect(
                try await !curl("\(url)/v1/registry/reload", ["-X", "POST", "-H", field]).output
                    .contains("cross-origin"))
        }
        // The kernel says who calls there.
        let local = try await daemon.curl(
            "/v1/registry/reload", ["-X", "POST", "-H", "Sec-Fetch-Site: cross-site", "-H", "Host: evil.example"])
        #expect(local.status == 204)
    }

    // MARK: Many connections

    /// Connections that are opened and nothing else.
    private final class IdleConnections {
        private var descriptors: [CInt] = []

        func open(to port: Int) throws {
            let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
            guard descriptor >= 0 else { throw TestSupportError.errno("socket", errno) }
            descriptors.append(descriptor)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(port).bigEndian
            address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
            let result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard result == 0 else { throw TestSupportError.errno("connect", errno) }
        }

        /// How many were told that there are too many. One that is closed for its silence is told nothing.
        var refused: Int {
            descriptors.count { descriptor in
                var buffer = [UInt8](repeating: 0, count: 4096)
                let count = recv(descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT) | CInt(MSG_PEEK))
                return count > 0 && String(decoding: buffer.prefix(count), as: UTF8.self).contains("too-many-requests")
            }
        }

        func closeAll() {
            for descriptor in descriptors { close(descriptor) }
            descriptors = []
        }

        deinit { closeAll() }
    }

    @Test func `of ten thousand connections those over the limit are told so and closed, and the socket goes on`()
        async throws
    {
        let (daemon, port) = try await daemon("127.0.0.1:0")
        let idle = IdleConnections()
        for _ in 0..<900 { try idle.open(to: port) }
        try await eventually("connections to be refused") { idle.refused > 0 }
        #expect(idle.refused <= 900 - 768)
        #expect(try await daemon.curl("/v1/health").status == 200)
        // Ten thousand in all, while those stay.
        for _ in 0..<91 {
            let more = IdleConnections()
            for _ in 0..<100 { try more.open(to: port) }
            more.closeAll()
        }
        #expect(try await daemon.curl("/v1/health").status == 200)
        let descriptors = try FileManager.default.contentsOfDirectory(
            atPath: "/proc/\(daemon.process.processID)/fd")
        #expect(descriptors.count < 1000)
        idle.closeAll()
        try await eventually("a place to be free") {
            try await curl("http://127.0.0.1:\(port)/v1/openapi.json").status == "200"
        }
    }

    @Test func `an address that another program has is tried again, and health says so`() async throws {
        let port = try freePort()
        let other = try await KioskdFixture(arguments: ["--listen", "127.0.0.1:\(port)"])
        #expect(try await self.port(of: other) == port)
        let daemon = try await KioskdFixture(arguments: ["--listen", "127.0.0.1:\(port)"])
        try await eventually("health to warn") {
            try await daemon.curl("/v1/health").json(HealthReport.self).checks.contains { $0.code == "not-listening" }
        }
        try await other.terminate()
        #expect(try await self.port(of: daemon) == port)
        #expect(
            try await daemon.curl("/v1/health").json(HealthReport.self).checks.allSatisfy { $0.code != "not-listening" }
        )
    }

    // MARK: Options

    @Test(arguments: [
        (["--listen", "http://0.0.0.0"], "write https://0.0.0.0"),
        (["--listen", "a b"], "it is not an address"),
        (["--host-name", "x"], "--listen"),
        (["--listen", "localhost", "--host-name", "x:1"], "without a port"),
        (["--listen", "localhost", "--tls-key", "x"], "--tls-certificate"),
    ])
    func `options that cannot be are refused with what to write`(arguments: [String], message: String) async throws {
        let result = try await ChildProcess.run(try BuiltProducts.path("kioskd"), arguments)
        #expect(result.end == .exited(64))
        #expect(result.standardError.contains(message), "\(result.standardError)")
    }
}
