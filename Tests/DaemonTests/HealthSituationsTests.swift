import Foundation
import Glibc
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// One situation: how `kioskctl health` is called, and what it has to say. The table in docs/health.md has the same.
struct HealthSituation: Sendable, CustomTestStringConvertible {
    var name: String
    var arguments: [String]
    var code: Int32
    /// What the line contains.
    var line: String
    var testDescription: String { name }

    init(_ name: String, _ arguments: [String], _ code: Int32, _ line: String) {
        self.name = name
        self.arguments = arguments
        self.code = code
        self.line = line
    }

    private static let words = ["OK", "WARNING", "CRITICAL", "UNKNOWN"]

    /// Whether a run says what it has to: the code, its word and the text, on one line.
    func holds(of result: ChildProcess.Result) -> Bool {
        result.end == .exited(code) && result.standardOutput.hasPrefix("KIOSKD \(Self.words[Int(code)]) - ")
            && result.standardOutput.contains(line) && result.standardOutput.filter { $0 == "\n" }.count == 1
    }
}

/// What monitoring is told in every situation that it meets, each produced for real.
@Suite(.timeLimit(.minutes(10))) struct HealthSituationsTests {
    // MARK: Printers, roles and jobs

    static let cheap: [HealthSituation] = [
        .init("the only printer of a role is ready", ["--role", "fine"], 0, "1 of 1 printer available"),
        .init("a fallback is away", ["--role", "first"], 0, "away is unreachable"),
        .init("a fallback is low on paper", ["--role", "low-second"], 0, "low is attention: media-low-warning"),
        .init(
            "only a fallback prints", ["--role", "fallback"], 1,
            "the role \"fallback\" prints on a fallback, ready: away unreachable, ready ready"),
        .init("paper is low", ["--role", "low"], 1, "low is attention: media-low-warning"),
        .init("the first choice is low on paper", ["--role", "low-first"], 1, "low is attention"),
        .init("a role for all its printers lacks one", ["--role", "every"], 1, "not every printer of the role"),
        .init("one of several equal printers is away", ["--role", "any"], 1, "away is unreachable"),
        .init("paper is out", ["--role", "out"], 2, "no printer of the role \"out\" can print: out stopped"),
        .init("the cover is open", ["--role", "open"], 2, "open is stopped: cover-open-error"),
        .init("paper is jammed", ["--role", "jam"], 2, "jam is stopped: media-jam-error"),
        .init("the printer takes no jobs", ["--role", "refusing"], 2, "refusing stopped"),
        .init("the only printer is away", ["--role", "away"], 2, "away is unreachable"),
        .init("a role has no printer", ["--role", "none"], 2, "it has none"),
        .init("no printer does the role's jobs", ["--role", "labels"], 2, "ready does not do it"),
        .init(
            "a role for all its printers has one that does not do its jobs", ["--role", "mixed"], 2,
            "takes no jobs, since it prints on all of its printers: ready does not do it, labeller ready"),
        .init("a certificate waits to be accepted", ["--role", "unproven"], 2, "unproven is stopped"),
        .init("nobody checks a printer's identity", ["--role", "unchecked"], 1, "unchecked is not verified"),
        .init("a login is missing", ["--role", "nameless"], 1, "nameless cannot be logged in to"),
        .init("a printer is ready", ["--printer", "ready"], 0, "1 of 1 printer available"),
        .init("a printer is low on paper", ["--printer", "low"], 1, "low is attention"),
        .init("a printer has stopped", ["--printer", "out"], 2, "out is stopped"),
        .init("a printer is away", ["--printer", "away"], 2, "away is unreachable"),
        .init("a printer that is asked now is ready", ["--printer", "ready", "--contact"], 0, "1 of 1"),
        .init("a printer that is asked now is away", ["--printer", "away", "--contact"], 2, "away is unreachable"),
        .init("a role that there is not", ["--role", "nowhere"], 3, "there is no role \"nowhere\""),
        .init("a printer that there is not", ["--printer", "nowhere"], 3, "there is no printer \"nowhere\""),
        .init("a threshold that cannot be", ["--waiting-warning", "0"], 3, "waiting-warning"),
        .init("a job is printing", ["--role", "holding", "--waiting-warning", "86400"], 0, "1 job waiting"),
        .init("a job waits too long", ["--role", "holding", "--waiting-warning", "1"], 1, "has waited for"),
        .init("a job waits far too long", ["--role", "holding", "--waiting-critical", "1"], 2, "has waited for"),
        .init("nobody decided about a job in doubt", ["--role", "doubtful"], 2, "nobody knows whether it was printed"),
        .init(
            "a few jobs in doubt are borne", ["--role", "doubtful", "--unconfirmed-critical", "2"], 1,
            "nobody knows whether it was printed"),
        .init(
            "the disk has less room than wanted", ["--role", "fine", "--free-space-warning", "1000000000"], 1,
            "of free space left"),
        .init("the worst of everything", [], 2, "no printer of the role"),
    ]

    @Test(arguments: cheap) func `is told as the table has it`(_ situation: HealthSituation) async throws {
        let shop = try await HealthShop.shared
        try await expect(situation) { try await shop.health(situation.arguments) }
    }

    /// Asks until the situation is told, since a job has to grow old and a printer to be given up.
    private func expect(
        _ situation: HealthSituation, _ ask: () async throws -> ChildProcess.Result
    ) async throws {
        var last: ChildProcess.Result?
        do {
            try await eventually("\(situation.name)", deadline: .seconds(300), poll: .milliseconds(100)) {
                let result = try await ask()
                last = result
                return situation.holds(of: result)
            }
        } catch {
            Issue.record("\(error): \(String(describing: last))")
        }
    }

    // MARK: Over the network

    @Test func `over the network a token with read is told the same, and others are UNKNOWN`() async throws {
        let shop = try await HealthShop.shared
        let host = ["--host", "http://127.0.0.1:\(shop.port)", "--role", "fine", "--token-file"]
        let reader = try await shop.token("reader", "read")
        let till = try await shop.token("till", "print:fine")
        let wrong = try shop.daemon.folder.write("kiosk_nothing\n", to: "wrong.token")
        #expect(chmod(wrong, 0o600) == 0)
        let nobody = ["--host", "http://127.0.0.1:\(try freePort())", "--token-file", reader]
        for situation in [
            HealthSituation("a remote daemon is well", host + [reader], 0, "1 of 1 printer available"),
            .init("a token may not read", host + [till], 3, "read"),
            .init("a token is wrong", host + [wrong], 3, "token"),
            .init("the token's file is missing", host + ["/nonexistent/token"], 3, "/nonexistent/token"),
            .init("nobody listens at the host", nobody, 2, "nothing listens at http://127.0.0.1:"),
        ] {
            try await expect(situation) { try await shop.health(situation.arguments) }
        }
    }

    @Test func `tokens that end are told`() async throws {
        let shop = try await HealthShop.shared
        _ = try await shop.token("month", "read", expires: "30d")
        _ = try await shop.token("moment", "read", expires: "1s")
        for situation in [
            HealthSituation(
                "a token ends soon", ["--role", "fine", "--expiry-warning", "30"], 1, "\"month\" ends in 29"),
            .init("a token has ended", ["--role", "fine", "--expiry-warning", "0"], 1, "\"moment\" ended on"),
            .init("a token ends some day", ["--role", "fine"], 0, "1 of 1"),
        ] {
            try await expect(situation) { try await shop.health(situation.arguments) }
        }
    }

    // MARK: The daemon itself

    @Test func `a printer that does not answer in time is UNKNOWN when it is asked`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture(printers: [printer.uri])
        try await expect(.init("it is ready", ["--contact"], 0, "1 of 1")) {
            try await daemon.kioskctl("health", "--contact")
        }
        try await printer.perform(.injectFault(.mute, count: 1000, documentsOnly: false))
        try await expect(.init("it is mute", ["--contact"], 3, "till-1 did not answer within 1 s")) {
            try await daemon.kioskctl("health", "--contact", "--timeout", "3")
        }
    }

    @Test func `a fallback that does not answer in time does not count while the first choice prints`() async throws {
        let (first, second) = (try await SimulatedPrinter.start(), try await SimulatedPrinter.start())
        let daemon = try await KioskdFixture(printers: [first.uri, second.uri])
        try await expect(.init("both are ready", ["--contact"], 0, "2 of 2")) {
            try await daemon.kioskctl("health", "--contact")
        }
        try await second.perform(.injectFault(.mute, count: 1000, documentsOnly: false))
        try await expect(.init("the second is mute", [], 0, "till-2 did not answer within 1 s")) {
            try await daemon.kioskctl("health", "--role", "receipt", "--contact", "--timeout", "3")
        }
    }

    @Test func `a daemon that is not there is CRITICAL, and one that does not answer in time UNKNOWN`() async throws {
        let daemon = try await KioskdFixture(registry: "version: 1\nprinters: []\nroles: {}\n")
        try await expect(.init("no printer is saved", [], 1, "no printer is saved")) {
            try await daemon.kioskctl("health")
        }
        try daemon.process.signal(SIGSTOP)
        try await expect(.init("no answer in time", [], 3, "did not respond in time")) {
            try await daemon.kioskctl("health", "--timeout", "1")
        }
        try daemon.process.signal(SIGCONT)
        try await daemon.kill()
        try await expect(.init("kioskd is not running", [], 2, "kioskd is not running")) {
            try await daemon.kioskctl("health")
        }
    }

    @Test func `what damage has left is told until somebody has removed it`() async throws {
        let folder = try TemporaryFolder("kioskd")
        try folder.write("damaged", to: "queue.sqlite.damaged-20261127T010203004")
        try folder.write("damaged", to: "audit.jsonl.damaged-20261127T010203004")
        let daemon = try await KioskdFixture(folder: folder, registry: "version: 1\nprinters: []\nroles: {}\n")
        for situation in [
            HealthSituation("the queue was damaged", [], 1, "the queue was damaged"),
            .init("the audit was damaged", [], 1, "a file of the audit could not be used"),
        ] {
            try await expect(situation) { try await daemon.kioskctl("health") }
        }
    }

    @Test func `a registry with a mistake is told while the last good one is in force`() async throws {
        let shop = try await HealthShop.shared
        let ready = try #require(
            try await shop.daemon.client().printers().first { $0.printer.id.rawValue == "ready" }?.printer.url)
        let daemon = try await KioskdFixture(printers: [ready.description])
        try await expect(.init("all is well", [], 0, "1 of 1 printer available")) {
            try await daemon.kioskctl("health")
        }
        try daemon.folder.write("version: 1\nprinters: oops\n", to: "printers.yaml")
        _ = try await daemon.kioskctl("reload")
        try await expect(.init("the registry is refused", [], 1, "printers.yaml")) {
            try await daemon.kioskctl("health")
        }
    }

    @Test func `a server's certificate that ends is told`() async throws {
        let authority = try await TestAuthority()
        for (validity, code, line) in [
            (TestCertificate.Validity.current, Int32(1), "the server's certificate ends in"),
            (.expired, 2, "the server's certificate ended on"),
        ] {
            let certificate = try await authority.issue(
                .init("localhost", names: ["localhost", "127.0.0.1"], validity: validity))
            // An address other than loopback's usual one speaks TLS.
            let daemon = try await KioskdFixture(
                registry: "version: 1\nprinters: []\nroles: {}\n",
                arguments: [
                    "--listen", "0.0.0.0:\(try freePort())", "--tls-certificate", certificate.chain, "--tls-key",
                    certificate.key,
                ])
            try await expect(.init(line, [], code, line)) { try await daemon.kioskctl("health") }
        }
    }

    @Test func `an address that another program has is told`() async throws {
        let taken = try FullListener()
        let daemon = try await KioskdFixture(
            registry: "version: 1\nprinters: []\nroles: {}\n", arguments: ["--listen", "127.0.0.1:\(taken.port)"])
        try await expect(.init("the address is taken", [], 1, "127.0.0.1")) { try await daemon.kioskctl("health") }
    }

    // MARK: Performance data

    @Test func `performance data carries the thresholds of the command line`() async throws {
        let shop = try await HealthShop.shared
        let result = try await shop.health(
            ["--role", "fine", "--waiting-warning", "60", "--waiting-critical", "600", "--unconfirmed-critical", "3"])
        #expect(
            result.standardOutput.hasSuffix(
                " | printers_available=1;;;0;1 jobs_waiting=0;;;0 jobs_unconfirmed=0;;3;0 jobs_lost=0;;;0 oldest_waiting=0s;60;600;0\n"
            ), "\(result.standardOutput)")
    }

    // MARK: The documentation

    @Test func `the documentation's table has every situation of the shared daemon`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appendingPathComponent("docs/health.md"), encoding: .utf8)
        for situation in Self.cheap { #expect(text.contains("| \(situation.name) |"), "\(situation.name)") }
    }
}
