/// One thing that a printer read: text, a command, or bytes that are neither.
package struct PaperEvent: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case text(String)
        /// `name` as the vendor's manual spells it, with its parameters; `meaning` in words.
        case command(name: String, parameters: String, meaning: String)
        /// Bytes that mean nothing to the printer.
        case unknown([UInt8])
    }

    /// The first byte's place.
    package var offset: Int
    package var kind: Kind
    /// The printer skipped it or could not do what it asks.
    package var isFault = false

    /// For people, and for tests to compare. Control characters of the text are shown escaped.
    package var line: String {
        let place = String(repeating: " ", count: max(0, 6 - String(offset).count)) + String(offset)
        let mark = isFault ? " ! " : "   "
        switch kind {
        case .text(let text): return place + mark + Self.quoted(text)
        case .unknown(let bytes): return place + mark + "unknown " + Self.hex(bytes)
        case .command(let name, let parameters, let meaning):
            let command = parameters.isEmpty ? name : name + " " + parameters
            let padding = String(repeating: " ", count: max(1, 30 - command.unicodeScalars.count))
            return place + mark + (meaning.isEmpty ? command : command + padding + meaning)
        }
    }

    /// Each scalar by itself, since combining ones would merge with the quote; those that a terminal would obey,
    /// escaped.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\" + String(scalar)
            case "\u{20}"..."\u{7E}": quoted.unicodeScalars.append(scalar)
            default:
                quoted +=
                    isPlain(scalar) ? String(scalar) : "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            }
        }
        return quoted + "\""
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }

    private static let shownBytes = 32

    static func hex(_ bytes: some Collection<UInt8>) -> String {
        let shown = bytes.prefix(shownBytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
        return shown.joined(separator: " ") + (bytes.count > shownBytes ? " … (\(bytes.count) bytes)" : "")
    }
}
