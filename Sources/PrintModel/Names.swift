/// A kebab-case name that people give: lower-case letters and digits in words joined by single hyphens.
public protocol KebabCaseName: Hashable, Sendable, Codable, CustomStringConvertible, Comparable {
    var rawValue: String { get }
    init?(rawValue: String)
}

/// Long enough for any site, short enough for a path component, a log line and a table.
private let maximumNameLength = 63

extension KebabCaseName {
    public var description: String { rawValue }
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    fileprivate static func isWellFormed(_ text: String) -> Bool {
        guard (1...maximumNameLength).contains(text.utf8.count) else { return false }
        let words = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return words.allSatisfy { word in
            !word.isEmpty
                && word.allSatisfy {
                    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                }
        }
    }

    /// The text of a literal in source code; a malformed one is a programming error.
    fileprivate static func wellFormed(_ literal: StaticString) -> String {
        let text = literal.description
        precondition(isWellFormed(text), "\"\(text)\" is not a kebab-case name")
        return text
    }

    public init(from decoder: any Decoder) throws {
        self = try decoder.decodeText({ Self(rawValue: $0) }, problem: { "\"\($0)\" is not a kebab-case name" })
    }

    public func encode(to encoder: any Encoder) throws { try rawValue.encode(to: encoder) }
}

/// The name of a role, which programs print to: `receipt`, `label`, `document`, or the site's own (`kitchen`,
/// `baggage-tag`).
public struct RoleName: KebabCaseName {
    public let rawValue: String
    public init?(rawValue: String) {
        guard Self.isWellFormed(rawValue) else { return nil }
        self.rawValue = rawValue
    }
}

/// The id that a site gives to a saved printer: `till-1`, `back-office`.
public struct PrinterID: KebabCaseName {
    public let rawValue: String
    public init?(rawValue: String) {
        guard Self.isWellFormed(rawValue) else { return nil }
        self.rawValue = rawValue
    }
}

extension RoleName: ExpressibleByStringLiteral {
    /// A name in source code; read any other text with `init(rawValue:)`.
    public init(stringLiteral text: StaticString) {
        rawValue = Self.wellFormed(text)
    }
}

extension PrinterID: ExpressibleByStringLiteral {
    /// A name in source code; read any other text with `init(rawValue:)`.
    public init(stringLiteral text: StaticString) {
        rawValue = Self.wellFormed(text)
    }
}
