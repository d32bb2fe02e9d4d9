import PrintModel
import SSH

extension RemoteResult {
    /// What a program said, on one line fit for people and not too long: its errors, else its output.
    var words: String {
        let errors = Self.own(errorOutput)
        let text = (errors.isEmpty ? Self.own(output) : errors).prefix(utf8Count: 4096)
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ").withoutControlCharacters
        let cut = words.prefix(utf8Count: 300)
        return cut == words ? words : "\(cut)…"
    }

    /// The same behind a colon; nothing where it said nothing.
    var saying: String { words.isEmpty ? "" : ": \(words)" }

    /// Whether the script came as far as `lpr`.
    var hasReachedLpr: Bool { [output, errorOutput].contains { Self.mark(in: Self.lines($0)) != nil } }

    /// What `lpr` said, beginning with its errors; nothing that the login said before it.
    var lprWords: String {
        guard hasReachedLpr else { return "" }
        return (Self.own(errorOutput) + "\n" + Self.own(output)).prefix(utf8Count: 16 * 1024)
    }

    /// What comes behind the mark; all of it where there is none.
    private static func own(_ octets: [UInt8]) -> String {
        let lines = lines(octets)
        return lines.dropFirst(mark(in: lines).map { $0 + 1 } ?? 0).joined(separator: "\n")
    }

    private static func mark(in lines: [Substring]) -> Int? { lines.firstIndex(of: Substring(ShellScript.lprMark)) }

    private static func lines(_ octets: [UInt8]) -> [Substring] {
        String(decoding: octets, as: UTF8.self).split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    }
}

extension RemoteResult.Exit: CustomStringConvertible {
    package var description: String {
        switch self {
        case .status(let status): "exit status \(status)"
        case .signal(let name): "ended by signal \(name.withoutControlCharacters.prefix(utf8Count: 20))"
        case .unknown: "the host did not say how it ended"
        }
    }

    var native: TransportError.NativeCode? {
        switch self {
        case .status(let status): .exitStatus(Int(status))
        case .signal(let name): .exitSignal(name)
        case .unknown: nil
        }
    }
}
