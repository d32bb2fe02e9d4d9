/// Why a message cannot be put on the wire. Always a mistake of whoever built it.
package struct IPPEncodingError: Error, Hashable, Sendable, CustomStringConvertible {
    package var code: Code
    /// Name of the attribute concerned; nil when it is a group.
    package var attribute: String?
    package var message: String

    init(_ code: Code, attribute: String? = nil, _ message: String) {
        self.code = code
        self.attribute = attribute
        self.message = message
    }

    package var description: String {
        let subject = attribute.map { "attribute \"\($0)\"" } ?? "message"
        return "IPP \(subject) cannot be encoded: \(message)"
    }

    package struct Code: Hashable, Sendable {
        private enum Value: Hashable { case tooLong, noValues, noName, invalidTag, tooDeep }
        private let value: Value
        private init(_ value: Value) { self.value = value }

        /// A name or value exceeds the 32,767 octets that a length field can say (RFC 8010 §3.1.4).
        package static let tooLong = Code(.tooLong)
        package static let noValues = Code(.noValues)
        package static let noName = Code(.noName)
        /// A group or value tag that may not stand there.
        package static let invalidTag = Code(.invalidTag)
        /// Collections are nested more deeply than a receiver takes.
        package static let tooDeep = Code(.tooDeep)
    }
}
