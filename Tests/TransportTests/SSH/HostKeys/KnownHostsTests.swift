import Foundation
import KioskDigests
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskSSH

/// What OpenSSH's own ssh-keygen finds in a known_hosts file, we find.
@Suite struct KnownHostsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("known-hosts") }

    private func found(_ host: String, _ port: Int = 22, in path: String) throws -> [String] {
        try KnownHostsFile(path: path, isOptional: false).findings(for: host, port: port).told()
    }

    /// The output of ssh-keyscan.
    private static let scanned = """
        # print.example:22 SSH-2.0-OpenSSH_9.2p1 Debian-2
        print.example %RSA
        print.example %ED
        print.example %EC

        """

    private static func name(_ host: String, _ port: Int) -> String { port == 22 ? host : "[\(host)]:\(port)" }

    /// Lines with ED, ED2, EC and RSA for keys.
    private func write(_ text: String) async throws -> String {
        let keys = try await HostKeyFixtures.get()
        var text = text
        for (word, key) in [("%ED2", keys.other), ("%ED", keys.ed25519), ("%EC", keys.ecdsa), ("%RSA", keys.rsa)] {
            text = text.split(separator: word, omittingEmptySubsequences: false).joined(separator: key.text)
        }
        return try folder.write(text, to: "known_hosts")
    }

    @Test(arguments: [
        (scanned, 3),
        ("print.example,192.0.2.7 %ED a comment with spaces", 1), ("192.0.2.7,print.example\t%ED\tcomment\r\n", 1),
        ("  \t print.example   %ED", 1), ("\n\n#print.example %ED\n", 0), ("*.example %ED", 1), ("print.* %ED", 1),
        ("p?int.example %ED", 1), ("??? %ED", 0), ("*a* %ED", 1), ("**e %ED", 1), ("* %ED", 1),
        ("PRINT.Example %ED", 1),
        ("*.example,!print.example %ED", 0), ("!print.example,*.example %ED", 0), ("!other.example %ED", 0),
        ("!other.example,print.example %ED", 1), (",,print.example, %ED", 1), ("!,print.example %ED", 1),
        ("[print.example]:2222 %ED", 0), ("[print.example]:22 %ED", 0), ("print.example:22 %ED", 0),
        ("@revoked print.example %ED", 1), ("@revoked * %ED\nprint.example %ED", 2),
        ("@cert-authority *.example %ED", 0),
        ("@revoked @revoked print.example %ED", 0), ("@unknown print.example %ED", 0), ("@revoked", 0),
        ("@revoked ", 0),
        ("@revoked print.example", 0), ("print.example", 0), ("print.example ssh-ed25519", 0),
        ("print.example ssh-ed25519 AAAA", 0),
        ("print.example ssh-ed25519 #%ED", 0), ("print.example ssh-rsa %ED", 0),
        ("print.example 1024 35 12345678901234567890", 0),
        ("|1|abc|def %ED", 0), ("|2|AAAAAAAAAAAAAAAAAAAAAAAAAAA=|AAAAAAAAAAAAAAAAAAAAAAAAAAA= %ED", 0), ("| %ED", 0),
        (String(repeating: "x", count: 2000) + ",print.example %ED", 0),
        ("print.example,\(String(repeating: "x,", count: 2000)) %ED", 1),
        ("print.example %ED2\nother.example %ED\nprint.example %ED", 2), ("", 0),
    ])
    func `finds what ssh-keygen finds`(text: String, count: Int) async throws {
        let path = try await write(text)
        let found = try found("print.example", in: path)
        #expect(found.count == count)
        #expect(try await found == HostKeyFixtures.found("print.example", in: path))
    }

    @Test(arguments: [
        ("print.example", 22), ("print.example", 2222), ("192.0.2.7", 22), ("::1", 22), ("::1", 2222), ("other", 22),
    ])
    func `finds hashed names, with their ports`(host: String, port: Int) async throws {
        let path = try await write(
            """
            print.example,192.0.2.7 %ED
            [print.example]:2222 %EC
            @revoked print.example %RSA
            ::1 %ED2
            [::1]:2222 %RSA

            """)
        try await HostKeyFixtures.run(["-q", "-H", "-f", path])
        let hashed = String(decoding: try readFile(path), as: UTF8.self)
        #expect(!hashed.contains("print.example,192") && hashed.contains("|1|"))
        let found = try found(host, port, in: path)
        #expect(found.isEmpty == (host == "other"))
        #expect(try await found == HostKeyFixtures.found(Self.name(host, port), in: path))
    }

    @Test func `a revocation counts although a tab follows its marker`() async throws {
        let path = try await write("@revoked\tprint.example\t%ED")
        #expect(try found("print.example", in: path).map { $0.prefix(7) } == ["revoked"])
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `finds what ssh-keygen finds in files that nobody would write`(seed: UInt64) async throws {
        let keys = try await HostKeyFixtures.get()
        var random = KnownHostsGenerator(seed: seed, keys: keys.all.map(\.text))
        var total = 0
        for _ in 0..<rounds(3, long: 100) {
            let path = try folder.write(random.file(lines: 120), to: "known_hosts")
            for (host, port) in KnownHostsGenerator.hosts {
                let found = try found(host, port, in: path)
                total += found.count
                #expect(try await found == HostKeyFixtures.found(Self.name(host, port), in: path))
            }
        }
        #expect(total > 40, "so little is found that the files test little")
    }

    @Test func `HMAC-SHA1 is that of RFC 2202`() throws {
        let code = try MessageAuthenticationCode.sha1(
            key: [UInt8](repeating: 0x0B, count: 20), of: Array("Hi There".utf8))
        #expect(
            code == [
                0xB6, 0x17, 0x31, 0x86, 0x55, 0x05, 0x72, 0x64, 0xE2, 0x8B, 0xC0, 0xB6, 0xFB, 0x37, 0x8C, 0x8E, 0xF1,
                0x46, 0xBE, 0x00,
            ])
        #expect(try MessageAuthenticationCode.sha1(key: [], of: []).count == 20)
    }
}
