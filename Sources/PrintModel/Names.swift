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

    package static func isWellFormed(_ text: String) -> Bool {
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

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let name = Self(rawValue: text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\"\(text)\" is not a kebab-case name"
            )
        }
        self = name
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

/// What programs print to: `receipt`, `label`, `document`, or the site's own (`kitchen`, `baggage-tag`).
public struct RoleName: KebabCaseName {
    public let rawValue: String
    public init?(rawValue: String) {
        guard Self.isWellFormed(rawValue) else { return nil }
        self.rawValue = rawValue
    }
}

/// What a site calls one of its saved printers: `till-1`, `back-office`.
public struct PrinterID: KebabCaseName {
    public let rawValue: String
    public init?(rawValue: String) {
        guard Self.isWellFormed(rawValue) else { return nil }
        self.rawValue = rawValue
    }
}

extension RoleName: ExpressibleByStringLiteral {
    /// For names that stand in the program's text; a text from elsewhere goes through `init(rawValue:)`.
    public init(stringLiteral text: StaticString) {
        let text = text.description
        precondition(Self.isWellFormed(text), "\"\(text)\" is not a kebab-case name")
        rawValue = text
    }
}

extension PrinterID: ExpressibleByStringLiteral {
    /// For names that stand in the program's text; a text from elsewhere goes through `init(rawValue:)`.
    public init(stringLiteral text: StaticString) {
        let text = text.description
        precondition(Self.isWellFormed(text), "\"\(text)\" is not a kebab-case name")
        rawValue = text
    }
}
