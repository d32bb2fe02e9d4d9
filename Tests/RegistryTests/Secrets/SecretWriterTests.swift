import Foundation
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskPrinterRegistry

/// Logins that a program saves in the secrets file.
@Suite struct SecretWriterTests {
    private let folder: TemporaryFolder
    private var path: String { folder.appending("secrets.yaml") }
    private var store: SecretStore { SecretStore(path: path) }

    init() throws { folder = try TemporaryFolder("secrets") }

    private func text() throws -> String { String(decoding: try readFile(path), as: UTF8.self) }

    private static let office = Credentials(user: "kiosk", password: Secret("tr0ub4dor: &3 \"#'\u{E9}"))

    @Test func `a new file is for its owner alone, and reads back`() async throws {
        let host = Credentials(
            privateKey: .init(path: folder.appending("keys/id"), passphrase: Secret("battery staple")),
            agent: .environment)
        try await store.save(["office": Self.office, "host": host])
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o600)
        #expect(try text().contains("private-key: keys/id\n"))
        #expect(try await store.credentials(named: "office") == Self.office)
    }

    @Test(arguments: [true, false]) func `a file that could not be read any more is not written`(
        _ isDryRun: Bool
    ) async throws {
        var many: [String: Credentials] = [:]
        for number in 0..<200 {
            many["login-\(number)"] = Credentials(token: Secret(String(repeating: "x", count: 2000)))
        }
        let refused = await #expect(throws: CredentialError.self) { try await store.save(many, isDryRun: isDryRun) }
        #expect(refused?.message.contains("bytes; import fewer logins") == true)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `a dry run makes no folder`() async throws {
        let inside = SecretStore(path: folder.appending("new/secrets.yaml"))
        try await inside.save(["office": Self.office], isDryRun: true)
        #expect(!FileManager.default.fileExists(atPath: folder.appending("new")))
    }

    @Test func `other entries, comments and order stay as they are`() async throws {
        let before = """
            # The gateway's.
            gateway: { user: a, password: "b # c" }   # old

            cloud-printer:
              token: eyJhbGciOi
            """
        try folder.writePrivately(Array(before.utf8), to: "secrets.yaml")
        try await store.save(["office": Self.office])
        #expect(try text().hasPrefix(before))
        #expect(try await store.credentials(named: "office") == Self.office)
        #expect(try await store.credentials(named: "cloud-printer").token == Secret("eyJhbGciOi"))
        // Replaced, and the others as they were.
        let other = Credentials(token: Secret("abc"))
        try await store.save(["cloud-printer": other, "office": Self.office])
        #expect(try text().hasPrefix(before.components(separatedBy: "\n")[..<4].joined(separator: "\n")))
        #expect(try await store.credentials(named: "cloud-printer") == other)
        #expect(try await store.credentials(named: "office") == Self.office)
        let saved = try text()
        try await store.save(["office": Self.office])
        #expect(try text() == saved)
    }

    @Test(arguments: ["office: { user: a }\n", "- a\n", "office: {\n", "a b: { token: c }\n"])
    func `a file with an error is never overwritten`(_ broken: String) async throws {
        try folder.writePrivately(Array(broken.utf8), to: "secrets.yaml")
        await #expect(throws: CredentialError.self) { try await store.save(["host": Self.office]) }
        await #expect(throws: CredentialError.self) { try await store.save(["host": Self.office], isDryRun: true) }
        #expect(try text() == broken)
    }

    @Test func `a file that others can read is not written to`() async throws {
        let path = try folder.write("a: { token: b }\n", to: "secrets.yaml")
        #expect(chmod(path, 0o644) == 0)
        await #expect(throws: CredentialError.self) { try await store.save(["host": Self.office]) }
        #expect(try text() == "a: { token: b }\n")
    }

    @Test(arguments: ["", "# nothing yet", "# nothing yet\n", "{ a: { token: b } }\n"])
    func `an empty file and one in brackets take a login`(_ before: String) async throws {
        try folder.writePrivately(Array(before.utf8), to: "secrets.yaml")
        try await store.save(["host": Self.office])
        #expect(try await store.credentials(named: "host") == Self.office)
        #expect(try text().hasPrefix(before.hasPrefix("#") ? "# nothing yet\n" : ""))
    }

    @Test func `a dry run changes nothing`() async throws {
        try await store.save(["office": Self.office], isDryRun: true)
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
