/// What went wrong with a request: RFC 9457 problem details, `application/problem+json`.
public struct Problem: Error, Hashable, Sendable, Codable {
    /// A URI that names the kind of problem; it follows from `code`.
    public var type: String
    /// The kind of problem in a few words, the same for every occurrence.
    public var title: String
    /// The HTTP status code.
    public var status: Int
    /// What happened this time, and what to do; for people.
    public var detail: String?
    /// The path of what the problem is about.
    public var instance: String?
    /// The kind of problem as a stable kebab-case word, for programs.
    public var code: Code
    /// Each finding, where there are several: what is wrong in a registry file or a ticket.
    public var problems: [Finding]?

    /// One thing that is wrong, and where.
    public struct Finding: Hashable, Sendable, Codable {
        public var file: String?
        /// From 1.
        public var line: Int?
        /// From 1.
        public var column: Int?
        public var message: String
        /// What to write instead.
        public var instead: String?

        public init(
            file: String? = nil, line: Int? = nil, column: Int? = nil, message: String, instead: String? = nil
        ) {
            self.file = file
            self.line = line
            self.column = column
            self.message = message
            self.instead = instead
        }
    }

    /// `status` and `title` follow from the code.
    public init(_ code: Code, detail: String, instance: String? = nil, problems: [Finding]? = nil) {
        self.type = "urn:kioskd:problem:\(code)"
        self.title = code.title
        self.status = code.status
        self.detail = detail
        self.instance = instance
        self.code = code
        self.problems = problems
    }
}

extension Problem: CustomStringConvertible {
    public var description: String { detail ?? title }
}

extension Problem.Finding: CustomStringConvertible {
    /// `printers.yaml:7:9: message; write …`
    public var description: String {
        var place = file ?? ""
        for number in [line, column].compactMap(\.self) { place += place.isEmpty ? "\(number)" : ":\(number)" }
        return (place.isEmpty ? "" : "\(place): ") + message + (instead.map { "; write \($0)" } ?? "")
    }
}
