/// Why received octets are no IPP message, and where.
package struct IPPDecodingError: Error, Hashable, Sendable, CustomStringConvertible {
    package var code: Code
    /// Of the offending field, in octets from the message's first.
    package var offset: Int
    /// What is wrong there, as a sentence without the offset.
    package var message: String

    init(_ code: Code, at offset: Int, _ message: String) {
        self.code = code
        self.offset = offset
        self.message = message
    }

    package var description: String { "IPP message refused at byte \(offset): \(message)" }
}

extension IPPDecodingError {
    /// Compare with the constants; there may be more of them one day.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String, Hashable {
            case truncated, limitExceeded, invalidTag, invalidName, invalidLength, invalidValue
            case strayValue, malformedCollection
        }
        private let value: Value
        private init(_ value: Value) { self.value = value }

        package var description: String { value.rawValue }

        /// The input ended before the end-of-attributes tag.
        package static let truncated = Code(.truncated)
        /// One of `IPPLimits` is exceeded.
        package static let limitExceeded = Code(.limitExceeded)
        /// A tag that may not stand here: a reserved delimiter, or an attribute before the first group.
        package static let invalidTag = Code(.invalidTag)
        /// A name that is not UTF-8, or one where none may stand.
        package static let invalidName = Code(.invalidName)
        /// A length that its syntax does not allow.
        package static let invalidLength = Code(.invalidLength)
        /// Octets that their syntax does not allow.
        package static let invalidValue = Code(.invalidValue)
        /// An additional value without an attribute to belong to.
        package static let strayValue = Code(.strayValue)
        /// Tags of a collection in an order that RFC 8010 §3.1.6 does not allow.
        package static let malformedCollection = Code(.malformedCollection)
    }
}
