import Foundation
import KioskAPI
import KioskAPIMessages
import KioskPrintModel
import KioskTerminal
import KioskTestSupport
import Testing

@testable import kioskctl

/// The commands for tokens, logins and the audit: what they show and what they ask the daemon.
@Suite struct KioskctlAccessTests {
    private static let time = Timestamp(millisecondsSince1970: 1_800_000_000_000)
    private static let code = NewLoginCode(
        code: "7KQ2-XW9M", path: "/login#7KQ2-XW9M", expiresAt: time, user: "root")

    private func login(_ addresses: [String], _ names: [String] = []) -> AdminLogin {
        AdminLogin(Self.code, ServerInformation(version: "1", addresses: addresses, names: names))
    }

    @Test(arguments: [
        (["http://127.0.0.1:8631"], ["kiosk"], ["http://127.0.0.1:8631"]),
        (
            ["https://0.0.0.0:8631"], ["localhost", "kiosk.local", "192.0.2.7", "2001:db8::7"],
            [
                "https://kiosk.local:8631", "https://192.0.2.7:8631", "https://[2001:db8::7]:8631",
                "https://localhost:8631",
            ]
        ),
        (
            ["http://127.0.0.1:8631", "https://[::]:443", "https://0.0.0.0:443"], ["kiosk"],
            ["https://kiosk:443", "http://127.0.0.1:8631"]
        ),
    ])
    func `a link for each name, those of other machines first`(
        _ addresses: [String], _ names: [String], _ origins: [String]
    ) {
        #expect(login(addresses, names).links == origins.map { "\($0)/login#7KQ2-XW9M" })
    }

    @Test func `the link is shown, and printed as a QR code`() {
        let login = login(["https://0.0.0.0:8631"], ["kiosk_1.local"])
        #expect(
            AdminText.details(login, .plain) == """
                admin page
                  open         https://kiosk_1.local:8631/login#7KQ2-XW9M
                  code         7KQ2-XW9M
                  works until  2027-01-15T08:00:00.000Z, once
                  user         root

                """)
        let receipt = AdminText.receipt(login)
        #expect(receipt.contains("{code:https://kiosk\\_1.local:8631/login#7KQ2\\-XW9M; option:qrcode,5,m}\n"))
        #expect(receipt.contains("\n^^^7KQ2\\-XW9M\n"))
    }

    @Test func `tokens are shown in a table, with hostile names escaped`() {
        let tokens = [
            TokenDescription(
                id: 1, name: "till\u{1B}[2J", scopes: ["print:receipt", "drawer"], createdAt: Self.time,
                createdBy: "uid:0"),
            TokenDescription(
                id: 12, name: "b", scopes: ["read"], createdAt: Self.time, createdBy: "uid:0", expiresAt: Self.time,
                lastUsedAt: Self.time, isExpired: true),
        ]
        let lines = TokenText.table(tokens, .plain).split(separator: "\n").map { line in
            line.components(separatedBy: "  ").filter { !$0.isEmpty }.map { $0.trimmingCharacters(in: .whitespaces) }
        }
        #expect(
            lines == [
                ["ID", "NAME", "SCOPES", "ENDS", "LAST USED", "MADE BY"],
                ["1", #"till\u{1b}[2J"#, "print:receipt, drawer", "never", "never", "uid:0"],
                ["12", "b", "read", "expired", "2027-01-15T08:00:00.000Z", "uid:0"],
            ])
    }

    @Test func `the secret stands alone on standard output`() async throws {
        let made = NewToken(
            token: TokenDescription(
                id: 3, name: "till-1", scopes: ["read"], createdAt: Self.time, createdBy: "uid:0"),
            secret: "kiosk_secret")
        let server = try KioskctlProgram.server([try Samples.json(made)])
        let result = try await KioskctlProgram.run(["tokens", "add", "till-1", "--scope", "read"], server)
        #expect(result.end == .exited(0))
        #expect(result.standardOutput == "kiosk_secret\n")
        #expect(result.standardError.contains("token 3 (till-1) is made"))
    }

    @Test(arguments: [
        ["tokens", "add", "till-1"], ["tokens", "add", "--scope", "read"],
        ["tokens", "add", "a", "--scope", "read", "--expires", "soon"], ["audit", "--limit", "0"],
    ])
    func `a mistake is told before the daemon is asked`(_ arguments: [String]) async throws {
        #expect(try await KioskctlProgram.run(arguments).end == .exited(64))
    }

    @Test func `without a listener the page has no address, and no code is made`() async throws {
        let server = try KioskctlProgram.server([try Samples.json(ServerInformation(version: "1"))])
        let result = try await KioskctlProgram.run(["admin"], server)
        #expect(result.end == .exited(1))
        #expect(result.standardError.contains("--listen"))
    }
}
