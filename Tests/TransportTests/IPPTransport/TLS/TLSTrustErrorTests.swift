import Foundation
import KioskPrintModel
import KioskTLS
import KioskTestSupport
import NIOCore
import Synchronization
import Testing

@testable import KioskIPP

/// Every reason for which there is no TLS connection.
@Suite struct TLSTrustErrorTests {
    @Test func `an unknown issuer, nobody's word and a changed key are told apart, and nothing is sent`() async throws {
        let fixtures = try await TLSFixtures.get()
        let shown = try fixtures.identity.certificate
        let other = try #require(Fingerprint(octets: [UInt8](repeating: 7, count: 32)))
        let cases: [(Trust, TransportError.Code, [String])] = [
            (.system, .certificateUntrusted, ["kioskctl printers trust"]),
            (.caFile(path: fixtures.otherAuthority.root), .certificateUntrusted, ["trust: ca:"]),
            (.ask, .certificateNotAccepted, [shown.keyFingerprint.description]),
            (.pinned([other]), .certificateChanged, [other.description, shown.keyFingerprint.description]),
        ]
        try await TLSPrinter.with { it in
            for (trust, code, words) in cases {
                let target = try it.proxy.target(trust: trust)
                let error = try #require(await it.contactError(target))
                #expect(error.code == code)
                #expect(error.identity == .certificate(shown))
                #expect(error.bytesAccepted == 0)
                for word in words + [target.url.description] { #expect(error.message.contains(word)) }
            }
            #expect(it.printer.connectionCount == 0)
            for trust in [Trust.pinned([other, shown.keyFingerprint]), .none, fixtures.trust] {
                _ = try await it.transport.contact(it.proxy.target(trust: trust))
            }
        }
    }

    @Test func `the certificate is shown whatever the trust, and nothing else is asked`() async throws {
        let fixtures = try await TLSFixtures.get()
        let shown = try fixtures.identity.certificate
        let context = try TLSContext.server(
            fixtures.identity, clientCAs: fixtures.authority.root, requiresClient: true, version: .tls12)
        let asked = Recorder<String>()
        for server in [nil, context] {
            try await TLSPrinter.with(server, script: { try asked.add($0.readHead()) }) { it in
                for (trust, code) in [
                    (Trust.system, TransportError.Code.certificateUntrusted), (.ask, .certificateNotAccepted),
                    (.none, nil),
                    (fixtures.trust, nil), (.caFile(path: "/nonexistent/typo.pem"), .certificateUntrusted),
                ] as [(Trust, TransportError.Code?)] {
                    let answer = try await it.transport.identity(of: it.proxy.target(trust: trust))
                    #expect(answer?.identity == .certificate(shown))
                    #expect(answer?.refusal?.code == code)
                    #expect(answer?.refusal == nil || answer?.refusal?.identity == .certificate(shown))
                }
            }
        }
        #expect(asked.all.isEmpty)
    }

    @Test func `the verdict is the handshake's own, and no kept connection's`() async throws {
        let fixtures = try await TLSFixtures.get()
        let folder = try TemporaryFolder("trust")
        let path = try folder.write(String(contentsOfFile: fixtures.authority.root, encoding: .utf8), to: "ca.pem")
        try await TLSPrinter.with { it in
            let target = try it.proxy.target(trust: .caFile(path: path))
            _ = try await it.transport.contact(target)
            let before = try await it.transport.identity(of: target)
            #expect(before != nil && before?.refusal == nil)
            _ = try folder.write(String(contentsOfFile: fixtures.otherAuthority.root, encoding: .utf8), to: "ca.pem")
            // The kept connection still serves; a new one would be refused.
            _ = try await it.transport.contact(target)
            let after = try await it.transport.identity(of: target)
            #expect(after?.identity == before?.identity)
            #expect(after?.refusal?.code == .certificateUntrusted)
        }
    }

    @Test func `a plain printer shows no certificate`() async throws {
        let printer = try ScriptedPrinter { try $0.serve() }
        defer { printer.stop() }
        try await withTransport { transport in
            let answer = try await transport.identity(of: printer.target)
            #expect(answer == nil)
        }
    }

    @Test func `a CA file or client certificate that cannot be read is our own trouble`() async throws {
        let missing = ScriptedCredentials { _ in Credentials(clientCertificate: .init(path: "/nonexistent/till.p12")) }
        try await TLSPrinter.with(credentials: missing) { it in
            let error = try #require(await it.contactError(it.proxy.target(trust: .none)))
            #expect(error.code == .credentialsUnusable)
            #expect(error.message.contains("/nonexistent/till.p12"))
        }
        let unreadable = ScriptedCredentials { _ in throw CredentialError("others can read /etc/kiosk/secrets") }
        try await TLSPrinter.with(credentials: unreadable) { it in
            let error = try #require(
                await it.contactError(it.proxy.target(trust: .caFile(path: "/nonexistent/ca.pem"))))
            #expect(error.code == .credentialsUnusable)
            #expect(error.message.contains("others can read"))
        }
    }

    /// Whether the printer is verified, whether the registry says `login-without-tls: true`, and how many logins it
    /// then gets.
    @Test(arguments: [(false, false, 0), (false, true, 1), (true, false, 1)])
    func `whoever answers gets no login unless that is allowed`(
        isVerified: Bool, isAllowed: Bool, expected: Int
    ) async throws {
        let logins = Atomic(0)
        let fixtures = try await TLSFixtures.get()
        let script: ScriptedPrinter.Script = { connection in
            while true {
                let request = try connection.readRequest()
                if request.field("authorization") == nil {
                    try connection.demand(LoginServer.basic)
                } else {
                    logins.add(1, ordering: .relaxed)
                    try connection.respond(to: request)
                }
            }
        }
        try await TLSPrinter.with(credentials: ScriptedCredentials(user: "till", "geheim"), script: script) { it in
            var target = try it.proxy.target(trust: isVerified ? fixtures.trust : Trust.none)
            target.allowsPlainLogin = isAllowed
            let error = await it.contactError(target)
            #expect(error?.code == (expected == 0 ? .authenticationRequired : nil))
            if let error {
                for words in ["trust: none", "kioskctl printers trust", "login-without-tls: true"] {
                    #expect(error.message.contains(words))
                }
            }
        }
        #expect(logins.load(ordering: .relaxed) == expected)
    }

    @Test func `a CA file that cannot be used trusts nobody, and is named`() async throws {
        try await TLSPrinter.with { it in
            let error = try #require(
                await it.contactError(it.proxy.target(trust: .caFile(path: "/nonexistent/typo.pem"))))
            #expect(error.code == .certificateUntrusted)
            for words in ["/nonexistent/typo.pem", "`trust`"] { #expect(error.message.contains(words)) }
            #expect(it.printer.connectionCount == 0)
        }
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `a client certificate that is missing, or not the right one, took nothing`(version: TLSVersion) async throws {
        let fixtures = try await TLSFixtures.get()
        let stranger = try await fixtures.otherAuthority.issue(.init("stranger", purpose: .client))
        let context = try TLSContext.server(
            fixtures.identity, clientCAs: fixtures.authority.root, requiresClient: true, version: version)
        func source(_ certificate: TestCertificate?) -> ScriptedCredentials {
            ScriptedCredentials { _ in
                Credentials(clientCertificate: certificate.map { .init(path: $0.chain, keyPath: $0.key) })
            }
        }
        for (certificate, code) in [
            (nil, TransportError.Code.authenticationRequired), (stranger, .loginRefused), (fixtures.client, nil),
        ] as [(TestCertificate?, TransportError.Code?)] {
            try await TLSPrinter.with(context, credentials: source(certificate)) { it in
                let target = try it.proxy.target(trust: fixtures.trust)
                do {
                    _ = try await it.transport.deliver(.receipt("k1", [1, 2, 3]), to: target) { _ in }
                    #expect(code == nil)
                } catch let error as TransportError {
                    #expect(error.code == code, "\(error)")
                    #expect(error.bytesAccepted == 0)
                }
            }
        }
    }

    @Test func `what speaks no TLS is named so`() async throws {
        let printer = try ScriptedPrinter { connection in
            try connection.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
            connection.waitForClose()
        }
        defer { printer.stop() }
        try await withTransport { transport in
            let target = PrinterTarget(url: try PrinterURL("ipps://127.0.0.1:\(printer.port)/ipp/print"), trust: .none)
            let error = try await #require(throws: TransportError.self) { try await transport.contact(target) }
            #expect(error.code == .tlsFailed)
        }
    }

    @Test(arguments: [false, true])
    func `what hangs up on the handshake is named so`(byReset: Bool) async throws {
        let printer = try ScriptedPrinter { connection in
            try connection.read(1)
            byReset ? connection.reset() : connection.finish()
            if !byReset { connection.waitForClose() }
        }
        defer { printer.stop() }
        try await withTransport { transport in
            let target = PrinterTarget(url: try PrinterURL("ipps://127.0.0.1:\(printer.port)/ipp/print"), trust: .none)
            let error = try await #require(throws: TransportError.self) { try await transport.contact(target) }
            #expect(error.code == .tlsFailed)
        }
    }

    @Test func `a handshake that never ends is cut off at the connect deadline`() async throws {
        let printer = try ScriptedPrinter { $0.waitForClose() }
        defer { printer.stop() }
        var deadlines = IPPTransport.Deadlines.patient
        deadlines.connect = .milliseconds(300)
        try await withTransport(deadlines) { transport in
            let target = PrinterTarget(url: try PrinterURL("ipps://127.0.0.1:\(printer.port)/ipp/print"), trust: .none)
            let error = try await #require(throws: TransportError.self) { try await transport.contact(target) }
            #expect(error.code == .timedOut)
        }
    }

    @Test func `cancelling ends a handshake at once`() async throws {
        let isReached = Gate()
        let printer = try ScriptedPrinter { connection in
            try connection.read(1)
            isReached.open()
            connection.waitForClose()
        }
        defer { printer.stop() }
        var deadlines = IPPTransport.Deadlines.patient
        deadlines.connect = .seconds(600)
        try await withTransport(deadlines) { transport in
            let target = PrinterTarget(url: try PrinterURL("ipps://127.0.0.1:\(printer.port)/ipp/print"), trust: .none)
            let task = Task { try await transport.contact(target) }
            try await isReached.wait()
            task.cancel()
            let error = try await #require(throws: TransportError.self) { try await task.value }
            #expect(error.code == .cancelled)
        }
    }
}
