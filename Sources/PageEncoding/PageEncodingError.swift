/// What keeps a page from being encoded.
package struct PageEncodingError: Error, Hashable, Sendable {
    /// The reason.
    package var code: Code
    /// A sentence without a full stop, for people.
    package var message: String

    /// Creates an error.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The kinds of errors.
    package struct Code: Hashable, Sendable {
        private enum Value: Hashable, Sendable { case unsupported, invalidSize, wrongRows, wrongOrder }
        private let value: Value
        private init(_ value: Value) { self.value = value }

        /// The language has no such pixels or paper.
        package static let unsupported = Code(.unsupported)
        /// The side is empty or too large.
        package static let invalidSize = Code(.invalidSize)
        /// More or fewer rows came than the side has, or shorter ones.
        package static let wrongRows = Code(.wrongRows)
        /// A call came before or after its time.
        package static let wrongOrder = Code(.wrongOrder)
    }
}
