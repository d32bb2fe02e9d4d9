import PrintModel
import SSH

extension RemoteResult {
    /// What a program said, on one line fit for people and not too long: its errors, else its output.
    var words: String {
        let octets = errorOutput.isEmpty ? output : errorOutput
        let text = String(decoding: octets.prefix(4096), as: UTF8.self)
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ").withoutControlCharacters
        let cut = words.prefix(utf8Count: 300)
        return cut == words ? words : "\(cut)…"
    }

    /// The same behind a colon; nothing where it said nothing.
    var saying: String { words.isEmpty ? "" : ": \(words)" }
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
