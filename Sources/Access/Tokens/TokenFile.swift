import FoundationEssentials
import Glibc
import KioskDurableFiles
import KioskPrintModel

/// The content of `tokens.json`: what is known of each token and the SHA-256 digest of its secret.
struct TokenFile: Sendable, Codable {
    /// The file's format.
    var version = Self.currentVersion
    /// The number of the next token, so that none is used twice.
    var nextID: UInt32 = 1
    var tokens: [Entry] = []

    struct Entry: Sendable, Codable {
        var id: UInt32
        var name: String
        var scopes: [TokenScope]
        var createdAt: Timestamp
        var expiresAt: Timestamp?
        var lastUsedAt: Timestamp?
        var origins: [String]
        var createdBy: String
        /// In lower-case hexadecimal.
        var sha256: String

        enum CodingKeys: String, CodingKey {
            case id, name, scopes, origins, sha256
            case createdAt = "created-at"
            case expiresAt = "expires-at"
            case lastUsedAt = "last-used-at"
            case createdBy = "created-by"
        }

        init(_ token: AccessToken, sha256: String) {
            id = token.id
            name = token.name
            scopes = token.scopes.sorted()
            createdAt = token.createdAt
            expiresAt = token.expiresAt
            lastUsedAt = token.lastUsedAt
            origins = token.origins
            createdBy = token.createdBy
            self.sha256 = sha256
        }

        var token: AccessToken {
            AccessToken(
                id: id, name: name, scopes: Set(scopes), createdAt: createdAt, expiresAt: expiresAt,
                lastUsedAt: lastUsedAt, origins: origins, createdBy: createdBy)
        }
    }

    enum CodingKeys: String, CodingKey {
        case version, tokens
        case nextID = "next-id"
    }

    static let currentVersion = 1
    /// Bytes, for more than as many tokens as there may be.
    static let maximumLength = 4 << 20
}

extension TokenFile {
    /// Reads the file; empty where there is none. Throws where others can read or change it, and where it is damaged:
    /// tokens that are lost without a word would look as if nobody ever had any.
    static func read(_ path: String) throws(AccessError) -> TokenFile {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try AtomicFile.read(path, limit: maximumLength) { status throws(FileError) in
                try check(status, at: path)
            }
        } catch {
            if error.isNotFound { return TokenFile() }
            throw AccessError(error.operation == protection ? .unprotected : .storage, error.message)
        }
        let file: TokenFile
        do {
            file = try JSONDecoder().decode(TokenFile.self, from: Data(bytes))
        } catch {
            throw damaged(path, "it is not the JSON that kioskd writes")
        }
        try file.check(path)
        return file
    }

    /// Replaces the file durably.
    func write(to path: String) throws(AccessError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        guard let data = try? encoder.encode(self) else {
            throw AccessError(.storage, "cannot write \(path): its content cannot be encoded")
        }
        do throws(FileError) {
            try AtomicFile.replace(path, with: Array(data), permissions: 0o600)
        } catch {
            throw AccessError(.storage, error.message)
        }
    }

    private func check(_ path: String) throws(AccessError) {
        guard version == Self.currentVersion else {
            throw Self.damaged(path, "its version is \(version), and this kioskd reads \(Self.currentVersion)")
        }
        guard Set(tokens.map(\.id)).count == tokens.count, Set(tokens.map(\.sha256)).count == tokens.count,
            tokens.allSatisfy({ $0.id < nextID })
        else { throw Self.damaged(path, "two of its tokens have the same number or secret") }
        guard tokens.allSatisfy({ Self.isDigest($0.sha256) }) else {
            throw Self.damaged(path, "a sha256 in it is not 64 hexadecimal digits")
        }
    }

    /// Whether a text is a SHA-256 digest in lower-case hexadecimal.
    static func isDigest(_ text: String) -> Bool {
        let digits = Set("0123456789abcdef".utf8)
        return text.utf8.count == 64 && text.utf8.allSatisfy(digits.contains)
    }

    private static func damaged(_ path: String, _ why: String) -> AccessError {
        AccessError(
            .damaged,
            "cannot use \(path): \(why); bring back a copy, or move it away, and make new tokens with: kioskctl tokens add"
        )
    }

    /// The operation of errors that say that others could have read or changed the file.
    private static let protection = "trust"

    private static func check(_ status: stat, at path: String) throws(FileError) {
        func refusal(_ why: String) -> FileError {
            FileError(operation: protection, path: path, errno: EACCES, message: "cannot use \(path): \(why)")
        }
        guard status.st_uid == 0 || status.st_uid == geteuid() else {
            throw refusal(
                "it belongs to user \(status.st_uid), who is neither root nor the user that kioskd runs as; run: chown \(geteuid()) \(path)"
            )
        }
        guard status.st_mode & 0o077 == 0 else {
            let mode = String(status.st_mode & 0o7777, radix: 8)
            throw refusal(
                "users other than its owner can read or change it (mode 0\(mode)); run: chmod 600 \(path)")
        }
    }
}
