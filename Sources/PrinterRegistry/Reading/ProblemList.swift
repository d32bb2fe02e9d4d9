import PrintModel

/// The problems of one file as its reader finds them, and where each value stands.
struct ProblemList {
    let file: String
    /// Whether what stands in the file must not show in a problem.
    let isSecret: Bool
    private(set) var problems: [RegistryProblem]
    /// By path: `roles.receipt.printers.0`.
    private var positions: [String: TextPosition] = [:]

    init(file: String, problems: [RegistryProblem] = [], isSecret: Bool = false) {
        self.file = file
        self.isSecret = isSecret
        self.problems = problems
    }

    mutating func add(_ message: String, at position: TextPosition, instead: String) {
        guard problems.count < YAMLLimits.maximumProblems else { return }
        problems.append(
            RegistryProblem(
                file: file, line: position.line, column: position.column,
                message: message.withoutControlCharacters, instead: instead.withoutControlCharacters))
    }

    mutating func note(_ path: String, at position: TextPosition) { positions[path] = position }

    /// Adds broken rules at the places of their values, or of the nearest part above that stands in the file.
    mutating func add(_ violations: [RegistryRules.Violation]) {
        for violation in violations {
            add(violation.message, at: position(of: violation.path), instead: violation.instead)
        }
    }

    private func position(of path: String) -> TextPosition {
        var path = path[...]
        while true {
            if let position = positions[String(path)] { return position }
            guard let dot = path.lastIndex(of: ".") else { return .start }
            path = path[..<dot]
        }
    }

    /// In the file's order.
    var sorted: [RegistryProblem] {
        problems.enumerated().sorted {
            ($0.element.line, $0.element.column, $0.offset) < ($1.element.line, $1.element.column, $1.offset)
        }
        .map(\.element)
    }
}
