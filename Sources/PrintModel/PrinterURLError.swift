/// Why a text is no printer URL, and what to write instead.
public struct PrinterURLError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, as the rest of a sentence that begins with "the URL is refused: ".
    public let reason: String
    /// What to write instead.
    public let instead: String

    init(_ reason: String, instead: String) {
        self.reason = reason
        self.instead = instead
    }

    public var description: String { "\(reason); write \(instead)" }
}
