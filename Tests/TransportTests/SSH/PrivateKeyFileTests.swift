import Foundation
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskSSH

/// Keys in every form that the real ssh-keygen writes.
@Suite struct PrivateKeyFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("private-keys") }

    private func make(_ options: [String], passphrase: String) async throws -> String {
        let path = folder.appending("id")
        try await HostKeyFixtures.run(["-q"] + options + ["-N", passphrase, "-f", path])
        return path
    }

    @Test(
        arguments: [
            (["-t", "ed25519"], "ssh-ed25519"), (["-t", "ecdsa", "-b", "384"], "ecdsa-sha2-nistp384"),
            (["-t", "rsa"], "ssh-rsa"),
            (["-t", "rsa", "-m", "PEM"], "ssh-rsa"), (["-t", "ecdsa", "-m", "PEM"], nil),
            (["-t", "ecdsa", "-m", "PKCS8"], nil),
        ] as [([String], String?)])
    func `tells a key's type, and whether it wants a passphrase`(options: [String], algorithm: String?) async throws {
        for (passphrase, isEncrypted) in [("", false), ("correct horse", true)] {
            let path = try await make(options, passphrase: passphrase)
            let file = try PrivateKeyFile(readFile(path))
            #expect(file.algorithm == algorithm)
            #expect(file.isEncrypted == isEncrypted)
            let warning = try PrivateKeyFile.check(.init(path: path, passphrase: Secret("correct horse")))
            #expect((warning == nil) == (algorithm != "ssh-rsa" || PrivateKeyFile.signsRSAWithSHA2))
            #expect(warning?.contains("ssh-keygen -t ed25519") != false)
            if isEncrypted {
                #expect(
                    problem(.init(path: path))
                        == "the private key DIR/id wants a passphrase; write passphrase: … beside private-key:")
            }
            for name in ["id", "id.pub"] { #expect(unlink(folder.appending(name)) == 0) }
        }
    }

    /// What is wrong with a key.
    private func problem(_ key: Credentials.PrivateKey) -> String? {
        do throws(SSHError) {
            _ = try PrivateKeyFile.check(key)
            return nil
        } catch {
            #expect(error.code == .credentialsUnusable)
            return error.reason.replacingOccurrences(of: folder.path, with: "DIR")
        }
    }

    private static let begin = "-----BEGIN OPENSSH PRIVATE KEY-----\n"
    private static let end = "-----END OPENSSH PRIVATE KEY-----\n"

    @Test(arguments: [
        ("", "holds no private key; make one with: ssh-keygen -t ed25519"),
        ("hunter2\n", "holds no private key; make one with: ssh-keygen -t ed25519"),
        ("ssh-ed25519 AAAA hunter2", "is the public key; name the file of the private one, which has no .pub"),
        (
            "PuTTY-User-Key-File-3: ssh-ed25519\nhunter2",
            "is in PuTTY's form; convert it with: puttygen KEY -O private-openssh -o NEW"
        ),
        ("\(begin)hunter2", "ends in the middle; copy it again"),
        ("\(begin)hunter2\n\(end)", "is damaged; copy it again"),
        ("\(begin)\(end)", "is damaged; copy it again"),
        ("\(begin)b3BlbnNzaC1rZXktdjEA\n\(end)", "is damaged; copy it again"),
        (
            "-----BEGIN DSA PRIVATE KEY-----\nhunter2\n-----END DSA PRIVATE KEY-----",
            "holds another kind of key than SSH servers accept; make one with: ssh-keygen -t ed25519"
        ),
        (
            "-----BEGIN CERTIFICATE-----\nhunter2\n-----END CERTIFICATE-----",
            "holds another kind of key than SSH servers accept; make one with: ssh-keygen -t ed25519"
        ),
        (String(repeating: "hunter2", count: 10_000), "is longer than 65536 octets, and so holds no key"),
    ])
    func `says what a file is that cannot log in, and nothing of what stands in it`(text: String, words: String) throws
    {
        let path = try folder.write(text, to: "id")
        #expect(problem(.init(path: path, passphrase: Secret("hunter2"))) == "the private key DIR/id \(words)")
    }

    @Test func `a key that a device keeps is told from one that can log in`() throws {
        func string(_ text: [UInt8]) -> [UInt8] { [0, 0, 0, UInt8(text.count)] + text }
        let publicKey = string(Array("sk-ssh-ed25519@openssh.com".utf8)) + [0, 0, 0, 1, 65]
        let none = string(Array("none".utf8))
        let octets = Array("openssh-key-v1\0".utf8) + none + none + string([]) + [0, 0, 0, 1] + string(publicKey)
        let text = "\(Self.begin)\(Base64.encode(octets))\n\(Self.end)"
        #expect(
            problem(.init(path: try folder.write(text, to: "id")))
                == "the private key DIR/id is of the type sk-ssh-ed25519@openssh.com, which cannot log in from a file "
                + "here; make another with: ssh-keygen -t ed25519"
        )
    }

    @Test func `a file that is not there is named`() {
        #expect(
            problem(.init(path: folder.appending("gone")))
                == "the private key DIR/gone cannot be opened (No such file or directory)")
    }
}
