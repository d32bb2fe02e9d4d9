import Foundation
import KioskAPI
import KioskPrintModel
import KioskTerminal
import KioskTestSupport
import Testing

@testable import kioskctl

@Suite struct KioskctlTrustTests {
    private static let key = Fingerprint(octets: Array(0..<32))!
    private static let whole = Fingerprint(octets: Array(32..<64))!
    private static let colons =
        "00:01:02:03:04:05:06:07:08:09:0A:0B:0C:0D:0E:0F:10:11:12:13:14:15:16:17:18:19:1A:1B:1C:1D:1E:1F"

    private static let certificate = Certificate(
        subject: "CN=office\u{1B}[2J", issuer: "CN=ACME CA", names: ["office.example", "192.0.2.7"],
        notBefore: Timestamp(millisecondsSince1970: 0), notAfter: Timestamp(millisecondsSince1970: 86_400_000),
        fingerprint: whole,
        keyFingerprint: key, isSelfSigned: false, key: "RSA 2048")

    private func shown(
        _ trust: Trust, isTrusted: Bool = false, problem: String? = "nobody has accepted it"
    ) throws -> PrinterTrust {
        PrinterTrust(
            printer: try Samples.printer("office"), trust: trust, identity: .certificate(Self.certificate),
            isTrusted: isTrusted, problem: problem)
    }

    @Test func `shows what to compare, with whatever is hostile in it made visible`() throws {
        let text = TrustText.details(
            try shown(.ask), .certificate(Self.certificate), now: Timestamp(millisecondsSince1970: 90_000_000), .plain)
        #expect(
            text == """
                office
                  trust                  ask
                  trusted                no
                  why not                nobody has accepted it
                  subject                CN=office\\u{1b}[2J
                  issuer                 CN=ACME CA
                  names                  office.example, 192.0.2.7
                  valid from             1970-01-01T00:00:00.000Z
                  valid until            1970-01-02T00:00:00.000Z (expired)
                  key                    RSA 2048
                  key's SHA-256          \(Self.colons)
                                         sha256:000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
                  certificate's SHA-256  20:21:22:23:24:25:26:27:28:29:2A:2B:2C:2D:2E:2F:30:31:32:33:34:35:36:37:38:39:3A:3B:3C:3D:3E:3F
                                         sha256:202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f

                """)
    }

    private static let hostKey = ShownIdentity.hostKey(HostKey(algorithm: "ssh-\u{1B}[2J", fingerprint: key))

    private func shownHostKey(_ trust: Trust) throws -> PrinterTrust {
        PrinterTrust(
            printer: try Samples.printer("office"), trust: trust, identity: Self.hostKey, isTrusted: false,
            problem: "nobody knows it")
    }

    @Test func `shows a host key as ssh-keygen and as the registry have it`() throws {
        let now = Timestamp(millisecondsSince1970: 0)
        #expect(
            TrustText.details(try shownHostKey(.ask), Self.hostKey, now: now, .plain) == """
                office
                  trust          ask
                  trusted        no
                  why not        nobody knows it
                  host key       ssh-\\u{1b}[2J
                  key's SHA-256  SHA256:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8
                                 sha256:000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f

                """)
        let changed = TrustText.details(try shownHostKey(.pinned([Self.whole])), Self.hostKey, now: now, .plain)
        #expect(changed.contains("old key's SHA-256  SHA256:ICEi"))
        #expect(changed.contains("new key's SHA-256  SHA256:AAEC"))
    }

    @Test func `trusts a host key by the fingerprint that ssh-keygen prints, and no other`() async throws {
        let (result, requests) = try await run(
            ["--yes", "--fingerprint", "SHA256:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"], shownHostKey(.ask))
        #expect(result.end == .exited(0), "\(result.standardError)")
        #expect(requests == [Self.look, Self.trust])
        let other = try await run(["--yes", "--fingerprint", Self.whole.description], shownHostKey(.ask))
        #expect(other.result.end == .exited(1))
        #expect(other.result.standardError.contains("office shows no host key with the fingerprint sha256:2021"))
        #expect(other.requests == [Self.look])
    }

    @Test func `calls nothing verified that nobody looked at`() throws {
        let text = TrustText.details(
            try shown(.none, isTrusted: true, problem: nil), .certificate(Self.certificate),
            now: Timestamp(millisecondsSince1970: 0), .plain)
        #expect(text.contains("trusted                not verified (trust: none)\n"))
    }

    @Test func `shows old and new when the key changed`() throws {
        let text = TrustText.details(
            try shown(.pinned([Self.whole])), .certificate(Self.certificate), now: Timestamp(millisecondsSince1970: 0),
            .plain)
        #expect(text.contains("old key's SHA-256      20:21:22"))
        #expect(text.contains("new key's SHA-256      00:01:02"))
    }

    /// The result, and the requests: for the certificate, and for the trust where the command comes so far.
    private func run(
        _ arguments: [String], _ shown: PrinterTrust? = nil
    ) async throws -> (result: ChildProcess.Result, requests: [String]) {
        let certificate = try shown ?? self.shown(.ask)
        let server = try KioskctlProgram.server([Samples.json(certificate), Samples.json(Samples.status("office"))])
        let result = try await KioskctlProgram.run(["printers", "trust", "office"] + arguments, server)
        return (result, server.received.map { "\($0.method) \($0.path) \(String(decoding: $0.body, as: UTF8.self))" })
    }

    private static let look = "GET /v1/printers/office/certificate "
    private static let trust = #"POST /v1/printers/office/trust {"key-fingerprint":"\#(key)"}"#

    @Test func `trusts nothing where nobody is asked and nothing is compared`() async throws {
        let (result, requests) = try await run([])
        #expect(result.end == .exited(1))
        #expect(result.standardOutput.contains(Self.colons))
        #expect(result.standardError.contains("there is no terminal to ask at"))
        #expect(requests == [Self.look])
        let blind = try await run(["--yes"])
        #expect(blind.result.end == .exited(64))
        #expect(blind.result.standardError.contains("--yes trusts nothing unseen"))
        #expect(blind.requests.isEmpty)
    }

    @Test(arguments: [
        colons, colons.lowercased(), "sha256:\(colons)", key.description,
        "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=",
        "SHA256:ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8",
    ])
    func `trusts the key when the fingerprint is right, in any spelling, of key or certificate`(
        fingerprint: String
    ) async throws {
        let (result, requests) = try await run(["--yes", "--fingerprint", fingerprint])
        #expect(result.end == .exited(0), "\(result.standardError)")
        #expect(result.standardOutput.hasSuffix("office is trusted by this key from now on; it is ready\n"))
        #expect(requests == [Self.look, Self.trust])
    }

    @Test func `changes nothing when the fingerprint is another, or none`() async throws {
        let other = try await run(["--yes", "--fingerprint", "sha256:" + String(repeating: "ab", count: 32)])
        #expect(other.result.end == .exited(1))
        #expect(
            other.result.standardError.contains(
                "shows neither a key nor a certificate with the fingerprint sha256:abab"))
        #expect(other.requests == [Self.look])
        let none = try await run(["--yes", "--fingerprint", "abcd"])
        #expect(none.result.end == .exited(64))
        #expect(none.result.standardError.contains("it is not a SHA-256 fingerprint"))
        var bare = try shown(.ask)
        bare.certificate = nil
        let (result, _) = try await run([], bare)
        #expect(result.end == .exited(1))
        #expect(result.standardError.contains("office shows nothing to trust it by: no certificate"))
    }

    @Test func `writes one JSON value`() async throws {
        let trusted = try await run(["--json", "--yes", "--fingerprint", Self.colons])
        #expect(
            try APIJSON.decode(PrinterStatus.self, from: Array(trusted.result.standardOutput.utf8)).printer.id.rawValue
                == "office")
        let seen = try await run(["--json"])
        #expect(seen.result.end == .exited(1))
        #expect(try APIJSON.decode(PrinterTrust.self, from: Array(seen.result.standardOutput.utf8)).certificate != nil)
    }

    @Test(arguments: [("y", true), ("Yes", true), ("n", false), ("", false), ("sure", false)])
    func `asks on a terminal, and takes only a yes for one`(answer: String, isTrusted: Bool) async throws {
        let server = try KioskctlProgram.server([Samples.json(shown(.ask)), Samples.json(Samples.status("office"))])
        let script = try InstalledProgram.path("script", package: "bsdutils")
        let result = try await ChildProcess.run(
            script, ["-qec", "'\(try BuiltProducts.path("kioskctl"))' printers trust office", "/dev/null"],
            environment: ["KIOSKD_SOCKET": server.path, "NO_COLOR": "1"], input: answer + "\n")
        #expect(result.end == .exited(isTrusted ? 0 : 1))
        #expect(result.standardOutput.contains("Trust the key \(Self.key) for office from now on? [y/N]"))
        #expect(server.received.map(\.method) == (isTrusted ? ["GET", "POST"] : ["GET"]))
    }

    @Test func `shows what it asks about at the terminal when its output goes elsewhere`() async throws {
        let server = try KioskctlProgram.server([Samples.json(shown(.pinned([Self.whole, Self.key])))])
        let folder = try TemporaryFolder()
        let script = try InstalledProgram.path("script", package: "bsdutils")
        let result = try await ChildProcess.run(
            script,
            [
                "-qec", "'\(try BuiltProducts.path("kioskctl"))' printers trust office >'\(folder.appending("log"))'",
                "/dev/null",
            ],
            environment: ["KIOSKD_SOCKET": server.path, "NO_COLOR": "1"], input: "n\n")
        #expect(result.end == .exited(1))
        #expect(result.standardOutput.contains(Self.colons))
        #expect(
            result.standardOutput.contains(
                "Trust the key \(Self.key) for office from now on, and no longer \(Self.whole)? [y/N]"))
        #expect(String(decoding: try folder.read("log"), as: UTF8.self).contains(Self.colons))
    }

    @Test func `says which keys give way`() async throws {
        let (result, _) = try await run(
            ["--yes", "--fingerprint", Self.colons], shown(.pinned([Self.whole, Self.key])))
        #expect(result.end == .exited(0))
        #expect(result.standardError == "kioskctl: office is trusted no longer by \(Self.whole)\n")
    }

    @Test(arguments: [Trust.system, .caFile(path: "/etc/kioskd/ca.pem"), .knownHosts(path: "/etc/kioskd/known_hosts")])
    func `says which file gives way`(trust: Trust) async throws {
        let (result, _) = try await run(["--yes", "--fingerprint", Self.colons], shown(trust))
        #expect(result.end == .exited(0))
        #expect(result.standardError == "kioskctl: office is trusted no longer by \(trust)\n")
    }

    @Test func `says how to see the same key on its host`() throws {
        let key = ShownIdentity.hostKey(HostKey(algorithm: "ssh-ed25519", fingerprint: Self.key))
        let text = TrustText.details(try shownHostKey(.ask), key, now: Timestamp(millisecondsSince1970: 0), .plain)
        #expect(text.hasSuffix("compare there  ssh-keygen -l -f /etc/ssh/ssh_host_ed25519_key.pub\n"))
    }

    @Test func `saying that a key is revoked points to no way to trust it`() async throws {
        let stopped = Availability(.stopped, reasons: [StateReason(keyword: "host-key-revoked", severity: .error)])
        let status = try Samples.status("office", stopped) { $0.printer.url = try PrinterURL("ssh+lpr://till@host/q") }
        let server = try KioskctlProgram.server([Samples.json(status), Samples.json(status)])
        let result = try await KioskctlProgram.run(
            ["printers", "add", "office", "ssh+lpr://till@host/q", "--replace"], server)
        #expect(
            result.standardError
                == "kioskctl: office is saved, but gets nothing: a known_hosts file revokes the host key that it shows; find out who answers there, and give the host a new key\n"
        )
    }

    @Test func `says loudly whose password others can read`() throws {
        let plain = try Samples.status("office") { $0.printer.allowsPlainLogin = true }
        #expect(PrinterText.table([plain], Style(isColored: true)).contains("\u{1B}[31mPLAIN-LOGIN\u{1B}[0m"))
    }

    @Test func `saving what is unsafe says so`() async throws {
        let unsafe = try Samples.status("office") { status in
            status.printer.trust = Trust.none
            status.printer.allowsPlainLogin = true
        }
        let server = try KioskctlProgram.server([Samples.json(unsafe), Samples.json(unsafe)])
        let result = try await KioskctlProgram.run(
            [
                "printers", "add", "office", "ipp://192.0.2.10/", "--replace", "--trust", "none", "--login-without-tls",
                "--no-credentials",
            ], server)
        #expect(result.end == .exited(0))
        #expect(
            result.standardError == """
                kioskctl: office is not verified: whoever answers at ipp://192.0.2.10/ipp/print gets its documents and logins
                kioskctl: office may be logged in to without TLS: others on the network can read its password

                """)
        #expect(
            server.received.first.map { String(decoding: $0.body, as: UTF8.self).contains(#""credentials":null"#) }
                == true)
    }

    @Test func `saving a login for whoever answers says so`() async throws {
        let unsafe = try Samples.status("office") { status in
            (status.printer.url, status.printer.trust, status.printer.allowsPlainLogin) = (
                try PrinterURL("ipps://office.example"), Trust.none, true
            )
        }
        let server = try KioskctlProgram.server([Samples.json(unsafe), Samples.json(unsafe)])
        let result = try await KioskctlProgram.run(
            [
                "printers", "add", "office", "ipps://office.example/", "--replace", "--trust", "none",
                "--login-without-tls",
            ], server)
        #expect(
            result.standardError.hasSuffix(
                "kioskctl: office may be logged in to without being verified: whoever answers in its place gets its password\n"
            ))
    }

    @Test(arguments: [
        ("ipps://office.example/", "certificate-not-accepted", "certificate"),
        ("ssh+lpr://till@host/q", "host-key-unknown", "host key"),
        ("ssh+lpr://till@host/q", "host-key-changed", "host key"),
    ])
    func `saving a printer that nobody has accepted says how to accept it`(
        url: String, reason: String, noun: String
    ) async throws {
        let stopped = Availability(.stopped, reasons: [StateReason(keyword: reason, severity: .error)])
        let status = try Samples.status("office", stopped) { $0.printer.url = try PrinterURL(url) }
        let server = try KioskctlProgram.server([Samples.json(status), Samples.json(status)])
        let result = try await KioskctlProgram.run(["printers", "add", "office", url, "--replace"], server)
        #expect(result.end == .exited(0))
        #expect(
            result.standardError
                == "kioskctl: office is saved, but gets nothing before its \(noun) is trusted; look at it with `kioskctl printers trust office`\n"
        )
        #expect(PrinterText.table([status], .plain).contains("system"))
    }

    @Test func `says loudly which printers are not verified, and all that is said of trust, logins and quirks`() throws
    {
        let unverified = try Samples.status("office") { status in
            status.printer.url = try PrinterURL("ipps://office.example")
            status.printer.trust = Trust.none
            status.printer.credentials = "gateway"
            status.printer.allowsPlainLogin = true
            status.quirks = [
                Quirk(
                    name: .connection, value: "close", why: "it hangs", source: "https://example.org/7", profile: "acme"
                )
            ]
        }
        let known = try Samples.status("till-1") { $0.printer.url = try PrinterURL("ipps://till-1.example") }
        let text = PrinterText.table([unverified, known], Style(isColored: true))
        #expect(text.contains("TRUST"))
        #expect(text.contains("\u{1B}[31mNONE,PLAIN-LOGIN\u{1B}[0m"))
        #expect(text.contains("system"))
        #expect(try !PrinterText.table([Samples.status("till-1")], .plain).contains("TRUST"))
        for fact in [
            "NONE: whoever answers there", "gateway", "allowed: whoever",
            "connection: close (acme: it hangs; https://example.org/7)",
        ] {
            #expect(PrinterText.details(unverified, .plain).contains(fact))
        }
    }
}
