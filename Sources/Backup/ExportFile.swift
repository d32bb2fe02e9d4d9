import FoundationEssentials
package import KioskAPIMessages
package import KioskPrintModel

/// An export as a file: the readable part, JSON that a person can compare, and behind it, where secrets were asked for,
/// an encrypted block.
///
///     {
///       "format" : "kioskd-export", …
///     }
///     -----BEGIN KIOSKD SECRETS-----
///     Key: scrypt, ln=17, r=8, p=1, salt=0f…
///     Cipher: aes-256-gcm, nonce=5a…
///
///     bW9yZSB0aGFuIG9uZSBsaW5l…
///     -----END KIOSKD SECRETS-----
///
/// The block authenticates every byte before it, its own header among them: a readable part that somebody edited does
/// not open the secrets any more.
package struct ExportFile: Sendable {
    /// The readable part.
    package let document: ExportDocument
    /// The file's bytes up to the encrypted ones.
    private let associated: [UInt8]
    private let block: SealedBlock?

    /// Whether there are secrets.
    package var hasSecrets: Bool { block != nil }

    /// Reads a file, and nothing of its secrets. Throws a `Problem` or a `BackupError` that says what is wrong.
    package init(_ file: [UInt8]) throws {
        guard file.count <= APILimits.maximumExport else {
            throw BackupError(
                "it is longer than \(APILimits.maximumExport) bytes, and no export of kioskd is; name another file")
        }
        do {
            document = try ExportDocument(readablePartOf: file)
        } catch let problem as Problem {
            throw BackupError(problem.detail ?? problem.title)
        }
        let length = ExportDocument.readableLength(of: file)
        guard length < file.count else { (associated, block) = (file, nil); return }
        let block = try SealedBlock(file[length...])
        self.block = block
        associated = Array(file[..<length]) + Array(block.header.utf8)
    }

    /// The secrets. Throws where the passphrase is wrong or a byte of the file was changed, which nobody can tell apart.
    package func secrets(_ passphrase: Secret) throws(BackupError) -> ExportedSecrets {
        guard let block else {
            throw BackupError("it holds no secrets; make one that does with: kioskctl export --secrets")
        }
        let cipher = try PassphraseCipher(passphrase, salt: block.salt, cost: block.cost)
        guard let bytes = try cipher.decrypt(block.sealed, nonce: block.nonce, authenticating: associated) else {
            throw BackupError(
                "its secrets do not open: the passphrase is wrong, or the file was changed since it was exported, be it in its readable part; give the right one, or import without the secrets"
            )
        }
        do {
            try JSONStructure.check(bytes, maximumCount: ExportDocument.maximumValues)
            return try APIJSON.decode(ExportedSecrets.self, from: bytes)
        } catch {
            // No word of the content, which is secret.
            throw BackupError(
                "its secrets open, and are not those of an export of this version; install a newer kioskd")
        }
    }

    /// Writes an export without secrets.
    package static func bytes(of document: ExportDocument) throws -> [UInt8] {
        try checked(readable(document, hasSecrets: false))
    }

    /// Writes an export with secrets.
    package static func bytes(
        of document: ExportDocument, _ secrets: ExportedSecrets, passphrase: Secret,
        cost: PassphraseCipher.Cost = .standard
    ) throws -> [UInt8] {
        let allowed = APILimits.passphraseLength
        guard allowed.contains(passphrase.reveal().utf8.count) else {
            throw BackupError("a passphrase has \(allowed.lowerBound) to \(allowed.upperBound) bytes; choose another")
        }
        let readable = try readable(document, hasSecrets: true)
        var block = SealedBlock(
            cost: cost, salt: random(PassphraseCipher.saltLength), nonce: random(PassphraseCipher.nonceLength))
        let cipher = try PassphraseCipher(passphrase, salt: block.salt, cost: cost)
        block.sealed = try cipher.encrypt(
            APIJSON.encode(secrets), nonce: block.nonce, authenticating: readable + Array(block.header.utf8))
        return try checked(readable + Array(block.text.utf8))
    }

    private static func readable(_ document: ExportDocument, hasSecrets: Bool) throws -> [UInt8] {
        var document = document
        document.hasSecrets = hasSecrets
        return try APIJSON.encodePretty(document) + [UInt8(ascii: "\n")]
    }

    private static func checked(_ file: [UInt8]) throws(BackupError) -> [UInt8] {
        guard file.count <= APILimits.maximumExport else {
            throw BackupError(
                "the export would be longer than \(APILimits.maximumExport) bytes; shorten the CA and known_hosts files that printers name"
            )
        }
        return file
    }

    /// The system's random bytes.
    private static func random(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}

/// The encrypted block: its header's values, and the ciphertext with its tag.
private struct SealedBlock: Sendable {
    var cost: PassphraseCipher.Cost
    var salt: [UInt8]
    var nonce: [UInt8]
    var sealed: [UInt8] = []

    private static let end = "-----END KIOSKD SECRETS-----\n"
    /// RFC 7468 §2.
    private static let lineLength = 64

    init(cost: PassphraseCipher.Cost, salt: [UInt8], nonce: [UInt8]) {
        (self.cost, self.salt, self.nonce) = (cost, salt, nonce)
    }

    /// The lines before the ciphertext.
    var header: String {
        """
        \(ExportDocument.secretsBegin)Key: scrypt, ln=\(cost.logarithm), r=\(PassphraseCipher.Cost.blockSize), \
        p=\(PassphraseCipher.Cost.parallelization), salt=\(Self.hexadecimal(salt))
        Cipher: aes-256-gcm, nonce=\(Self.hexadecimal(nonce))


        """
    }

    var text: String {
        let base64 = Array(Data(sealed).base64EncodedString().utf8)
        let lines = stride(from: 0, to: base64.count, by: Self.lineLength).map { start in
            String(decoding: base64[start..<min(start + Self.lineLength, base64.count)], as: UTF8.self) + "\n"
        }
        return header + lines.joined() + Self.end
    }

    /// Reads a block. It has one form: whatever else is in it was changed.
    init(_ bytes: ArraySlice<UInt8>) throws(BackupError) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.count >= 6, let key = Self.values(lines[1], "Key: scrypt, "),
            let cipher = Self.values(lines[2], "Cipher: aes-256-gcm, "),
            let logarithm = key["ln"].flatMap({ Int($0) }), let salt = Self.bytes(key["salt"]),
            let nonce = Self.bytes(cipher["nonce"]), salt.count == PassphraseCipher.saltLength,
            nonce.count == PassphraseCipher.nonceLength,
            let sealed = Data(base64Encoded: Data(lines[4..<(lines.count - 2)].joined()))
        else { throw Self.damaged }
        guard PassphraseCipher.Cost.accepted.contains(logarithm) else {
            throw BackupError(
                "its key takes scrypt with ln=\(logarithm), and this kioskd takes \(PassphraseCipher.Cost.accepted); bring back an unchanged copy, or install a newer kioskd"
            )
        }
        self.init(cost: .init(logarithm: logarithm), salt: salt, nonce: nonce)
        self.sealed = Array(sealed)
        guard text.utf8.elementsEqual(bytes) else { throw Self.damaged }
    }

    private static var damaged: BackupError {
        BackupError("its encrypted block is damaged or cut off; bring back an unchanged copy")
    }

    /// The values of `key=value, key=value` behind a line's beginning.
    private static func values(_ line: ArraySlice<UInt8>, _ beginning: String) -> [String: String]? {
        guard line.starts(with: beginning.utf8), line.count <= 200 else { return nil }
        var values: [String: String] = [:]
        for part in String(decoding: line.dropFirst(beginning.utf8.count), as: UTF8.self).split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { return nil }
            values[String(pair[0].drop { $0 == " " })] = String(pair[1])
        }
        return values
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    private static func bytes(_ text: String?) -> [UInt8]? {
        guard let digits = text?.utf8.map({ Character(Unicode.Scalar($0)).hexDigitValue }), digits.count % 2 == 0
        else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return bytes
    }
}

/// Why an export cannot be made, read or imported. The message follows the file's name, or stands alone.
package struct BackupError: Error, Hashable, Sendable, CustomStringConvertible {
    package var message: String
    package var description: String { message }

    package init(_ message: String) { self.message = message }
}
