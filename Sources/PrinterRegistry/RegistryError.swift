package import DurableFiles

/// Why a registry could not be read, changed or saved.
public struct RegistryError: Error, Hashable, Sendable, CustomStringConvertible {
    public var code: Code
    /// What happened, to which file, printer or role, and what to do next.
    public var message: String
    /// Every problem of the file, in the file's order; empty unless the code is `invalidFile`.
    public var problems: [RegistryProblem]

    public var description: String { message }

    package init(_ code: Code, message: String) {
        self.code = code
        self.message = message
        problems = []
    }

    package init(_ error: FileError) {
        self.init(error.isUnprotected ? .unprotected : .fileFailure, message: error.message)
    }

    /// The problems of a file; there is at least one.
    package init(problems: [RegistryProblem]) {
        code = .invalidFile
        message = problems.map(\.description).joined(separator: "\n")
        self.problems = problems
    }

    /// Grows with the registry; compare with the constants.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String, Hashable {
            case invalidFile = "invalid-file"
            case invalidValue = "invalid-value"
            case printerNotFound = "printer-not-found"
            case roleNotFound = "role-not-found"
            case printerInUse = "printer-in-use"
            case notExpressible = "not-expressible"
            case fileFailure = "file-failure"
            case unprotected
        }
        private let value: Value
        private init(_ value: Value) { self.value = value }

        public var description: String { value.rawValue }

        /// The file has errors; `problems` lists them.
        public static let invalidFile = Code(.invalidFile)
        /// A printer or role that was to be saved breaks a rule.
        public static let invalidValue = Code(.invalidValue)
        public static let printerNotFound = Code(.printerNotFound)
        public static let roleNotFound = Code(.roleNotFound)
        /// Roles still name the printer that was to be removed.
        public static let printerInUse = Code(.printerInUse)
        /// The change cannot be put into the file as it is written without touching what a person wrote.
        public static let notExpressible = Code(.notExpressible)
        /// The file could not be read or written.
        public static let fileFailure = Code(.fileFailure)
        /// Others than root and this program's user could have changed the file, or put it there.
        public static let unprotected = Code(.unprotected)
    }
}
