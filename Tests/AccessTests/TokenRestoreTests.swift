import Foundation
import KioskAccess
import KioskPrintModel
import KioskTestSupport
import Logging
import Testing

/// Tokens that come from another kiosk.
@Suite struct TokenRestoreTests {
    private static let now = Timestamp(millisecondsSince1970: 1_800_000_000_000)
    private let old: TemporaryFolder
    private let new: TemporaryFolder

    init() throws { (old, new) = (try TemporaryFolder("old"), try TemporaryFolder("new")) }

    private func store(_ folder: TemporaryFolder) throws -> TokenStore {
        try TokenStore(stateDirectory: folder.path, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func draft(_ name: String, _ scopes: Set<TokenScope> = [.read], expiresAt: Timestamp? = nil) -> TokenDraft {
        TokenDraft(
            name: name, scopes: scopes, expiresAt: expiresAt, origins: ["https://till.example"], createdBy: "uid:0")
    }

    private func outcomes(
        _ target: TokenStore, _ tokens: [StoredToken], replacing: Bool = false, isDryRun: Bool = false
    ) async throws -> [RestoredToken.Outcome] {
        try await target.restore(tokens, replacing: replacing, isDryRun: isDryRun, at: Self.now).map(\.outcome)
    }

    @Test func `a token keeps its secret and rights on the other kiosk, and after a restart there`() async throws {
        let source = try store(old)
        let secret = try await source.make(draft("till-1", [.printing(to: "receipt")]), at: Self.now).secret
        let target = try store(new)
        // The number is taken there.
        let other = try await target.make(draft("other"), at: Self.now).secret
        #expect(try await outcomes(target, source.stored(), isDryRun: true) == [.added])
        #expect(target.token(for: secret, at: Self.now) == nil)
        #expect(try await outcomes(target, source.stored()) == [.added])
        #expect(try await outcomes(target, source.stored()) == [.same])
        for store in [target, try store(new)] {
            let token = try #require(store.token(for: secret, at: Self.now))
            #expect(token.id == 2)
            #expect(token.scopes == [.printing(to: "receipt")])
            #expect(store.isAllowed(origin: "https://till.example"))
            #expect(store.token(for: other, at: Self.now)?.id == 1)
        }
        #expect(try await target.make(draft("third"), at: Self.now).token.id == 3)
    }

    @Test func `a namesake stays, or gives way where that is asked for`() async throws {
        let source = try store(old)
        let secret = try await source.make(draft("till-1"), at: Self.now).secret
        let target = try store(new)
        let present = try await target.make(draft("till-1"), at: Self.now).secret
        #expect(try await outcomes(target, source.stored()) == [.kept])
        #expect(target.token(for: present, at: Self.now) != nil)
        #expect(try await outcomes(target, source.stored(), replacing: true) == [.replaced])
        for store in [target, try store(new)] {
            #expect(store.token(for: present, at: Self.now) == nil)
            #expect(store.token(for: secret, at: Self.now)?.id == 2)
            #expect(!store.isCurrent(1, at: Self.now))
        }
    }

    @Test func `a token with other rights than here stays, or takes the exported ones and keeps its number`()
        async throws
    {
        let source = try store(old)
        let secret = try await source.make(draft("till-1"), at: Self.now).secret
        let target = try store(new)
        _ = try await outcomes(target, source.stored())
        var stored = source.stored()
        stored[0].token.scopes = [.print]
        #expect(try await outcomes(target, stored) == [.kept])
        #expect(target.token(for: secret, at: Self.now)?.scopes == [.read])
        #expect(try await outcomes(target, stored, replacing: true) == [.replaced])
        #expect(target.token(for: secret, at: Self.now)?.scopes == [.print])
        #expect(target.token(for: secret, at: Self.now)?.id == 1)
    }

    @Test func `an expired token is left out, and a broken one refuses all`() async throws {
        let source = try store(old)
        let end = Self.now.advanced(bySeconds: 60)
        _ = try await source.make(draft("soon", expiresAt: end), at: Self.now)
        let target = try store(new)
        let late = try await target.restore(source.stored(), replacing: false, at: end)
        #expect(late.map(\.outcome) == [.expired])
        var broken = source.stored() + source.stored()
        broken[1].token.name = "other"
        broken[1].sha256 = "00"
        await #expect(throws: AccessError.self) { try await outcomes(target, broken) }
        #expect(target.list().isEmpty)
    }

    @Test func `more tokens than there may be are refused as a whole`() async throws {
        let target = try store(new)
        let tokens = (0...TokenStore.maximumCount).map { number in
            let digits = String(number, radix: 16)
            return StoredToken(
                AccessToken(id: 0, name: "t\(number)", scopes: [.read], createdAt: Self.now, createdBy: "uid:0"),
                sha256: String(repeating: "0", count: 64 - digits.count) + digits)
        }
        await #expect(throws: AccessError.self) { try await outcomes(target, tokens) }
        #expect(target.list().isEmpty)
        #expect(try await outcomes(target, Array(tokens.dropLast())).count == TokenStore.maximumCount)
    }
}
