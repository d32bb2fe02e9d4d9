import Foundation
import KioskPrintModel
import KioskTestSupport
import Logging
import Synchronization
import Testing

@testable import KioskFleet
@testable import KioskFleetAgent

/// A kiosk's file of credentials at a real hub, which has a token for the kiosk.
@Suite(.timeLimit(.minutes(15))) struct LoginKeeperTests {
    private let folder: TemporaryFolder
    private let hub: EnrolledHub
    private let office: NATSLink
    private let site: SiteName
    private let key: NKeyPair
    private let contact: FleetContact
    private let log = LogLines()
    private let now = EnrolledHub.now

    init() async throws {
        folder = try TemporaryFolder("login")
        hub = try await EnrolledHub(.debian)
        office = try hub.link(hub.credentials(of: .admin))
        (site, key) = (try SiteName("0147"), try NKeyPair(newOf: .user))
        contact = FleetContact(of: site)
        try await eventually("the office to reach the hub") { [office] in office.isConnected }
        try await HubSetup(HubLayout(replicas: 1), at: JetStream(office, timeout: .seconds(60)))
            .apply(changesExisting: false)
    }

    private func token(
        by authority: FleetAuthority? = nil, for other: NKeyPair? = nil, days: Int64
    ) throws -> UserToken {
        try (authority ?? hub.authority).admit(
            (other ?? key).publicKey, to: site, at: now, until: now + days * 86_400)
    }

    /// Has the hub give this to the kiosk.
    private func offer(_ text: String) async throws {
        _ = try await JetStream(office, timeout: .seconds(60)).publish(
            .token(site, key.publicKey), body: Array(text.utf8))
    }

    /// Writes the kiosk's file with a login that ends in ten days.
    private func writeFile(in folder: String) throws -> String {
        let path = "\(folder)/fleet.creds"
        try Data(CredentialsFile.text(token(days: 10), key).utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        return path
    }

    private func end(in path: String) throws -> Int64? { try KioskLogin(readFile(path)).token.expiresAt }

    /// Keeps the login of the file while `body` runs.
    private func withKeeper(
        _ path: String, timeout: Duration = .seconds(60), _ body: () async throws -> Void
    ) async throws {
        let link = try hub.link(path, inboxPrefix: KioskRights.inboxPrefix(of: site))
        defer { link.close() }
        try await eventually("the kiosk to come in") { link.isConnected }
        let keeper = LoginKeeper(path, contact, each: .milliseconds(50))
        let logger = Logger(label: "test") { [log] _ in log }
        let running = Task { [site] in
            try await keeper.run(for: site, at: JetStream(link, timeout: timeout), logger)
        }
        defer { running.cancel() }
        do {
            try await body()
        } catch {
            throw TestSupportError("\(error); the log: \(log.texts)")
        }
    }

    @Test func `a token that was signed anew is taken, and mode and key of the file stay`() async throws {
        let path = try writeFile(in: folder.path)
        contact.setLoginEnd(try end(in: path))
        #expect(contact.loginChecks(on: now).map(\.code) == ["fleet-credentials-expire"])
        let new = try token(days: 365)
        try await withKeeper(path) {
            try await offer(new.text)
            try await eventually("the new token") { try end(in: path) == new.expiresAt }
            try await eventually("the log") { log.texts.count == 1 }
            #expect(contact.loginChecks(on: now).isEmpty)
            // Again and again.
            let newer = try token(days: 400)
            try await offer(newer.text)
            try await eventually("the newer token") { try end(in: path) == newer.expiresAt }
        }
        #expect(log.texts.allSatisfy { $0.contains("has renewed the kiosk's login at the hub: it ends on 20") })
        #expect(try readFile(path).count == CredentialsFile.text(token(days: 400), key).utf8.count)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o640)
        #expect(try folder.names() == ["fleet.creds"])
        let link = try hub.link(path, inboxPrefix: KioskRights.inboxPrefix(of: site))
        defer { link.close() }
        try await eventually("the hub to take the new login") { link.isConnected }
    }

    @Test func `what is none for this kiosk is told once and ignored`() async throws {
        let path = try writeFile(in: folder.path)
        let before = try readFile(path)
        let stranger = FleetAuthority(name: "fleet", keys: try FleetAuthority.Keys())
        let offers = [
            (try token(by: stranger, days: 365).text, "was signed by another authority"),
            (try token(for: NKeyPair(newOf: .user), days: 365).text, "is for another key"),
            (try token(days: 9).text, "ends no later"),
            ("\u{1B}[2J", "is none"),
        ]
        let new = try token(days: 365)
        try await withKeeper(path) {
            for (text, reason) in offers {
                try await offer(text)
                try await eventually("the refusal: \(reason)") { log.texts.contains { $0.contains(reason) } }
            }
            #expect(try readFile(path) == before)
            #expect(contact.loginChecks(on: now).isEmpty)
            try await offer(new.text)
            try await eventually("the new token") { try end(in: path) == new.expiresAt }
        }
        for (_, reason) in offers { #expect(log.texts.count { $0.contains(reason) } == 1, "\(log.texts)") }
        let seed = try key.seedText()
        #expect(!log.texts.contains { $0.contains(seed) || $0.contains("\u{1B}") })
    }

    @Test(.enabled(if: SmallDisk.isPossible, "a file system of its own needs root"))
    func `a file that cannot be replaced is a warning until it can`() async throws {
        let disk = try SmallDisk()
        let path = try writeFile(in: disk.path)
        try disk.setReadOnly(true)
        let new = try token(days: 365)
        try await withKeeper(path) {
            try await offer(new.text)
            try await eventually("the warning") {
                contact.loginChecks(on: now).contains { $0.code == "fleet-credentials-stay" }
            }
            let check = try #require(contact.loginChecks(on: now).first)
            #expect(check.message.contains("cannot replace \(path): Read-only file system"), "\(check.message)")
            #expect(try end(in: path) != new.expiresAt)
            try disk.setReadOnly(false)
            try await eventually("the new token") { try end(in: path) == new.expiresAt }
            try await eventually("the end of the warning") { contact.loginChecks(on: now).isEmpty }
        }
    }

    @Test func `a symbolic link is not followed`() async throws {
        let path = try writeFile(in: folder.path)
        let link = folder.appending("link.creds")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        let before = try readFile(path)
        try await withKeeper(link) {
            try await offer(token(days: 365).text)
            try await eventually("the warning") {
                contact.loginChecks(on: now).contains { $0.message.contains("it is a symbolic link") }
            }
        }
        #expect(try readFile(path) == before)
    }

    @Test func `a hub without the bucket is told, and asked again`() async throws {
        let path = try writeFile(in: folder.path)
        _ = try await office.request(
            HubMessage(subject: "$JS.API.STREAM.DELETE.\(HubLayout.tokens)"), timeout: .seconds(60))
        let new = try token(days: 365)
        // Nobody answers.
        try await withKeeper(path, timeout: .seconds(2)) {
            try await eventually("the warning") {
                log.texts.contains { $0.contains("cannot look for a new login at the hub") }
            }
            try await HubSetup(HubLayout(replicas: 1), at: JetStream(office, timeout: .seconds(60)))
                .apply(changesExisting: false)
            try await offer(new.text)
            try await eventually("the new token") { try end(in: path) == new.expiresAt }
        }
    }
}

/// Keeps what is logged.
private final class LogLines: LogHandler, @unchecked Sendable {
    private let lines = Mutex<[String]>([])
    // Set by nobody here.
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.notice

    var texts: [String] { lines.withLock(\.self) }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        guard event.level >= .notice else { return }
        lines.withLock { $0.append("\(event.message)") }
    }
}
