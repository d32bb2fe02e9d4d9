/// Why a document cannot be printed: anywhere, by this caller, or on one printer.
public struct DocumentProblem: Error, Hashable, Sendable, CustomStringConvertible {
    public var kind: Kind
    public var remark: DocumentRemark
    public var description: String { remark.description }

    public enum Kind: Hashable, Sendable {
        /// The document is not what its format asks for.
        case invalid
        case tooLarge
        /// The caller may not have it printed.
        case forbidden
        /// The printer cannot print it; another may.
        case unprintable
        /// It was given up half way, and nothing is said against it: it may be tried again.
        case interrupted
    }

    public init(_ kind: Kind, _ remark: DocumentRemark) {
        self.kind = kind
        self.remark = remark
    }
}

/// Something in a document that is wrong or not heeded, and where.
public struct DocumentRemark: Hashable, Sendable, CustomStringConvertible {
    /// From 1; nil where it concerns the whole.
    public var line: Int?
    /// In Unicode scalars, from 1.
    public var column: Int?
    /// As a sentence without an end.
    public var message: String
    /// What to do instead, as the rest of a sentence that begins with "write".
    public var instead: String?

    public init(line: Int? = nil, column: Int? = nil, message: String, instead: String? = nil) {
        self.line = line
        self.column = column
        self.message = message
        self.instead = instead
    }

    /// `7:5: the brace stands alone; write \{ for a brace in text`
    public var description: String {
        let place = [line, column].compactMap { $0.map { "\($0):" } }.joined()
        return (place.isEmpty ? "" : "\(place) ") + message + (instead.map { "; write \($0)" } ?? "")
    }
}
