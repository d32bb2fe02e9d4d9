package import KioskDurableFiles

/// The reason why a registry could not be read, changed or saved.
public struct RegistryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of the error.
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

    /// The kind of failure. More may be added; compare with the constants.
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
            case versionNotFound = "version-not-found"
            case changedMeanwhile = "changed-meanwhile"
        }
        private let value: Value
        private init(_ value: Value) { self.value = value }

        public var description: String { value.rawValue }

        /// The file has errors; `problems` lists them.
        public static let invalidFile = Code(.invalidFile)
        /// A printer or role to be saved violates a rule.
        public static let invalidValue = Code(.invalidValue)
        /// No saved printer has this id.
        public static let printerNotFound = Code(.printerNotFound)
        /// No role has this name.
        public static let roleNotFound = Code(.roleNotFound)
        /// Roles still name the printer that was to be removed.
        public static let printerInUse = Code(.printerInUse)
        /// The change does not fit into the file without rewriting what a person wrote.
        public static let notExpressible = Code(.notExpressible)
        /// The file could not be read or written.
        public static let fileFailure = Code(.fileFailure)
        /// Users other than root and this program's user could have changed or created the file.
        public static let unprotected = Code(.unprotected)
        /// No version of this number is kept.
        public static let versionNotFound = Code(.versionNotFound)
        /// The registry was changed after the caller last read it.
        public static let changedMeanwhile = Code(.changedMeanwhile)
    }
}

/// A problem of a registry or profile file, and what to write instead.
public struct RegistryProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file's path as it was given.
    public var file: String
    /// The line, from 1; 0 where the problem concerns the whole file.
    public var line: Int
    /// The column in Unicode scalars, from 1; 0 where the problem concerns the whole file.
    public var column: Int
    /// What is wrong.
    public var message: String
    /// What to write instead, as the rest of a sentence that begins with "write".
    public var instead: String

    public init(file: String, line: Int, column: Int, message: String, instead: String) {
        self.file = file
        self.line = line
        self.column = column
        self.message = message
        self.instead = instead
    }

    /// `printers.yaml:7:5: the key "nmae" is not known here; write name`
    public var description: String {
        let place = line > 0 ? "\(file):\(line):\(column)" : file
        return "\(place): \(message); write \(instead)"
    }
}

/// Suggests the nearest of the allowed words ("did you mean").
enum Suggestion {
    /// The words to write instead: those that begin with `word`, else the nearest one, else all of them; `otherwise`
    /// where there are none, or too many.
    static func instead(of word: String, among words: [String], otherwise: String) -> String {
        let completions = word.isEmpty ? [] : words.filter { $0.hasPrefix(word) }
        if !completions.isEmpty { return completions.joined(separator: " or ") }
        if let near = nearest(to: word, among: words) { return near }
        // More would hide the message.
        guard words.count <= 20 else { return otherwise }
        return words.isEmpty ? otherwise : "one of \(words.joined(separator: ", "))"
    }

    /// The word that needs the fewest changes, when at most a third of its letters must change.
    private static func nearest(to word: String, among words: [String]) -> String? {
        // Longer than any allowed word; computing the distance takes the product of the lengths.
        guard word.utf8.count <= 64 else { return nil }
        let letters = Array(word.lowercased().utf8)
        let candidates = words.map { (word: $0, distance: distance(letters, Array($0.utf8))) }
        guard let best = candidates.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, best.word.utf8.count / 3) ? best.word : nil
    }

    /// The number of insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for (i, a) in left.enumerated() {
            var row = [i + 1]
            for (j, b) in right.enumerated() {
                var cost = min(row[j] + 1, last[j + 1] + 1, last[j] + (a == b ? 0 : 1))
                if i > 0, j > 0, a == right[j - 1], left[i - 1] == b { cost = min(cost, beforeLast[j - 1] + 1) }
                row.append(cost)
            }
            (beforeLast, last) = (last, row)
        }
        return last[right.count]
    }
}
