package import KioskPrintModel

/// One right that a token grants: `print:receipt`, `print`, `read`, `drawer`, `raw`, `standby`, `admin`.
package struct TokenScope: Hashable, Sendable, RawRepresentable {
    /// The scope as people and files write it.
    package let rawValue: String

    /// Reads a scope strictly: nil for an unknown word, and where no role's name follows `print:`.
    package init?(rawValue: String) {
        guard Self.words.contains(rawValue) || Self.role(in: rawValue) != nil else { return nil }
        self.rawValue = rawValue
    }

    private init(word: String) { rawValue = word }

    /// Print to every role and printer.
    package static let print = TokenScope(word: "print")
    /// See printers, roles, profiles, health, and what everybody may see of jobs.
    package static let read = TokenScope(word: "read")
    /// Open drawers and sound buzzers with receipts.
    package static let drawer = TokenScope(word: "drawer")
    /// Send raw documents, and put raw commands into receipts, which can do all that a printer can.
    package static let raw = TokenScope(word: "raw")
    /// Keep jobs of another kiosk here, and ask what became of them: for that kiosk alone.
    package static let standby = TokenScope(word: "standby")
    /// Everything that an administrator may do.
    package static let admin = TokenScope(word: "admin")

    /// Print to one role.
    package static func printing(to role: RoleName) -> TokenScope { TokenScope(word: rolePrefix + role.rawValue) }

    /// The role of `print:ROLE`; nil for the other scopes.
    package var role: RoleName? { Self.role(in: rawValue) }

    /// The forms of scopes, for messages.
    package static let forms = "print:ROLE, print, read, drawer, raw, standby, admin"

    private static let words: Set<String> = ["print", "read", "drawer", "raw", "standby", "admin"]
    private static let rolePrefix = "print:"

    private static func role(in text: String) -> RoleName? {
        guard text.hasPrefix(rolePrefix) else { return nil }
        return RoleName(rawValue: String(text.dropFirst(rolePrefix.count)))
    }
}

extension TokenScope: CustomStringConvertible, Comparable, Codable {
    package var description: String { rawValue }

    /// Orders as text.
    package static func < (left: TokenScope, right: TokenScope) -> Bool { left.rawValue < right.rawValue }

    /// Decodes a scope; throws for a string that is none.
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let scope = TokenScope(rawValue: text) else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription:
                        "\"\(text.withoutControlCharacters.prefix(80))\" is not a scope; write one of \(Self.forms)"))
        }
        self = scope
    }

    package func encode(to encoder: any Encoder) throws { try rawValue.encode(to: encoder) }
}

extension Set<TokenScope> {
    /// Whether these scopes let a job be sent to a role; nil stands for a printer that is named directly.
    package func mayPrint(to role: RoleName?) -> Bool {
        contains(.admin) || contains(.print) || role.map { contains(.printing(to: $0)) } ?? false
    }

    /// Whether these scopes let anything be printed at all.
    package var mayPrintSomewhere: Bool {
        contains { $0 == .admin || $0 == .print || $0.role != nil }
    }
}
