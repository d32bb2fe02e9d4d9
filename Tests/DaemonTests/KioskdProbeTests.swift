import Glibc
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// Probes of printers that are not saved: what is told of them, and that nothing is left behind.
@Suite struct KioskdProbeTests {
    private static let registry = "version: 1\nprinters: []\nroles:\n  receipt: { printers: [] }\n"

    private func probe(_ body: String, _ daemon: KioskdFixture) async throws -> ProbeReport {
        try await daemon.curlJSON("POST", "/v1/probe", body).json(ProbeReport.self)
    }

    private func outcome(_ step: ProbeReport.Step.Kind, _ report: ProbeReport) -> ProbeReport.Step.Outcome? {
        report.steps.first { $0.step == step }?.outcome
    }

    private func isUnchanged(_ daemon: KioskdFixture) throws -> Bool {
        try String(decoding: readFile(daemon.registryPath), as: UTF8.self) == Self.registry
    }

    @Test func `a printer that is there is described, and not saved`() async throws {
        let eve = try await EvePrinter()
        let daemon = try await KioskdFixture(registry: Self.registry)
        let report = try await probe(#"{"url":"\#(eve.uri)"}"#, daemon)
        #expect(outcome(.reach, report) == .passed)
        #expect(outcome(.describe, report) == .passed)
        #expect(report.description?.makeAndModel?.isEmpty == false)
        #expect(report.availability?.isAvailable == true)
        #expect(report.saved.isEmpty)
        #expect(try isUnchanged(daemon))
        #expect(try await daemon.curl("/v1/printers").json(PrinterList.self).printers.isEmpty)
    }

    @Test func `a port at which nothing listens is said to be one, with what to do`() async throws {
        let daemon = try await KioskdFixture(registry: Self.registry)
        let report = try await probe(#"{"url":"ipp://localhost:1/ipp/print"}"#, daemon)
        #expect(outcome(.reach, report) == .failed)
        #expect(report.steps.first?.advice != nil)
        #expect(!report.isUsable)
        #expect(report.needs == [.url])
    }

    @Test func `a printer that does not do the role's jobs is said to be one`() async throws {
        let laser = try await EvePrinter()
        let daemon = try await KioskdFixture(registry: Self.registry)
        let report = try await probe(
            #"{"url":"\#(laser.uri)","job-types":["document"],"role":"receipt"}"#, daemon)
        #expect(report.doesRole == false)
        #expect(outcome(.role, report) == .failed)
        let unknown = try await daemon.curlJSON("POST", "/v1/probe", #"{"url":"\#(laser.uri)","role":"nobody"}"#)
        #expect(unknown.status == 404)
    }

    @Test func `a certificate that nobody accepted is shown, and the printer described once it is`() async throws {
        let printer = try await SimulatedPrinter.start()
        let certificate = try await TestAuthority().issue(.localhost)
        let gateway = try await NginxGateway(.init(certificate: certificate), upstreamPort: printer.port)
        let daemon = try await KioskdFixture(registry: Self.registry)
        let url = gateway.secureURI
        let asked = try await probe(#"{"url":"\#(url)"}"#, daemon)
        #expect(outcome(.trust, asked) == .failed)
        #expect(asked.needs == [.trust])
        #expect(asked.isTrusted == false)
        #expect(asked.description == nil)
        let key = "sha256:\(certificate.keyFingerprint)"
        #expect(asked.certificate?.keyFingerprint.description == key)
        #expect(try gateway.requests().isEmpty)
        let accepted = try await probe(#"{"url":"\#(url)","trust":"\#(key)"}"#, daemon)
        #expect(outcome(.trust, accepted) == .passed)
        #expect(accepted.description != nil)
        // The printer shows another one than the one that was compared.
        let other = "sha256:" + String(repeating: "0", count: 64)
        let changed = try await probe(#"{"url":"\#(url)","trust":"\#(other)"}"#, daemon)
        #expect(outcome(.trust, changed) == .failed)
        #expect(changed.needs == [.trust])
        #expect(try isUnchanged(daemon))
    }

    @Test func `a login that is wrong is tried once`() async throws {
        let printer = try await SimulatedPrinter.start()
        let certificate = try await TestAuthority().issue(.localhost)
        let gateway = try await NginxGateway(
            .init(certificate: certificate, login: TestLogin("kiosk", "right-0b5d")), upstreamPort: printer.port)
        let folder = try TemporaryFolder("probe")
        let secrets = try folder.write("office: { user: kiosk, password: wrong-7c1e }", to: "secrets.yaml")
        #expect(chmod(secrets, 0o600) == 0)
        let daemon = try await KioskdFixture(folder: folder, registry: Self.registry)
        let target = #""url":"\#(gateway.secureURI)","trust":"sha256:\#(certificate.keyFingerprint)""#
        let without = try await probe("{\(target)}", daemon)
        #expect(outcome(.login, without) == .failed)
        #expect(without.needs == [.login])
        let wrong = try await probe(#"{\#(target),"credentials":"office"}"#, daemon)
        #expect(outcome(.login, wrong) == .failed)
        // nginx notes a request after it has sent the response.
        try await eventually("the login in nginx's log") { try gateway.requests().contains { $0.user == "kiosk" } }
        #expect(try gateway.requests().count { $0.user == "kiosk" } == 1)
        #expect(!daemon.log.contains("wrong-7c1e"))
    }

    @Test func `a printer that is saved already is named`() async throws {
        let eve = try await EvePrinter()
        let daemon = try await KioskdFixture(printers: [eve.uri])
        let report = try await probe(#"{"url":"\#(eve.uri)"}"#, daemon)
        #expect(report.saved.map(\.printer.rawValue) == ["till-1"])
        #expect(report.saved.map(\.by) == [.url])
        #expect(report.suggestedID.rawValue != "till-1")
    }

    @Test func `a removed printer is offered again, each URL once`() async throws {
        let daemon = try await KioskdFixture(registry: Self.registry)
        for (id, port) in [("a", 1), ("b", 2)] {
            let saved = try await daemon.curlJSON(
                "PUT", "/v1/printers/\(id)", #"{"url":"socket://localhost:\#(port)"}"#)
            #expect(saved.status == 201)
        }
        #expect(try await daemon.curl("/v1/printers/a", ["-X", "DELETE"]).status == 204)
        let list = try await daemon.curl("/v1/recent-printers").json(RecentPrinterList.self).printers
        #expect(list.map(\.url.description) == ["socket://localhost:1", "socket://localhost:2"])
        #expect(list.map(\.isSaved) == [false, true])
    }

    @Test func `a body that is no request for a probe is refused`() async throws {
        let daemon = try await KioskdFixture(registry: Self.registry)
        for body in [#"{"url":"nonsense"}"#, "{}", #"{"url":"ipp://localhost","password":"x"}"#] {
            #expect(try await daemon.curlJSON("POST", "/v1/probe", body).status == 400, "\(body)")
        }
    }
}
