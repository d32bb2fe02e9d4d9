import KioskPrintModel

/// The reason why a token, a code or a session cannot be made, or their files not be used.
package struct AccessError: Error, Hashable, Sendable, CustomStringConvertible {
    package var code: Code
    /// What happened and what to do, for people. Holds no secret.
    package var message: String

    package var description: String { message }

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message.withoutControlCharacters
    }

    /// The kind of an error.
    package struct Code: Hashable, Sendable {
        private enum Kind { case invalid, nameTaken, unknown, tooMany, storage, damaged, unprotected }
        private let kind: Kind

        /// A name, scope, origin or end is not valid.
        package static let invalid = Code(kind: .invalid)
        /// Another token has this name.
        package static let nameTaken = Code(kind: .nameTaken)
        /// There is no such token.
        package static let unknown = Code(kind: .unknown)
        /// There are as many as there may be.
        package static let tooMany = Code(kind: .tooMany)
        /// The file cannot be read or written.
        package static let storage = Code(kind: .storage)
        /// The file is not what was written.
        package static let damaged = Code(kind: .damaged)
        /// Others than the daemon's user can read or change the file.
        package static let unprotected = Code(kind: .unprotected)
    }
}
