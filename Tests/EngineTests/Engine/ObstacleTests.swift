import Foundation
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskEngine

/// Printers that answer and may not be used: what waits goes on as soon as somebody has acted, with no further hand.
@Suite struct ObstacleTests {
    private static let old = Certificate.test(key: 1)
    private static let new = Certificate.test(key: 2)
    private static let line = "url: ipp://192.0.2.1/ipp/till-1"

    private static func registry(_ more: String) -> String {
        TestKiosk.registry.replacingOccurrences(of: line, with: "\(line)\n    \(more)")
    }

    /// Long enough that only an edit can be the reason of a contact.
    private func kiosk(
        _ more: String, credentials: (any CredentialSource)? = nil, _ behaviour: ScriptedTransport.Behaviour
    ) async throws -> TestKiosk {
        try await TestKiosk(
            registry: Self.registry(more), credentials: credentials, prepare: { $0.set("till-1", behaviour) }
        ) {
            $0.obstacleContactInterval = .seconds(3600)
            $0.refusedLoginInterval = .seconds(3600)
        }
    }

    private func check(_ code: String, in kiosk: TestKiosk) async -> HealthReport.Check? {
        await kiosk.engine.health().checks.first { $0.code == code }
    }

    @Test func `a job waits for a certificate that nobody accepted, and prints once it is pinned`() async throws {
        let kiosk = try await kiosk("trust: ask", .shows(Self.new))
        let job = try await kiosk.submit("tea", role: "held")
        try await eventually("the obstacle") { await check("certificate-not-accepted", in: kiosk) != nil }
        let status = try #require(await kiosk.engine.printers().first)
        #expect(status.availability.state == .stopped)
        #expect(status.availability.reasons == [StateReason(keyword: "certificate-not-accepted", severity: .error)])
        #expect(kiosk.transport.paper.isEmpty)
        try await kiosk.edit(Self.line, into: "\(Self.line)\n    trust: \(Self.new.keyFingerprint)")
        #expect(try await kiosk.settled(job).state == .completed)
        #expect(await check("certificate-not-accepted", in: kiosk) == nil)
        #expect(kiosk.transport.forgotten.map(\.trust) == [.ask])
        try await kiosk.stop()
    }

    @Test
    func `a changed certificate gets nothing, is critical where a role depends on it, and another printer prints`()
        async throws
    {
        let kiosk = try await kiosk("trust: \(Self.old.keyFingerprint)", .shows(Self.old))
        #expect(try await kiosk.settled(kiosk.submit("one")).printer == .test("till-1"))
        kiosk.transport.set("till-1", .shows(Self.new))
        #expect(try await kiosk.settled(kiosk.submit("two")).printer == .test("till-2"))
        let check = try #require(await check("certificate-changed", in: kiosk))
        #expect(check.status == .critical)
        #expect(check.message.contains("\(Self.old.keyFingerprint)"))
        #expect(check.message.contains("\(Self.new.keyFingerprint)"))
        #expect(kiosk.transport.paper.map(\.printer) == ["till-1", "till-2"])
        try await kiosk.stop()
    }

    private static let hostLine = "url: ssh+lpr://kiosk@192.0.2.1/till-1"

    @Test func `a host key is accepted like a certificate, and another one later gets nothing`() async throws {
        let kiosk = try await kiosk("trust: ask", .showsHostKey(.test(1)))
        try await kiosk.edit(Self.line, into: "\(Self.hostLine)\n    trust: ask")
        // What stood in the way before was another device.
        try await eventually("the edit") {
            try await kiosk.engine.printer(.test("till-1")).printer.url.scheme == .sshLpr
        }
        let job = try await kiosk.submit("tea", role: "held")
        try await eventually("the obstacle") { await check("host-key-unknown", in: kiosk) != nil }
        #expect(await check("host-key-unknown", in: kiosk)?.status == .warning)
        let shown = try await kiosk.engine.inspectTrust(of: .test("till-1"))
        #expect(shown.hostKey == .test(1) && shown.certificate == nil && !shown.isTrusted)
        #expect(
            shown.problem
                == "nobody has accepted its host key yet; compare the fingerprints, then run: kioskctl printers trust till-1"
        )
        try await kiosk.edit(Self.line, into: "\(Self.hostLine)\n    trust: \(HostKey.test(1).fingerprint)")
        #expect(try await kiosk.settled(job).state == .completed)
        kiosk.transport.set("till-1", .showsHostKey(.test(2)))
        #expect(try await kiosk.settled(kiosk.submit("two")).printer == .test("till-2"))
        let change = try #require(await check("host-key-changed", in: kiosk))
        #expect(change.status == .critical)
        for key in [HostKey.test(1), .test(2)] { #expect(change.message.contains("\(key.fingerprint)")) }
        #expect(try await kiosk.engine.inspectTrust(of: .test("till-1")).problem?.contains("find out why") == true)
        try await kiosk.stop()
    }

    @Test(arguments: [
        (TransportError.Code.hostKeyRevoked, HealthReport.Status.critical), (.hostKeyUnknown, .warning),
        (.noCommonAlgorithm, .warning), (.programMissing, .warning),
    ])
    func `a host that cannot be printed through is stopped, and health says why`(
        code: TransportError.Code, status: HealthReport.Status
    ) async throws {
        let kiosk = try await kiosk("name: Till", .bars(code))
        let job = try await kiosk.submit("tea", role: "held")
        try await eventually("the obstacle") { await check("\(code)", in: kiosk) != nil }
        #expect(await check("\(code)", in: kiosk)?.status == status)
        #expect(await kiosk.engine.printers().first?.availability.state == .stopped)
        #expect(try await kiosk.engine.job(job.id).state == .pending)
        try await kiosk.stop()
    }

    @Test(arguments: [TransportError.Code.loginRefused, .accessDenied, .credentialsUnusable, .authenticationRequired])
    func `a printer that bars jobs but answers contacts is not tried again and again`(
        code: TransportError.Code
    ) async throws {
        let kiosk = try await kiosk("credentials: office", .bars(code))
        let job = try await kiosk.submit("tea", role: "held")
        try await eventually("the obstacle") { await check("\(code)", in: kiosk) != nil }
        for text in ["milk", "sugar"] { _ = try await kiosk.submit(text, role: "held") }
        #expect(kiosk.transport.deliveries == ["till-1"])
        #expect(try await kiosk.engine.job(job.id).state == .pending)
        kiosk.transport.set("till-1", .prints)
        await kiosk.engine.credentialsChanged()
        #expect(try await kiosk.settled(job).state == .completed)
        try await eventually("the others") { kiosk.transport.paper.count == 3 }
        #expect(await check("\(code)", in: kiosk) == nil)
        try await kiosk.stop()
    }

    @Test(arguments: [TransportError.Code.authenticationRequired, .loginRefused, .credentialsUnusable])
    func `a job that is on a printer which tells nothing any more waits until that is mended`(
        code: TransportError.Code
    ) async throws {
        let kiosk = try await kiosk("credentials: office", .keepsJobs)
        let job = try await kiosk.submit("tea", role: "held")
        try await eventually("the job on the printer") { try await kiosk.engine.job(job.id).remoteJob != nil }
        kiosk.transport.set("till-1", .bars(code))
        try await eventually("the obstacle") { await check("\(code)", in: kiosk) != nil }
        #expect(try await kiosk.engine.job(job.id).state == .processing)
        kiosk.transport.set("till-1", .keepsJobs)
        kiosk.transport.finishJobs()
        await kiosk.engine.credentialsChanged()
        let settled = try await kiosk.settled(job)
        #expect(settled.state == .completed)
        #expect(!settled.isUnconfirmed)
        #expect(kiosk.transport.deliveries == ["till-1"])
        try await kiosk.stop()
    }

    @Test func `a login that was mended while it was being refused is tried at once`() async throws {
        let kiosk = try await kiosk("credentials: office", .barsLater(.loginRefused))
        let job = try await kiosk.submit("tea", role: "held")
        try await eventually("the attempt") { kiosk.transport.deliveries == ["till-1"] }
        kiosk.transport.set("till-1", .prints)
        #expect(await kiosk.engine.credentialsChanged() == [.test("till-1")])
        kiosk.transport.letGo()
        #expect(try await kiosk.settled(job).state == .completed)
        #expect(await check("login-refused", in: kiosk) == nil)
        try await kiosk.stop()
    }

    @Test func `a refused login is not tried again since another's secret changed`() async throws {
        let kiosk = try await kiosk("credentials: office", .bars(.loginRefused))
        _ = try await kiosk.submit("tea", role: "held")
        try await eventually("the obstacle") { await check("login-refused", in: kiosk) != nil }
        let contacts = kiosk.transport.contacts(of: "till-1")
        #expect(await kiosk.engine.credentialsChanged { $0 == "other" } == [])
        _ = try await kiosk.submit("milk", role: "held")
        #expect(kiosk.transport.contacts(of: "till-1") == contacts)
        #expect(kiosk.transport.deliveries == ["till-1"])
        try await kiosk.stop()
    }

    /// Ends the job on the printer, and the kiosk; the connections of the old login close then and not before.
    private func expectConnectionsClosed(after job: Job, in kiosk: TestKiosk) async throws {
        #expect(kiosk.transport.forgotten.isEmpty)
        kiosk.transport.finishJobs()
        #expect(try await kiosk.settled(job).state == .completed)
        try await eventually("the old login's connections closed") {
            kiosk.transport.forgotten.map(\.credentials) == ["office"]
        }
        try await kiosk.stop()
    }

    @Test func `a busy printer's connections are closed after its job when its secrets changed`() async throws {
        let kiosk = try await kiosk("credentials: office", .keepsJobs)
        let job = try await kiosk.submit("tea", role: "held")
        try await eventually("the job on the printer") { kiosk.transport.deliveries == ["till-1"] }
        await kiosk.engine.credentialsChanged()
        try await expectConnectionsClosed(after: job, in: kiosk)
    }

    @Test func `what was learned of a printer outlasts an edit that is undone while a job is on it`() async throws {
        let learned = LearnedBehavior(respondsToStatusRequests: true)
        let kiosk = try await TestKiosk(registry: Self.registry("credentials: office")) { transport in
            var description = PrinterDescription.receiptPrinter
            description.learned = learned
            transport.describe(description)
            transport.set("till-1", .keepsJobs)
        }
        _ = try await kiosk.engine.contact(.test("till-1"))
        let job = try await kiosk.submit("tea", role: "held")
        try await eventually("the job on the printer") { kiosk.transport.deliveries == ["till-1"] }
        for name in ["other", "office"] {
            try await kiosk.edit(Self.line, into: "\(Self.line)\n    credentials: \(name)")
            await kiosk.engine.applyRegistry()
        }
        #expect(kiosk.transport.recalled == [learned, learned])
        kiosk.transport.finishJobs()
        #expect(try await kiosk.settled(job).state == .completed)
        // With its old connections the transport forgets what it knows of the printer as it is saved again.
        try await eventually("the connections closed") {
            kiosk.transport.forgotten.map(\.credentials) == ["office", "other"]
        }
        #expect(kiosk.transport.recalled == [learned, learned, learned])
        try await kiosk.stop()
    }

    @Test func `a job that is on a printer is not cut when its login is edited`() async throws {
        let kiosk = try await kiosk("credentials: office", .keepsJobs)
        let job = try await kiosk.submit("tea", role: "held")
        try await eventually("the job on the printer") { kiosk.transport.deliveries == ["till-1"] }
        try await kiosk.edit(Self.line, into: "\(Self.line)\n    credentials: other")
        await kiosk.engine.applyRegistry()
        try await expectConnectionsClosed(after: job, in: kiosk)
    }

    struct Source: CredentialSource {
        func credentials(named name: String) throws -> Credentials {
            if name == "bare" { return Credentials(password: Secret("p")) }
            guard name == "known" else { throw CredentialError("there are no credentials \"\(name)\"") }
            return Credentials(user: "u", password: Secret("p"))
        }
    }

    @Test(
        arguments: [
            ("trust: none", "trust-none"), ("login-without-tls: true", "login-without-tls"),
            ("credentials: missing", "credentials-unusable"), ("credentials: bare", "credentials-unusable"),
            ("credentials: known", nil), ("trust: system", nil),
        ] as [(String, String?)])
    func `health warns of what is unsafe or cannot work`(more: String, code: String?) async throws {
        let kiosk = try await kiosk(more, credentials: Source(), .prints)
        _ = try await kiosk.engine.contact(.test("till-1"))
        _ = try await kiosk.engine.contact(.test("till-2"))
        let checks = await kiosk.engine.health().checks.filter { $0.code != "role-without-printer" }
        #expect(checks.map(\.code) == (code.map { [$0] } ?? []))
        #expect(checks.allSatisfy { $0.status == .warning && $0.subject == "till-1" })
        try await kiosk.stop()
    }

    @Test func `health advises TLS first where a printer that nobody verifies has none`() async throws {
        let kiosk = try await kiosk("trust: none", .prints)
        #expect(await check("trust-none", in: kiosk)?.message.hasSuffix("save it with an ipps:// URL") == true)
        try await kiosk.edit(Self.line, into: "url: ipps://192.0.2.1/ipp/till-1\n    trust: none")
        await kiosk.engine.applyRegistry()
        #expect(await check("trust-none", in: kiosk)?.message.hasSuffix("kioskctl printers trust till-1") == true)
        try await kiosk.stop()
    }

    @Test(
        arguments: [
            ("trust: ask", false, "nobody has accepted"), ("trust: \(old.keyFingerprint)", false, "is pinned"),
            ("trust: \(new.keyFingerprint)", true, nil), ("trust: none", true, nil),
            ("trust: system", false, "its issuer is not known"),
            ("name: Till", false, "its issuer is not known"),
        ] as [(String, Bool, String?)])
    func `tells whether a certificate is trusted, and why not`(
        more: String, isTrusted: Bool, problem: String?
    ) async throws {
        let kiosk = try await kiosk(more, .shows(Self.new))
        let report = try await kiosk.engine.inspectTrust(of: .test("till-1"))
        #expect(report.certificate == Self.new)
        #expect(report.isTrusted == isTrusted)
        #expect((report.problem == nil) == (problem == nil))
        if let problem { #expect(report.problem?.contains(problem) == true) }
        try await kiosk.stop()
    }

    @Test func `says why there is no certificate`() async throws {
        let kiosk = try await kiosk("name: Till", .isDown)
        let error = await #expect(throws: EngineError.self) { try await kiosk.engine.identity(of: .test("till-1")) }
        #expect(error?.code == .printerUnreachable)
        #expect(try await kiosk.engine.inspectTrust(of: .test("till-2")).certificate == nil)
        let unknown = await #expect(throws: EngineError.self) { try await kiosk.engine.identity(of: .test("till-9")) }
        #expect(unknown?.code == .unknownPrinter)
        try await kiosk.stop()
    }
}

extension HostKey {
    static func test(_ number: UInt8) -> HostKey {
        HostKey(algorithm: "ssh-ed25519", fingerprint: Fingerprint(octets: [UInt8](repeating: number, count: 32))!)
    }
}

extension Certificate {
    static func test(key: UInt8) -> Certificate {
        let fingerprint = Fingerprint(octets: [UInt8](repeating: key, count: 32))
        return Certificate(
            subject: "CN=till-1", issuer: "CN=till-1", names: ["till-1"],
            notBefore: Timestamp(millisecondsSince1970: 0),
            notAfter: Timestamp(millisecondsSince1970: 4_000_000_000_000), fingerprint: fingerprint!,
            keyFingerprint: fingerprint!,
            isSelfSigned: true, key: "EC P-256"
        )
    }
}
