import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskTestSupport
import Testing

/// The daemon and its clients before the print-release gateway: nginx with TLS, client certificates and Basic login in
/// front of ippeveprinter.
@Suite struct KioskdGatewayTests {
    private let receipt = [UInt8]("\u{1B}@Coffee 2.50\n".utf8)
    private let login = TestLogin("till", "swordfish")
    private let passphrase = "open sesame"

    private func registry(_ gateway: NginxGateway, trust: String, more: String = "") -> String {
        """
        version: 1
        printers:
          - { id: till-1, url: "\(gateway.secureURI)", trust: "\(trust)"\(more) }
        roles:
          receipt:
            printers: [till-1]

        """
    }

    @Test func `a receipt goes through the gateway with the secrets file's login and certificate`() async throws {
        let authority = try await TestAuthority()
        let client = try await authority.issue(.init("till 3", purpose: .client))
        let printer = try await EvePrinter()
        let gateway = try await NginxGateway(
            .init(certificate: authority.issue(), clientAuthority: authority.root, login: login),
            upstreamPort: printer.port)
        let folder = try TemporaryFolder("kioskd")
        let bundle = try await client.pkcs12(.modern, passphrase: passphrase)
        try folder.writePrivately(
            Array(
                """
                gateway:
                  user: \(login.user)
                  password: \(login.password)
                  client-certificate: \(bundle)
                  passphrase: \(passphrase)

                """.utf8), to: "secrets.yaml")
        try folder.write(receipt, to: "receipt.escpos")
        let daemon = try await KioskdFixture(
            folder: folder, registry: registry(gateway, trust: "ca:\(authority.root)", more: ", credentials: gateway"))
        let printed = try await daemon.kioskctl(
            "print", folder.appending("receipt.escpos"), "--type", "application/vnd.escpos", "--role", "receipt",
            "--wait")
        #expect(printed.end.isSuccess, "\(printed.standardError)\(daemon.log)")
        #expect(printed.standardOutput.contains("completed"), "\(printed.standardOutput)")
        #expect(try printer.keptFiles().map { try readFile($0) } == [receipt])
        try await eventually("a request in nginx's log") { try gateway.requests().contains { $0.status == 200 } }
        let served = try gateway.requests().filter { $0.status == 200 }
        #expect(!served.isEmpty && served.allSatisfy { $0.user == "till" && $0.clientVerification == "SUCCESS" })

        let health = try await daemon.kioskctl("health")
        #expect(health.end.isSuccess, "\(health.standardOutput)")
        let shown = try await daemon.kioskctl("printers", "show", "till-1", "--json")
        for text in [daemon.log, printed.standardOutput, health.standardOutput, shown.standardOutput] {
            #expect(!text.contains(login.password) && !text.contains(passphrase))
        }
    }

    @Test func `a swapped certificate gets nothing until it is accepted, and then the waiting job prints by itself`()
        async throws
    {
        let first = try await TestAuthority.selfSigned()
        let second = try await TestAuthority.selfSigned()
        let printer = try await EvePrinter()
        let gateway = try await NginxGateway(.init(certificate: first), upstreamPort: printer.port)
        let daemon = try await KioskdFixture(registry: registry(gateway, trust: "sha256:\(first.keyFingerprint)"))
        let path = try daemon.folder.write(receipt, to: "receipt.escpos")
        let arguments = ["print", path, "--type", "application/vnd.escpos", "--role", "receipt"]
        let before = try await ChildProcess.run(
            BuiltProducts.path("kioskctl"), arguments + ["--wait"], environment: ["KIOSKD_SOCKET": daemon.socket])
        #expect(before.end.isSuccess, "\(before.standardError)\(daemon.log)")
        #expect(try printer.keptFiles().count == 1)

        try await gateway.stop()
        let requests = try gateway.requests().count
        try await gateway.start(.init(certificate: second))
        let waiting = try await ChildProcess.run(
            BuiltProducts.path("kioskctl"), arguments, environment: ["KIOSKD_SOCKET": daemon.socket])
        #expect(waiting.end.isSuccess, "\(waiting.standardError)")
        var health = ""
        try await eventually("the changed certificate in the health report") {
            health = try await daemon.kioskctl("health", "--json").standardOutput
            return health.contains("certificate-changed")
        }
        #expect(health.contains(first.keyFingerprint) && health.contains(second.keyFingerprint), "\(health)")
        #expect(try gateway.requests().count == requests, "nothing is sent to whoever has another key")
        #expect(try printer.keptFiles().count == 1)

        let blind = try await daemon.kioskctl(
            "printers", "trust", "till-1", "--yes", "--fingerprint", first.keyFingerprint)
        #expect(!blind.end.isSuccess)
        let trusted = try await daemon.kioskctl(
            "printers", "trust", "till-1", "--yes", "--fingerprint", second.keyFingerprint)
        #expect(trusted.end.isSuccess, "\(trusted.standardError)\(daemon.log)")
        // The printer makes a file before it has the receipt.
        try await eventually("the waiting job") {
            try printer.keptFiles().map { try readFile($0) } == [receipt, receipt]
        }
        try await eventually("health") { try await daemon.kioskctl("health").end.isSuccess }
    }
}
