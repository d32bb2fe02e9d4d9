import Foundation
import Glibc
import KioskAccess
import KioskPrintModel
import KioskTestSupport
import Logging
import Testing

@Suite struct TokenStoreTests {
    private static let start = Timestamp(millisecondsSince1970: 1_800_000_000_000)
    private let folder: TemporaryFolder
    private var path: String { folder.appending(TokenStore.fileName) }

    init() throws { folder = try TemporaryFolder("tokens") }

    private func store() throws -> TokenStore {
        try TokenStore(stateDirectory: folder.path, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func draft(
        _ name: String = "till-1", _ scopes: Set<TokenScope> = [.printing(to: "receipt")], expiresAt: Timestamp? = nil,
        origins: [String] = []
    ) -> TokenDraft {
        TokenDraft(name: name, scopes: scopes, expiresAt: expiresAt, origins: origins, createdBy: "uid:0")
    }

    @Test func `a token is verified by its secret, also after a restart`() async throws {
        let store = try store()
        let (token, secret) = try await store.make(draft(), at: Self.start)
        #expect(token.id == 1)
        #expect(store.token(for: secret, at: Self.start)?.id == 1)
        let again = try self.store()
        let found = try #require(again.token(for: secret, at: Self.start))
        #expect(found.name == "till-1")
        #expect(found.scopes == [.printing(to: "receipt")])
        #expect(found.createdBy == "uid:0")
        #expect(again.list().map(\.id) == [1])
    }

    @Test func `the file has no secret, and is for its owner alone`() async throws {
        let (_, secret) = try await store().make(draft(), at: Self.start)
        let text = String(decoding: try readFile(path), as: UTF8.self)
        #expect(!text.contains(secret))
        #expect(!text.contains(secret.dropFirst(6).prefix(20)))
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o600)
    }

    @Test func `a revoked token is unknown at once, and its number is not used again`() async throws {
        let store = try store()
        let (_, secret) = try await store.make(draft(), at: Self.start)
        #expect(try await store.revoke(1).name == "till-1")
        #expect(store.verify(secret, at: Self.start) == .unknown)
        #expect(!store.isCurrent(1, at: Self.start))
        let again = try self.store()
        #expect(again.verify(secret, at: Self.start) == .unknown)
        #expect(try await again.make(draft(), at: Self.start).token.id == 2)
        await #expect { try await again.revoke(1) } throws: { ($0 as? AccessError)?.code == .unknown }
    }

    @Test func `wrong secrets are told apart`() async throws {
        let store = try store()
        #expect(store.verify("", at: Self.start) == .malformed)
        #expect(store.verify("kiosk_x", at: Self.start) == .malformed)
        let other = try TemporaryFolder("tokens")
        let stranger = try await TokenStore(stateDirectory: other.path, logger: Logger(label: "test"))
            .make(draft(), at: Self.start).secret
        #expect(store.verify(stranger, at: Self.start) == .unknown)
    }

    @Test(arguments: [(-1, true), (59_999, true), (60_000, false), (60_001, false)])
    func `a token ends at its time`(_ milliseconds: Int64, _ isValid: Bool) async throws {
        let store = try store()
        let (_, secret) = try await store.make(
            draft(expiresAt: Self.start.advanced(bySeconds: 60)), at: Self.start.advanced(bySeconds: -1))
        let now = Timestamp(millisecondsSince1970: Self.start.millisecondsSince1970 + milliseconds)
        #expect((store.token(for: secret, at: now) != nil) == isValid)
        #expect(store.isCurrent(1, at: now) == isValid)
        if !isValid, case .expired(let token) = store.verify(secret, at: now) { #expect(token.id == 1) }
        // It stays in the list, where its owner sees why it does not work.
        #expect(store.list().map(\.id) == [1])
    }

    @Test func `the last use is kept, in the file once a minute at most`() async throws {
        let store = try store()
        let (_, secret) = try await store.make(draft(), at: Self.start)
        func written() throws -> Timestamp? { try self.store().list()[0].lastUsedAt }
        _ = store.verify(secret, at: Self.start.advanced(bySeconds: 1))
        try await eventually { try written() != nil }
        for second in [2, 30, 60] { _ = store.verify(secret, at: Self.start.advanced(bySeconds: second)) }
        // Behind everything that waits for its turn.
        _ = try? await store.revoke(99)
        #expect(try written() == Self.start.advanced(bySeconds: 1))
        #expect(store.list()[0].lastUsedAt == Self.start.advanced(bySeconds: 60))
        _ = store.verify(secret, at: Self.start.advanced(bySeconds: 61))
        _ = try? await store.revoke(99)
        #expect(try written() == Self.start.advanced(bySeconds: 61))
        _ = store.verify(secret, at: Self.start.advanced(bySeconds: 62))
        await store.flush()
        #expect(try written() == Self.start.advanced(bySeconds: 62))
    }

    @Test func `origins are normalized and allowed while a token names them`() async throws {
        let store = try store()
        let (token, _) = try await store.make(
            draft(origins: ["HTTPS://Till.example:443", "https://till.example", "http://localhost:3000"]),
            at: Self.start)
        #expect(token.origins == ["https://till.example", "http://localhost:3000"])
        #expect(store.isAllowed(origin: "https://till.example"))
        #expect(!store.isAllowed(origin: "http://till.example"))
        #expect(!store.isAllowed(origin: "null"))
        #expect(token.isUsable(from: nil))
        #expect(token.isUsable(from: "http://localhost:3000"))
        #expect(!token.isUsable(from: "https://other.example"))
        #expect(!token.isUsable(from: "null"))
        try await store.revoke(token.id)
        #expect(!store.isAllowed(origin: "https://till.example"))
    }

    @Test func `what is not valid is refused with the reason`() async throws {
        let store = try store()
        let bad: [(TokenDraft, String)] = [
            (draft(""), "1 to 64 bytes"), (draft("a\u{1B}[31m"), "control characters"), (draft(" a"), "spaces"),
            (draft(String(repeating: "a", count: 65)), "1 to 64 bytes"), (draft("a", []), "scopes"),
            (draft(expiresAt: Self.start), "is over"),
            (draft(expiresAt: Self.start.advanced(bySeconds: .max)), "more than 100 years"),
            (draft(origins: ["till.example"]), "is not an origin"),
            (draft("a", [.admin], origins: ["https://till.example"]), "cannot have the scope admin"),
            (draft(origins: (0...TokenStore.maximumOrigins).map { "https://t\($0)" }), "at most 32 origins"),
        ]
        for (draft, reason) in bad {
            await #expect {
                _ = try await store.make(draft, at: Self.start)
            } throws: { ($0 as? AccessError)?.code == .invalid && "\($0)".contains(reason) }
        }
        _ = try await store.make(draft(), at: Self.start)
        await #expect {
            _ = try await store.make(draft(), at: Self.start)
        } throws: { ($0 as? AccessError)?.code == .nameTaken }
        #expect(store.list().count == 1)
    }

    @Test func `a damaged file is an error, and stays as it is`() async throws {
        _ = try await store().make(draft(), at: Self.start)
        let whole = try readFile(path)
        let text = String(decoding: whole, as: UTF8.self)
        let cases = [
            Array(whole.prefix(whole.count / 2)), [], Array("null".utf8), Array("{}".utf8),
            Array(text.replacingOccurrences(of: "\"version\" : 1", with: "\"version\" : 2").utf8),
            Array(text.replacingOccurrences(of: "\"next-id\" : 2", with: "\"next-id\" : 1").utf8),
            Array(text.replacingOccurrences(of: "print:receipt", with: "everything").utf8),
            Array(text.replacingOccurrences(of: "\"sha256\" : \"", with: "\"sha256\" : \"x").utf8),
        ]
        for bytes in cases {
            try #require(bytes != whole)
            try folder.writePrivately(bytes, to: TokenStore.fileName)
            #expect {
                _ = try store()
            } throws: { error in
                (error as? AccessError)?.code == .damaged && "\(error)".contains(path) && "\(error)".contains("move it")
            }
            #expect(try readFile(path) == bytes)
        }
        try folder.writePrivately(whole, to: TokenStore.fileName)
        #expect(try store().list().count == 1)
    }

    @Test(arguments: [0o640 as mode_t, 0o604, 0o620, 0o666]) func `a file that others can read or change is refused`(
        _ mode: mode_t
    ) async throws {
        _ = try await store().make(draft(), at: Self.start)
        #expect(chmod(path, mode) == 0)
        #expect {
            _ = try store()
        } throws: { ($0 as? AccessError)?.code == .unprotected && "\($0)".contains("run: chmod 600 \(path)") }
    }

    @Test func `a token that cannot be stored does not count`() async throws {
        let store = try store()
        // A folder in the file's place: rename(2) fails also for root.
        #expect(mkdir(path, 0o700) == 0)
        try folder.write("x", to: "\(TokenStore.fileName)/x")
        await #expect {
            _ = try await store.make(draft(), at: Self.start)
        } throws: { ($0 as? AccessError)?.code == .storage }
        #expect(store.list().isEmpty)
    }

    @Test func `tokens made at the same time all stand in the file`() async throws {
        let store = try store()
        let secrets = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<20 {
                group.addTask { try await store.make(draft("till-\(number)"), at: Self.start).secret }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let again = try self.store()
        #expect(again.list().map(\.id) == Array(1...20))
        for secret in secrets { #expect(again.token(for: secret, at: Self.start) != nil) }
    }
}
