/// The reason why received octets are not an IPP message, and where they fail.
package struct IPPDecodingError: Error, Hashable, Sendable, CustomStringConvertible {
    package var code: Code
    /// The offset of the invalid field in octets from the start of the message.
    package var offset: Int
    /// What is wrong there: a sentence without the offset.
    package var message: String

    init(_ code: Code, at offset: Int, _ message: String) {
        self.code = code
        self.offset = offset
        self.message = message
    }

    package var description: String { "IPP message refused at byte \(offset): \(message)" }
}

extension IPPDecodingError {
    /// The kind of error. Compare it with the constants; later versions may add some.
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
        /// A tag that is not allowed here: a reserved delimiter, or an attribute before the first group.
        package static let invalidTag = Code(.invalidTag)
        /// A name that is not UTF-8, or a name where none is allowed.
        package static let invalidName = Code(.invalidName)
        /// A length that the syntax does not allow.
        package static let invalidLength = Code(.invalidLength)
        /// Octets that the syntax does not allow.
        package static let invalidValue = Code(.invalidValue)
        /// An additional value without an attribute.
        package static let strayValue = Code(.strayValue)
        /// Collection tags in an order that RFC 8010 §3.1.6 does not allow.
        package static let malformedCollection = Code(.malformedCollection)
    }
}
