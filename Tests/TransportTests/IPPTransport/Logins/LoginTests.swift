import KioskIPPCodec
import KioskPrintModel
import KioskTestSupport
import Synchronization
import Testing

@testable import KioskIPP

/// Logins as printers demand them.
@Suite struct LoginTests {
    private let receipt = [UInt8]("\u{1B}@Coffee 2.50\n".utf8)
    private let till = ScriptedCredentials(user: "till", "geheim")

    private func withPrinter(
        _ script: @escaping ScriptedPrinter.Script, credentials: (any CredentialSource)?,
        _ body: (IPPTransport, PrinterTarget, ScriptedPrinter) async throws -> Void
    ) async throws {
        let printer = try ScriptedPrinter(script)
        defer { printer.stop() }
        var target = try printer.target
        target.credentials = "office"
        let transport = IPPTransport(credentials: credentials, deadlines: .patient)
        do {
            try await body(transport, target, printer)
        } catch {
            await transport.shutDown()
            throw error
        }
        await transport.shutDown()
    }

    private func contactError(
        _ script: @escaping ScriptedPrinter.Script, credentials: (any CredentialSource)?, named name: String? = "office"
    ) async throws -> TransportError {
        var caught: TransportError?
        try await withPrinter(script, credentials: credentials) { transport, target, _ in
            var target = target
            target.credentials = name
            caught = await #expect(throws: TransportError.self) { try await transport.contact(target) }
            let message = try #require(caught).message
            #expect(message.contains(target.url.description))
            #expect(!message.contains("geheim"))
        }
        return try #require(caught)
    }

    @Test func `Basic is answered when it is demanded, and sent at once from then on`() async throws {
        let fields = Recorder<String?>()
        try await withPrinter(
            { connection in
                while true {
                    let request = try connection.readRequest()
                    fields.add(request.field("authorization"))
                    if request.field("authorization") == "Basic dGlsbDpnZWhlaW0=" {
                        try connection.respond(to: request)
                    } else {
                        try connection.demand(LoginServer.basic)
                    }
                }
            }, credentials: till
        ) { transport, target, printer in
            for number in 1...3 {
                _ = try await transport.deliver(.receipt("k\(number)", receipt), to: target) { _ in }
            }
            #expect(fields.all.map { $0 == nil } == [true, false, false, false, false])
            #expect(till.asked == ["office"])
            #expect(printer.connectionCount == 1)
        }
    }

    @Test(arguments: ["MD5", "SHA-256"])
    func `Digest is answered with a count for each request`(algorithm: String) async throws {
        let counts = Recorder<String>()
        try await withPrinter(
            { connection in
                while true {
                    let request = try connection.readRequest()
                    guard let answer = try LoginServer.check(request), answer["algorithm"] == algorithm else {
                        try connection.demand(LoginServer.basic, LoginServer.digest(algorithm, nonce: "n1"))
                        continue
                    }
                    counts.add(answer["nc"] ?? "")
                    try connection.respond(to: request)
                }
            }, credentials: till
        ) { transport, target, _ in
            for number in 1...3 {
                _ = try await transport.deliver(.receipt("k\(number)", receipt), to: target) { _ in }
            }
            #expect(counts.all == ["00000001", "00000002", "00000003", "00000004"])
            #expect(till.asked == ["office"])
        }
    }

    @Test func `a document is sent again behind the login that it lacked`() async throws {
        let document = [UInt8](repeating: 0x20, count: 3_000_000)
        let taken = Recorder<[UInt8]>()
        try await withPrinter(
            { connection in
                while true {
                    let request = try connection.readMessage()
                    let needsLogin = request.message.operation == .sendDocument
                    if needsLogin, try LoginServer.check(request) == nil {
                        try connection.demand(LoginServer.digest("MD5", nonce: "n1"), fields: "Connection: close\r\n")
                        return connection.waitForClose()
                    }
                    let rest = try connection.read(request.documentLength - request.document.count)
                    if needsLogin { taken.add(request.document + rest) }
                    try connection.respond(to: request)
                }
            }, credentials: till
        ) { transport, target, _ in
            let report = try await transport.deliver(.receipt("k1", document, format: .pdf), to: target) { _ in }
            #expect(report.state == .completed)
            #expect(taken.all.map { $0 == document } == [true])
        }
    }

    @Test func `a stale nonce is replaced without reading the password again`() async throws {
        let served = Atomic(0)
        try await withPrinter(
            { connection in
                while true {
                    let request = try connection.readRequest()
                    let nonce = "n\(served.load(ordering: .relaxed) / 2)"
                    guard let answer = try LoginServer.check(request) else {
                        try connection.demand(LoginServer.digest("SHA-256", nonce: nonce))
                        continue
                    }
                    guard answer["nonce"] == nonce else {
                        try connection.demand(LoginServer.digest("SHA-256", nonce: nonce, isStale: true))
                        continue
                    }
                    served.add(1, ordering: .relaxed)
                    try connection.respond(to: request)
                }
            }, credentials: till
        ) { transport, target, _ in
            for number in 1...5 {
                _ = try await transport.deliver(.receipt("k\(number)", receipt), to: target) { _ in }
            }
            #expect(till.asked == ["office"])
        }
    }

    @Test func `a nonce that is always stale ends in a refusal`() async throws {
        let requests = Atomic(0)
        let error = try await contactError(
            { connection in
                while true {
                    _ = try connection.readRequest()
                    let number = requests.add(1, ordering: .relaxed).newValue
                    try connection.demand(LoginServer.digest("MD5", nonce: "n\(number)", isStale: true))
                }
            }, credentials: till)
        #expect(error.code == .loginRefused)
        #expect(requests.load(ordering: .relaxed) == 3)
    }

    @Test(arguments: [
        LoginServer.basic, LoginServer.digest("MD5", nonce: "n"), LoginServer.digest("SHA-256", nonce: "n"),
    ])
    func `a wrong password is sent once, and the error names user and credentials`(challenge: String) async throws {
        let logins = Recorder<String>()
        let error = try await contactError(
            { connection in
                while true {
                    let request = try connection.readRequest()
                    if let field = request.field("authorization") { logins.add(field) }
                    try connection.demand(challenge)
                }
            }, credentials: till)
        #expect(error.code == .loginRefused)
        #expect(error.underlying == .httpStatus(401))
        #expect(
            error.message.contains("\"till\"") && error.message.contains("\"office\"")
                && error.message.contains("\"Office\""))
        #expect(error.bytesAccepted == 0)
        #expect(logins.all.count == 1)
    }

    @Test func `a password that was changed in the secrets file is read again`() async throws {
        let isChanged = Atomic(false)
        let credentials = ScriptedCredentials { count in
            Credentials(user: "till", password: Secret(count == 0 ? "old" : "new"))
        }
        try await withPrinter(
            { connection in
                while true {
                    let request = try connection.readRequest()
                    let expected = isChanged.load(ordering: .relaxed) ? "Basic dGlsbDpuZXc=" : "Basic dGlsbDpvbGQ="
                    if request.field("authorization") == expected {
                        try connection.respond(to: request)
                    } else {
                        try connection.demand(LoginServer.basic)
                    }
                }
            }, credentials: credentials
        ) { transport, target, _ in
            _ = try await transport.contact(target)
            isChanged.store(true, ordering: .relaxed)
            _ = try await transport.contact(target)
            #expect(credentials.asked.count == 2)
        }
    }

    @Test func `a printer that forgot its nonces is logged in to again`() async throws {
        let nonce = Mutex("n1")
        try await withPrinter(
            { connection in
                while true {
                    let request = try connection.readRequest()
                    let nonce = nonce.withLock { $0 }
                    if let answer = try LoginServer.check(request), answer["nonce"] == nonce {
                        try connection.respond(to: request)
                    } else {
                        try connection.demand(LoginServer.digest("MD5", nonce: nonce))
                    }
                }
            }, credentials: till
        ) { transport, target, _ in
            _ = try await transport.contact(target)
            nonce.withLock { $0 = "n2" }
            _ = try await transport.contact(target)
        }
    }

    @Test func `without saved credentials the error says what is offered and what to do`() async throws {
        let error = try await contactError(
            { connection in
                while true {
                    let request = try connection.readRequest()
                    try #require(request.field("authorization") == nil)
                    try connection.demand(LoginServer.digest("SHA-256", nonce: "n"), LoginServer.basic)
                }
            }, credentials: till, named: nil)
        #expect(error.code == .authenticationRequired)
        for words in ["Digest, Basic", "\"Office\"", "credentials: NAME"] { #expect(error.message.contains(words)) }
    }

    @Test(arguments: [
        ("a:b", TransportError.Code.credentialsUnusable, "colon"), ("missing", .credentialsUnusable, "no such name"),
    ])
    func `credentials that cannot be used say why`(user: String, code: TransportError.Code, words: String) async throws
    {
        let credentials = ScriptedCredentials { _ in
            guard user != "missing" else { throw CredentialError("the file has no such name") }
            return Credentials(user: user, password: Secret("geheim"))
        }
        let error = try await contactError(
            { connection in
                while true {
                    _ = try connection.readRequest()
                    try connection.demand(LoginServer.basic)
                }
            }, credentials: credentials)
        #expect(error.code == code)
        #expect(error.message.contains(words))
    }

    private static let token = Credentials(token: Secret("eyJ0.ab-c"))

    @Test func `a printer that asks for Bearer gets the token, at once from then on`() async throws {
        let fields = Recorder<String?>()
        let credentials = ScriptedCredentials { _ in Self.token }
        try await withPrinter(
            { connection in
                while true {
                    let request = try connection.readRequest()
                    fields.add(request.field("authorization"))
                    if request.field("authorization") == "Bearer eyJ0.ab-c" {
                        try connection.respond(to: request)
                    } else {
                        try connection.demand(#"Bearer realm="cloud", error="invalid_token""#, LoginServer.basic)
                    }
                }
            }, credentials: credentials
        ) { transport, target, _ in
            _ = try await transport.contact(target)
            _ = try await transport.contact(target)
        }
        #expect(fields.all == [nil, "Bearer eyJ0.ab-c", "Bearer eyJ0.ab-c"])
    }

    private static let bearers: [(Credentials?, String, TransportError.Code, String)] = [
        (nil, "Bearer", .authenticationRequired, "requires a token (Bearer), and none is saved"),
        (Credentials(user: "till", password: Secret("geheim")), "Bearer", .credentialsUnusable, "have none"),
        (token, "Bearer", .loginRefused, "refused the token"),
        (token, #"Basic realm="x""#, .credentialsUnusable, "have no user and password"),
        (token, "Negotiate", .authenticationRequired, "does not support (Negotiate)"),
    ]

    @Test(arguments: bearers.indices)
    func `what is wrong with a token is told as it is`(index: Int) async throws {
        let (saved, challenge, code, words) = Self.bearers[index]
        let error = try await contactError(
            { connection in
                while true {
                    _ = try connection.readRequest()
                    try connection.demand(challenge)
                }
            }, credentials: saved.map { saved in ScriptedCredentials { _ in saved } },
            named: saved == nil ? nil : "office")
        #expect(error.code == code)
        #expect(error.message.contains(words), "\(error.message)")
        #expect(!error.message.contains("eyJ0"))
    }

    @Test(arguments: [true, false])
    func `a scheme that we do not have is named, whether a password is saved or not`(isSaved: Bool) async throws {
        let error = try await contactError(
            { connection in
                while true {
                    _ = try connection.readRequest()
                    try connection.demand("Negotiate", "NTLM")
                }
            }, credentials: isSaved ? till : nil)
        #expect(error.code == .authenticationRequired)
        #expect(error.message.contains("Negotiate, NTLM") && error.message.contains("no user and password would help"))
    }

    @Test(arguments: [false, true])
    func `a login goes over a connection that others can read only where that is allowed`(isAllowed: Bool) async throws
    {
        let logins = Atomic(0)
        let printer = try ScriptedPrinter { connection in
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
        defer { printer.stop() }
        var target = try printer.target
        target.credentials = "office"
        target.allowsPlainLogin = isAllowed
        let transport = IPPTransport(credentials: till, deadlines: .patient, staysInside: { _ in false })
        if isAllowed {
            _ = try await transport.contact(target)
        } else {
            let refused = target
            let error = try await #require(throws: TransportError.self) { try await transport.contact(refused) }
            #expect(error.code == .authenticationRequired)
            #expect(error.message.contains("ipps://") && error.message.contains("login-without-tls: true"))
        }
        #expect(logins.load(ordering: .relaxed) == (isAllowed ? 1 : 0))
        await transport.shutDown()
    }
}
