package import KioskPrintModel

/// The readable part of an export: printers, roles and trust, without a secret.
package struct ExportDocument: Hashable, Sendable, Codable {
    /// When it was made.
    package var createdAt: Timestamp
    /// The version of the daemon that made it.
    package var createdBy: String
    /// The name of the machine, for people.
    package var host: String
    /// The saved printers, by id.
    package var printers: [String: PrinterChange]
    /// The roles, by name.
    package var roles: [String: RoleChange]
    /// The CA and known_hosts files that `trust` of the printers names, by path.
    package var trustFiles: [String: String]
    /// The names of the printers' logins. What stands behind them is among the secrets, or nowhere.
    package var logins: [String]
    /// What could not be read, and why.
    package var leftOut: [String]
    /// Whether the encrypted block belongs to the file: so a file shows that it was cut off before it.
    package var hasSecrets: Bool

    package init(
        createdAt: Timestamp, createdBy: String, host: String, printers: [String: PrinterChange] = [:],
        roles: [String: RoleChange] = [:], trustFiles: [String: String] = [:], logins: [String] = [],
        leftOut: [String] = [], hasSecrets: Bool = false
    ) {
        self.createdAt = createdAt
        self.createdBy = createdBy
        self.host = host
        self.printers = printers
        self.roles = roles
        self.trustFiles = trustFiles
        self.logins = logins
        self.leftOut = leftOut
        self.hasSecrets = hasSecrets
    }

    /// The first keys of every version, which tell what the rest is.
    private struct Head: Decodable {
        var format: String?
        var version: Int?
    }

    private static let format = "kioskd-export"
    private static let version = 1

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case format, version, host, printers, roles, logins
        case createdAt = "created-at"
        case createdBy = "created-by"
        case trustFiles = "trust-files"
        case leftOut = "left-out"
        case hasSecrets = "secrets"
    }

    package init(from decoder: any Decoder) throws {
        let head = try Head(from: decoder)
        func refusal(_ text: String) -> DecodingError {
            .dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: text))
        }
        guard head.format == Self.format, let version = head.version else {
            throw refusal("it is not an export of kioskd; make one with: kioskctl export")
        }
        guard version <= Self.version else {
            throw refusal(
                "it is of version \(version), and this kioskd reads up to \(Self.version); install a newer kioskd")
        }
        guard version == Self.version else { throw refusal("there is no version \(version) of exports") }
        try decoder.refuseKeys(besides: CodingKeys.allCases.map(\.rawValue))
        let container = try decoder.container(keyedBy: CodingKeys.self)
        createdAt = try container.decode(Timestamp.self, forKey: .createdAt)
        createdBy = try container.decode(String.self, forKey: .createdBy)
        host = try container.decode(String.self, forKey: .host)
        printers = try container.decode([String: PrinterChange].self, forKey: .printers)
        roles = try container.decode([String: RoleChange].self, forKey: .roles)
        trustFiles = try container.decode([String: String].self, forKey: .trustFiles)
        logins = try container.decode([String].self, forKey: .logins)
        leftOut = try container.decode([String].self, forKey: .leftOut)
        hasSecrets = try container.decode(Bool.self, forKey: .hasSecrets)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.format, forKey: .format)
        try container.encode(Self.version, forKey: .version)
        try container.encode(createdAt, forKey: .createdAt)
        try container.encode(createdBy, forKey: .createdBy)
        try container.encode(host, forKey: .host)
        try container.encode(printers, forKey: .printers)
        try container.encode(roles, forKey: .roles)
        try container.encode(trustFiles, forKey: .trustFiles)
        try container.encode(logins, forKey: .logins)
        try container.encode(leftOut, forKey: .leftOut)
        try container.encode(hasSecrets, forKey: .hasSecrets)
    }
}

extension ExportDocument {
    /// The line that begins the encrypted block behind the readable part.
    package static let secretsBegin = "-----BEGIN KIOSKD SECRETS-----\n"

    /// Reads the readable part of an export file, whose length the caller has bounded. Throws a `Problem`.
    package init(readablePartOf file: [UInt8]) throws {
        let end = Self.readableLength(of: file)
        try JSONStructure.check(file[..<end], maximumCount: Self.maximumValues)
        guard (try? APIJSON.decode(Head.self, from: file[..<end])) != nil else {
            throw Problem(
                .exportRefused,
                detail: "it is not the JSON that kioskctl export writes, or was cut off; bring back an unchanged copy")
        }
        self = try APIJSON.decode(ExportDocument.self, from: file[..<end])
        guard hasSecrets == (end < file.count) else {
            throw Problem(
                .exportRefused,
                detail: hasSecrets
                    ? "its secrets are missing: the file was cut off; bring back an unchanged copy"
                    : "there are secrets in it that do not belong to it; bring back an unchanged copy")
        }
    }

    /// The length of the readable part in bytes: up to the line that begins the encrypted block.
    package static func readableLength(of file: [UInt8]) -> Int {
        let mark = Array(secretsBegin.utf8)
        var start = 0
        // At the beginning of a line: a string in the JSON has no line feed.
        while start < file.count {
            if file[start...].starts(with: mark) { return start }
            guard let lineEnd = file[start...].firstIndex(of: UInt8(ascii: "\n")) else { break }
            start = lineEnd + 1
        }
        return file.count
    }

    /// `3 printers, 1 role`
    package var summary: String { "\(Self.count(printers.count, "printer")), \(Self.count(roles.count, "role"))" }

    /// `1 token`, `2 tokens`
    package static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    /// Values of the JSON: more than a registry of the longest text has.
    package static let maximumValues = 400_000
}

/// The body of `POST /v1/export`: an export with secrets.
package struct ExportRequest: Hashable, Sendable, Codable {
    /// What the secrets are encrypted with.
    package var passphrase: String

    package init(passphrase: String) { self.passphrase = passphrase }

    private enum CodingKeys: String, CodingKey, CaseIterable { case passphrase }

    package init(from decoder: any Decoder) throws {
        try decoder.refuseKeys(besides: CodingKeys.allCases.map(\.rawValue))
        passphrase = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .passphrase)
    }
}

/// The body of `POST /v1/import`.
package struct ImportRequest: Hashable, Sendable, Codable {
    /// The whole export file.
    package var export: String
    /// What its secrets are encrypted with; nil imports the readable part alone.
    package var passphrase: String?
    /// Whether what stands and differs is replaced; else it is kept.
    package var replaces: Bool
    /// Whether nothing is changed, and the report alone is made.
    package var isDryRun: Bool

    package init(export: String, passphrase: String? = nil, replaces: Bool = false, isDryRun: Bool = false) {
        self.export = export
        self.passphrase = passphrase
        self.replaces = replaces
        self.isDryRun = isDryRun
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case export, passphrase
        case replaces = "replace"
        case isDryRun = "dry-run"
    }

    package init(from decoder: any Decoder) throws {
        try decoder.refuseKeys(besides: CodingKeys.allCases.map(\.rawValue))
        let container = try decoder.container(keyedBy: CodingKeys.self)
        export = try container.decode(String.self, forKey: .export)
        passphrase = try container.decodeIfPresent(String.self, forKey: .passphrase)
        replaces = try container.decodeIfPresent(Bool.self, forKey: .replaces) ?? false
        isDryRun = try container.decodeIfPresent(Bool.self, forKey: .isDryRun) ?? false
    }
}

/// The response to `POST /v1/import`: what was, or would be, done.
package struct ImportReport: Hashable, Sendable, Codable {
    package var isDryRun: Bool
    /// Everything that the export holds, in the order in which it is imported.
    package var changes: [Change]
    /// What printing still needs here, and what to do.
    package var missing: [String]

    /// One thing, and what becomes of it.
    package struct Change: Hashable, Sendable, Codable {
        package var kind: Kind
        /// The printer's id, the role's or login's name, the file's path.
        package var name: String
        package var action: Action
        /// Why, or what differs.
        package var message: String?

        package init(_ kind: Kind, _ name: String, _ action: Action, _ message: String? = nil) {
            self.kind = kind
            self.name = name
            self.action = action
            self.message = message
        }
    }

    package enum Kind: String, Hashable, Sendable, Codable {
        case trustFile = "trust-file"
        case login, token, certificate, printer, role
    }

    package enum Action: String, Hashable, Sendable, Codable, CaseIterable {
        /// It was not there.
        case add
        /// It was there and different.
        case replace
        /// It was there and different, and stays.
        case keep
        /// It was there already.
        case same
        /// It cannot be used here.
        case skip
    }

    package init(isDryRun: Bool, changes: [Change] = [], missing: [String] = []) {
        self.isDryRun = isDryRun
        self.changes = changes
        self.missing = missing
    }

    private enum CodingKeys: String, CodingKey {
        case changes, missing
        case isDryRun = "dry-run"
    }
}
