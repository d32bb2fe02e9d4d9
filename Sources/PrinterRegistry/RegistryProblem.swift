/// One thing that is wrong with a registry or profile file, and what to write instead.
public struct RegistryProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file's path as it was given.
    public var file: String
    /// From 1; 0 where the problem concerns the file as a whole.
    public var line: Int
    /// In Unicode scalars, from 1; 0 where the problem concerns the file as a whole.
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
