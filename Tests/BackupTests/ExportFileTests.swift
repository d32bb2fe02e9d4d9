import Foundation
import KioskAPIMessages
import KioskBackup
import KioskPrintModel
import Testing

@Suite struct ExportFileTests {
    private static let time = Timestamp(millisecondsSince1970: 1_800_000_000_000)
    private static let passphrase = Secret("correct horse battery staple")
    private static let password = "PASSWORD-7f3aa91c"
    private static let key = Data("PRIVATEKEY-0d6a17fe".utf8)

    private static func document() throws -> ExportDocument {
        var document = ExportDocument(createdAt: time, createdBy: "kioskd 0.1.0", host: "kiosk-7")
        let pin = Fingerprint(octets: Array(0..<32))!
        document.printers["office"] = PrinterChange(
            url: try PrinterURL("ipps://office.example/ipp/print"), credentials: "office", trust: .pinned([pin]))
        document.roles["document"] = RoleChange(printers: ["office"], pageLimit: 20)
        document.logins = ["office"]
        return document
    }

    private static let secrets = ExportedSecrets(
        logins: ["office": ExportedLogin(user: "kiosk", password: password, privateKey: key)],
        tokens: [
            ExportedToken(
                name: "till-1", scopes: ["print:receipt"], origins: [], createdAt: time, createdBy: "uid:0",
                expiresAt: nil, sha256: String(repeating: "0a", count: 32))
        ], certificate: ExportedCertificate(certificate: "CERTIFICATE", key: "KEY"))

    /// As small as is accepted, so that many can be opened.
    private static func sealed() throws -> [UInt8] {
        try ExportFile.bytes(of: document(), secrets, passphrase: passphrase, cost: .init(logarithm: 14))
    }

    private func refusal(_ file: [UInt8], _ passphrase: Secret? = Self.passphrase) -> String? {
        do {
            let export = try ExportFile(file)
            if let passphrase { _ = try export.secrets(passphrase) }
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func `an export without secrets is JSON that reads back`() throws {
        let bytes = try ExportFile.bytes(of: Self.document())
        #expect(try JSONSerialization.jsonObject(with: Data(bytes)) is [String: Any])
        let file = try ExportFile(bytes)
        #expect(try file.document == Self.document())
        #expect(!file.hasSecrets)
        #expect(refusal(bytes)?.contains("it holds no secrets") == true)
        // Equal states make equal files, but for the time: they can be compared.
        #expect(try ExportFile.bytes(of: Self.document()) == bytes)
    }

    @Test func `secrets open with the passphrase and stand nowhere in the file`() throws {
        let bytes = try ExportFile.bytes(of: Self.document(), Self.secrets, passphrase: Self.passphrase)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("\nKey: scrypt, ln=17, r=8, p=1, salt="))
        for secret in [Self.password, "PRIVATEKEY", Self.key.base64EncodedString(), "0a0a0a"] {
            #expect(!text.contains(secret))
        }
        let file = try ExportFile(bytes)
        #expect(file.hasSecrets)
        #expect(file.document.printers == (try Self.document().printers))
        #expect(try file.secrets(Self.passphrase) == Self.secrets)
    }

    @Test func `two exports of the same secrets share neither key nor nonce`() throws {
        let (one, two) = (try Self.sealed(), try Self.sealed())
        let length = ExportDocument.readableLength(of: one)
        #expect(one[..<length] == two[..<length])
        #expect(one != two)
    }

    @Test(arguments: [
        "correct horse battery stapl", "Correct horse battery staple", "", "correct horse battery staple ",
    ])
    func `a wrong passphrase is told as one`(_ wrong: String) throws {
        #expect(refusal(try Self.sealed(), Secret(wrong))?.contains("the passphrase is wrong") == true)
    }

    @Test(arguments: ["", "short", String(repeating: "x", count: 1001)])
    func `a passphrase that is none encrypts nothing`(_ passphrase: String) throws {
        #expect(throws: BackupError.self) {
            _ = try ExportFile.bytes(of: Self.document(), Self.secrets, passphrase: Secret(passphrase))
        }
    }

    @Test func `a changed byte anywhere is refused`() throws {
        let bytes = try Self.sealed()
        let block = ExportDocument.readableLength(of: bytes)
        // The readable part, every fifth byte; the block's header, every byte; the rest, every seventh, and the tag.
        let header = String(decoding: bytes[block...], as: UTF8.self).components(separatedBy: "\n\n")[0].utf8.count + 2
        let places =
            Array(stride(from: 0, to: block, by: 5)) + Array(block..<(block + header))
            + Array(stride(from: block + header, to: bytes.count, by: 7)) + Array((bytes.count - 60)..<bytes.count)
        for place in places {
            var changed = bytes
            changed[place] ^= 1
            #expect(refusal(changed) != nil, "byte \(place) of \(bytes.count)")
        }
    }

    @Test func `a file that was cut off is refused, wherever it ends`() throws {
        let bytes = try Self.sealed()
        let block = ExportDocument.readableLength(of: bytes)
        let lengths = Array(stride(from: 0, to: bytes.count, by: 11)) + [block - 1, block, block + 1, bytes.count - 1]
        for length in lengths { #expect(refusal(Array(bytes[..<length])) != nil, "\(length) of \(bytes.count)") }
        // Also where nobody opens the secrets.
        #expect(refusal(Array(bytes[..<block]), nil)?.contains("its secrets are missing") == true)
    }

    @Test(arguments: [
        ("\"version\" : 1", "\"version\" : 2", "it is of version 2, and this kioskd reads up to 1; install a newer"),
        ("\"version\" : 1", "\"version\" : 0", "there is no version 0"),
        ("kioskd-export", "other-export", "it is not an export of kioskd"),
        ("\"url\"", "\"urn\"", "the key \"urn\" is not known"),
        ("\"trust\"", "\"turst\"", "the key \"turst\" is not known"),
        ("\"left-out\"", "\"left-in\"", "the key \"left-in\" is not known"),
        ("ipps://office", "tin-can://office", "tin-can"),
        ("sha256:000102", "sha256:00010", "sha256"),
        ("\"host\" : \"kiosk-7\"", "\"host\" : 7", "\"host\" is of another type"),
    ])
    func `an export of another form is refused with what is wrong`(
        _ old: String, _ new: String, _ reason: String
    ) throws {
        let text = String(decoding: try ExportFile.bytes(of: Self.document()), as: UTF8.self)
        #expect(text.contains(old))
        let refusal = refusal(Array(text.replacingOccurrences(of: old, with: new).utf8), nil)
        #expect(refusal?.contains(reason) == true, "\(refusal ?? "accepted")")
    }

    @Test func `what is no export is refused`() throws {
        for text in ["", "{}", "[]", "null", "printers: []", "\u{0}", "-----BEGIN KIOSKD SECRETS-----\n"] {
            #expect(refusal(Array(text.utf8), nil) != nil, "\(text)")
        }
    }

    @Test func `a file that is too long, too deep or of too many values is refused before it is read`() throws {
        #expect(
            refusal([UInt8](repeating: 0x20, count: APILimits.maximumExport + 1), nil)?.contains("it is longer than")
                == true)
        #expect(refusal([UInt8](repeating: UInt8(ascii: "["), count: 1 << 20), nil)?.contains("nested") == true)
        #expect(refusal(Array("[\(String(repeating: "0,", count: 500_000))0]".utf8), nil)?.contains("values") == true)
    }

    @Test(arguments: [13, 19, 40, -1, 1 << 40])
    func `a key that would take too much memory, or too little, is refused unopened`(_ logarithm: Int) throws {
        let text = String(decoding: try Self.sealed(), as: UTF8.self)
        let changed = text.replacingOccurrences(of: "ln=14", with: "ln=\(logarithm)")
        #expect(refusal(Array(changed.utf8))?.contains("this kioskd takes 14...18") == true)
    }
}
