import Foundation
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Synchronization
import Testing

@testable import KioskFleet

/// From nothing to a printing kiosk and back, by `kioskctl fleet` alone, at real hubs.
@Suite(.timeLimit(.minutes(15))) struct EnrolmentTests {
    private let folder: TemporaryFolder
    private var authority: String { folder.appending("authority") }

    init() throws { folder = try TemporaryFolder("enrolment") }

    private func run(_ arguments: String..., input: String = "", hub: String = "") async throws -> ChildProcess.Result {
        try await KioskctlFleet.run(arguments, hub: hub, input: input)
    }

    private func create() async throws {
        let created = try await run(
            "authority", "create", "--dir", authority, "--server-dir", folder.appending("accounts"))
        #expect(created.end == .exited(0), "\(created)")
    }

    /// A hub that has what `authority create` has written in its configuration, once `change` was there.
    private func hub(
        _ version: NATSServer.Version, change: () throws -> Void = {}
    ) async throws -> NATSServer {
        try await create()
        try change()
        let accounts = try String(contentsOfFile: "\(authority)/accounts.conf", encoding: .utf8)
        let server = try await NATSServer(version, more: accounts)
        try await waitUntilItLetsIn("\(authority)/admin.creds", server)
        let setUp = try await run(
            "setup", "--apply", "--replicas", "1", "--credentials", "\(authority)/admin.creds", hub: server.url)
        #expect(setUp.end == .exited(version == .current ? 0 : 1), "\(setUp)")
        return server
    }

    /// The way of a kiosk: returns its public key and its file of credentials.
    private func enrol(
        _ site: String, _ node: String, days: Int = 365
    ) async throws -> (key: String, credentials: String) {
        let (seed, file) = (folder.appending("\(node).seed"), folder.appending("\(node).creds"))
        let key = try await publicKey(site, seed)
        let admitted = try await run(
            "admit", key, "--site", site, "--node", node, "--dir", authority, "--days", "\(days)")
        #expect(admitted.end == .exited(0), "\(admitted)")
        let joined = try await run(
            "join", "--site", site, "--keys", seed, "--jwt", "-", "--output", file, input: admitted.standardOutput)
        #expect(joined.end == .exited(0), "\(joined)")
        #expect(joined.standardOutput.contains("--fleet-credentials \(file)"))
        return (key, file)
    }

    private func publicKey(_ site: String, _ seed: String) async throws -> String {
        let shown = try await run("join", "--site", site, "--keys", seed)
        #expect(shown.end == .exited(0), "\(shown)")
        return String(try #require(shown.standardOutput.split(separator: "\n").first))
    }

    private func permissions(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test(arguments: NATSServer.installed)
    func `a kiosk that was admitted prints and reports, and none that was revoked comes in`(
        version: NATSServer.Version
    ) async throws {
        let server = try await hub(version)
        let (key, credentials) = try await enrol("0147", "kiosk-1")
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture(
            printers: [printer.uri],
            arguments: [
                "--fleet-hub", server.url, "--fleet-site", "0147", "--fleet-node", "kiosk-1", "--fleet-credentials",
                credentials,
            ])
        let receipt = try folder.write("TEA 2.50\n", to: "order.txt")
        let office = "\(authority)/office.creds"
        let printed = try await run(
            "print", receipt, "--site", "0147", "--role", "receipt", "--key", "order-1", "--wait", "final",
            "--wait-timeout", "300", "--credentials", office, hub: server.url)
        #expect(printed.end == .exited(0), "\(printed) \(daemon.log)")
        try await eventually("the kiosk's status") {
            let health = try await run("health", "--credentials", office, hub: server.url)
            return health.standardOutput.contains("0147/kiosk-1: 1 of 1 printer available")
        }
        #expect(!daemon.log.contains("refuses this login"), "\(daemon.log)")
        try await eventually("the end of its login") { try await daemon.client().fleet().loginEndsAt != nil }

        // The office has no more than it needs.
        let setUp = try await run("setup", "--apply", "--credentials", office, hub: server.url)
        #expect(setUp.end == .exited(1) && setUp.standardError.contains("the hub refuses this login"), "\(setUp)")

        let revoked = try await run("revoke", key, "--dir", authority, hub: server.url)
        #expect(revoked.end == .exited(0), "\(revoked)")
        try await eventually("the kiosk to be thrown out") { daemon.log.contains("takes no part in its fleet") }
        try await isShutOut(credentials, server)
        // Nor after the hub has begun anew with what it was configured with first.
        try await server.kill()
        try await server.start()
        try await waitUntilItLetsIn("\(authority)/admin.creds", server)
        try await isShutOut(credentials, server)
        // Another kiosk of the site is, and an admin.
        let (_, other) = try await enrol("0147", "kiosk-2")
        try await waitUntilItLetsIn(other, server)
        // Nothing secret is in a log.
        for name in ["kiosk-1.seed", "kiosk-2.seed"] {
            let seed = try String(contentsOfFile: folder.appending(name), encoding: .utf8).prefix(58)
            #expect(seed.hasPrefix("SU") && !daemon.log.contains(seed) && !server.log.contains(seed))
        }
    }

    private func options(_ credentials: String, _ server: NATSServer) throws -> NATSLink.Options {
        var options = NATSLink.Options.test([server.url])
        options.authentication = .credentials(file: credentials)
        options.inboxPrefix = KioskRights.inboxPrefix(of: try SiteName("0147"))
        return options
    }

    private func waitUntilItLetsIn(_ credentials: String, _ server: NATSServer) async throws {
        try await server.waitUntilItLetsIn(options(credentials, server))
    }

    private func isShutOut(_ credentials: String, _ server: NATSServer) async throws {
        let refusal = await #expect(throws: FleetError.self) {
            try await NATSLink.connectOnce(options(credentials, server)).close()
        }
        #expect(refusal?.code == .notPermitted && refusal?.description == "Authorization Violation")
    }

    @Test(arguments: NATSServer.installed)
    func `a kiosk's token is renewed through the hub, and the kiosk comes in by the new one`(
        version: NATSServer.Version
    ) async throws {
        let server = try await hub(version)
        let (key, credentials) = try await enrol("0147", "kiosk-1", days: 10)
        let old = try KioskLogin(readFile(credentials)).token
        let oldFile = try folder.write(readFile(credentials), to: "old.creds")
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture(
            printers: [printer.uri],
            arguments: [
                "--fleet-hub", server.url, "--fleet-site", "0147", "--fleet-node", "kiosk-1", "--fleet-credentials",
                credentials,
            ])
        let office = "\(authority)/office.creds"
        try await eventually("the office to be warned") {
            let health = try await run("health", "--credentials", office, hub: server.url)
            return health.standardOutput.contains("WARNING 0147/kiosk-1:")
                && health.standardOutput.contains("the kiosk's login at its fleet's hub ends in")
        }
        // A revocation counts in seconds.
        try await eventually("the next second") { EnrolledHub.now > old.issuedAt }
        let looked = try await run("renew", "--dir", authority, "--dry-run", hub: server.url)
        #expect(looked.end == .exited(0) && looked.standardOutput.contains("due"), "\(looked)")
        // Who sends jobs hands out no tokens. What was signed then is sent the next time.
        let refused = try await run("renew", "--dir", authority, "--credentials", office, hub: server.url)
        #expect(refused.end == .exited(1) && refused.standardOutput.contains("unsent"), "\(refused)")
        #expect(refused.standardError.contains("the hub refuses this login"), "\(refused)")
        let renewed = try await run("renew", "--dir", authority, "--json", hub: server.url)
        #expect(renewed.end == .exited(0), "\(renewed)")
        let states = renewed.standardOutput.filter { !$0.isWhitespace }
        #expect(states.contains("\"publicKey\":\"\(key)\"") && states.contains("\"state\":\"renewed\""), "\(renewed)")

        // The kiosk looks at its next connection.
        try await server.kill()
        try await server.start()
        try await waitUntilItLetsIn("\(authority)/admin.creds", server)
        try await eventually("the kiosk to take its new token") {
            try KioskLogin(readFile(credentials)).token.issuedAt > old.issuedAt
        }
        #expect(try KioskLogin(readFile(credentials)).token.publicKey.text == key)
        #expect(try permissions(credentials) == 0o600)
        try await eventually("the end of the warning") {
            let health = try await run("health", "--credentials", office, hub: server.url)
            return health.standardOutput.contains("0147/kiosk-1: 1 of 1 printer available")
                && !health.standardOutput.contains("login at its fleet's hub")
        }
        // The old one is worth nothing any more, and the kiosk comes in all the same.
        try await withdraw(old, server)
        try await isShutOut(oldFile, server)
        try await server.kill()
        try await server.start()
        try await waitUntilItLetsIn("\(authority)/admin.creds", server)
        let receipt = try folder.write("TEA 2.50\n", to: "order.txt")
        let printed = try await run(
            "print", receipt, "--site", "0147", "--role", "receipt", "--key", "order-1", "--wait", "final",
            "--wait-timeout", "300", "--timeout", "300", "--credentials", office, hub: server.url)
        #expect(printed.end == .exited(0), "\(printed) \(daemon.log)")
        let again = try await run("renew", "--dir", authority, hub: server.url)
        #expect(again.end == .exited(0) && again.standardOutput.contains("it ends later"), "\(again)")
        let seed = try String(contentsOfFile: folder.appending("kiosk-1.seed"), encoding: .utf8).prefix(58)
        #expect(seed.hasPrefix("SU") && !daemon.log.contains(seed) && !server.log.contains(seed))
    }

    private func key(_ name: String, _ role: NKeyRole) throws -> NKeyPair {
        let text = try String(contentsOfFile: "\(authority)/\(name).seed", encoding: .utf8)
        return try NKeyPair(seedText: text.prefix { !$0.isWhitespace }, of: role)
    }

    /// Has the hub refuse all tokens of the key that were signed no later than this one.
    private func withdraw(_ token: UserToken, _ server: NATSServer) async throws {
        let keys = FleetAuthority.Keys(
            operator: try key("operator", .operator), systemAccount: try key("system-account", .account),
            account: try key("account", .account), kiosks: try key("kiosks", .account))
        // Newer than the one that the hub has.
        let account = try FleetAuthority(name: "fleet", keys: keys).account(
            at: EnrolledHub.now, revocations: [token.publicKey: token.issuedAt])
        var options = NATSLink.Options.test([server.url])
        options.authentication = .credentials(file: "\(authority)/system.creds")
        let link = try NATSLink(options)
        defer { link.close() }
        try await eventually("the authority to reach the hub") { link.isConnected }
        try await HubAccounts(over: link, timeout: .seconds(60)).send(account: account)
    }

    /// The token of the fleet's account in the authority's `accounts.conf`.
    private func accountText() throws -> String {
        let accounts = try String(contentsOfFile: "\(authority)/accounts.conf", encoding: .utf8)
        let account = try key("account", .account).publicKey.text
        let line = try #require(accounts.split(separator: "\n").first { $0.contains("\(account): ") })
        return String(try #require(line.split(separator: " ").last))
    }

    /// Makes of the authority one from before kiosks might fetch tokens.
    private func takeTokensAway() throws {
        let text = try accountText()
        var claims = try NATSToken.read(text, as: AccountClaims.self)
        claims.nats.signing_keys?[0].template.pub.allow?.removeAll { $0.contains(HubLayout.tokens) }
        let old = try NATSToken.sign(claims, by: key("operator", .operator))
        #expect(old != text)
        let path = "\(authority)/accounts.conf"
        let accounts = try String(contentsOfFile: path, encoding: .utf8)
        try Data(accounts.replacing(text, with: old).utf8).write(to: URL(fileURLWithPath: path))
    }

    @Test(arguments: NATSServer.installed)
    func `an account from before renewal is signed anew, and the kiosk fetches its token`(
        version: NATSServer.Version
    ) async throws {
        let server = try await hub(version) { try takeTokensAway() }
        let (_, credentials) = try await enrol("0147", "kiosk-1", days: 10)
        let old = try KioskLogin(readFile(credentials)).token
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture(
            printers: [printer.uri],
            arguments: [
                "--fleet-hub", server.url, "--fleet-site", "0147", "--fleet-node", "kiosk-1", "--fleet-credentials",
                credentials,
            ])
        try await eventually("the hub to refuse the kiosk its token") {
            daemon.log.contains("refuses this login to publish to $JS.API.DIRECT.GET.KV_TOKENS")
        }
        // Whoever is revoked stays so.
        let (other, otherCredentials) = try await enrol("0147", "kiosk-2")
        let nobody = try await run("revoke", other, "--dir", authority, "--hub", "nats://127.0.0.1:1", "--timeout", "1")
        #expect(nobody.end == .exited(69), "\(nobody)")

        let renewed = try await run("renew", "--dir", authority, "--json", hub: server.url)
        #expect(renewed.end == .exited(0) && renewed.standardError.contains("it is signed anew"), "\(renewed)")
        let states = renewed.standardOutput.filter { !$0.isWhitespace }
        #expect(states.contains("\"account\":\"renewed\"") && states.contains("\"state\":\"renewed\""), "\(renewed)")
        // The hub ends the connections of those whose rights have changed, and the kiosk looks at its next one.
        try await eventually("the kiosk to take its new token") {
            try KioskLogin(readFile(credentials)).token.expiresAt ?? 0 > old.expiresAt ?? 0
        }
        try await isShutOut(otherCredentials, server)
        #expect(try NATSToken.read(accountText(), as: AccountClaims.self).nats.revocations?[other] != nil)

        let account = try accountText()
        let again = try await run("renew", "--dir", authority, "--json", hub: server.url)
        #expect(again.end == .exited(0) && again.standardError.isEmpty, "\(again)")
        #expect(again.standardOutput.filter { !$0.isWhitespace }.contains("\"account\":\"unchanged\""), "\(again)")
        #expect(try accountText() == account)
    }

    @Test func `an authority is made whole or not at all, and is its owner's alone`() async throws {
        try await create()
        #expect(try permissions(authority) == 0o700)
        let names = try FileManager.default.contentsOfDirectory(atPath: authority)
        #expect(names.count == 9)
        for name in names { #expect(try permissions("\(authority)/\(name)") == 0o600, "\(name)") }
        let before = try Data(contentsOf: URL(fileURLWithPath: "\(authority)/operator.seed"))
        let again = try await run("authority", "create", "--dir", authority)
        #expect(again.end == .exited(1) && again.standardError.contains("something is there"), "\(again)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: "\(authority)/operator.seed")) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["authority"])
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: "\(authority)/kiosks.seed")
        let open = try await run(
            "admit", try NKeyPair(newOf: .user).publicKey.text, "--site", "0147", "--dir", authority)
        #expect(open.end == .exited(77) && open.standardError.contains("chmod 600"), "\(open)")
        let kiosks = try await run("kiosks", "--dir", authority, "--json")
        #expect(kiosks.standardOutput.filter { !$0.isWhitespace } == "{\"kiosks\":[]}")
    }

    @Test func `a kiosk's key is made once, and takes only what was signed for it`() async throws {
        try await create()
        let seed = folder.appending("fleet.seed")
        let key = try await publicKey("0147", seed)
        #expect(try await publicKey("0147", seed) == key)
        #expect(try permissions(seed) == 0o600)
        let (file, output) = (folder.appending("0147.jwt"), folder.appending("fleet.creds"))
        let admitted = try await run(
            "admit", key, "--site", "0147", "--dir", authority, "--output", file, "--days", "10")
        #expect(admitted.end == .exited(0) && admitted.standardOutput.isEmpty, "\(admitted)")
        func join(_ site: String, _ seed: String, _ jwt: String) async throws -> ChildProcess.Result {
            try await run("join", "--site", site, "--keys", seed, "--jwt", jwt, "--output", output)
        }
        let wrongSite = try await join("0148", seed, file)
        #expect(wrongSite.end == .exited(1) && wrongSite.standardError.contains("for the site 0147, not for 0148"))
        let otherSeed = folder.appending("other.seed")
        let otherKey = try await publicKey("0147", otherSeed)
        let wrongKey = try await join("0147", otherSeed, file)
        #expect(wrongKey.end == .exited(1) && wrongKey.standardError.contains("signed another key, \(key)"))
        let ended = FleetAuthority(name: "fleet", keys: try FleetAuthority.Keys())
        let old = try ended.admit(NKey(key, of: .user), to: SiteName("0147"), at: 1000, until: 2000)
        let late = try await join("0147", seed, try folder.write(old.text, to: "old.jwt"))
        #expect(late.end == .exited(1) && late.standardError.contains("ended on 1970-01-01"))
        let broken = try await join("0147", seed, try folder.write("eyJ.eyJ.abc", to: "broken.jwt"))
        #expect(broken.end == .exited(1) && broken.standardError.contains("NATS JWT"))
        #expect(!FileManager.default.fileExists(atPath: output))
        #expect(try await join("0147", seed, file).end == .exited(0))
        #expect(try permissions(output) == 0o600)

        // One key is one site's; and again it is only longer.
        let moved = try await run("admit", key, "--site", "0148", "--dir", authority)
        #expect(moved.end == .exited(1) && moved.standardError.contains("one of the site 0147"), "\(moved)")
        #expect(try await run("admit", key, "--site", "0147", "--dir", authority).end == .exited(0))
        #expect(try await run("admit", otherKey, "--site", "0147", "--dir", authority).end == .exited(0))
        // The hub is away, which the list does not wait for.
        let revoked = try await run(
            "revoke", key, "--dir", authority, "--hub", "nats://127.0.0.1:1", "--timeout", "1")
        #expect(revoked.end == .exited(69) && revoked.standardError.contains("call this again"), "\(revoked)")
        let back = try await run("admit", key, "--site", "0147", "--dir", authority)
        #expect(back.end == .exited(1) && back.standardError.contains("revoked"), "\(back)")
        let kiosks = try await run("kiosks", "--dir", authority)
        let lines = kiosks.standardOutput.split(separator: "\n")
        #expect(lines.count == 3 && lines.contains { $0.contains("revoked") && $0.contains(key) }, "\(kiosks)")
        #expect(lines.contains { $0.contains("admitted") && $0.contains(otherKey) }, "\(kiosks)")
    }

    @Test(arguments: NATSServer.installed)
    func `a refusal is told once for each subject, and ends the request`(version: NATSServer.Version) async throws {
        let hub = try await EnrolledHub(version)
        let site = try SiteName("0147")
        let refusals = Mutex<[HubRefusal]>([])
        let link = try hub.link(
            hub.credentials(ofKioskOf: site), inboxPrefix: KioskRights.inboxPrefix(of: site)
        ) { refusal in refusals.withLock { $0.append(refusal) } }
        defer { link.close() }
        try await eventually("the kiosk to come in") { link.isConnected }
        for _ in 1...2 {
            let refusal = await #expect(throws: FleetError.self) {
                try await link.request(HubMessage(subject: "$JS.API.STREAM.LIST"), timeout: .seconds(300))
            }
            #expect(refusal?.code == .notPermitted && refusal?.isRetryable == false)
        }
        let unheard = try link.messages(of: "jobs.>", maximum: 1)
        try await eventually("both refusals") { refusals.withLock { $0.count } == 2 }
        #expect(
            refusals.withLock { $0.map(\.subject) } == ["$JS.API.STREAM.LIST", "jobs.>"], "\(unheard)")
    }
}
