/// The result of a job: the events that the printer read, and the paper.
package struct PrintedPaper: Sendable {
    /// The events, in the order of the bytes.
    package var events: [PaperEvent]
    /// The paper from its start, with its margins. Dashed lines show the cuts.
    package var picture: Bitmap
    package var cuts: [PaperCut]
    /// Which of the picture's dots are red; nil where the paper is black and white.
    package var red: Bitmap?

    /// The events that a printer would have skipped or refused.
    package var faults: [PaperEvent] { events.filter(\.isFault) }

    /// The text alone.
    package var text: String {
        events.map { if case .text(let text) = $0.kind { text } else { "" } }.joined(separator: "\n")
    }

    /// A line for each event: where it begins, what it is, what it means.
    package var dump: String { events.map { $0.line + "\n" }.joined() }
}

/// One event of a job: text, a command, or bytes that are neither.
package struct PaperEvent: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case text(String)
        /// `name` as the vendor's manual spells it, with its parameters; `meaning` in words.
        case command(name: String, parameters: String, meaning: String)
        /// Bytes that mean nothing to the printer.
        case unknown([UInt8])
    }

    /// The offset of the first byte.
    package var offset: Int
    package var kind: Kind
    /// The printer skipped it or could not carry it out.
    package var isFault = false

    /// A line of the dump. Control characters are escaped.
    package var line: String {
        let position = String(repeating: " ", count: max(0, 6 - String(offset).count)) + String(offset)
        let mark = isFault ? " ! " : "   "
        switch kind {
        case .text(let text): return position + mark + Self.quoted(text)
        case .unknown(let bytes): return position + mark + "unknown " + Self.hex(bytes)
        case .command(let name, let parameters, let meaning):
            // A meaning names the job's own formats and fonts, by whatever bytes it calls them.
            let command = Self.escaped(parameters.isEmpty ? name : name + " " + parameters)
            let meaning = Self.escaped(meaning)
            let padding = String(repeating: " ", count: max(1, 30 - command.unicodeScalars.count))
            return position + mark + (meaning.isEmpty ? command : command + padding + meaning)
        }
    }

    /// The text in quotes, scalar by scalar, since combining ones would merge with the quote. Scalars that control a
    /// terminal are escaped.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\" + String(scalar)
            case "\u{20}"..."\u{7E}": quoted.unicodeScalars.append(scalar)
            default: quoted += escaped(scalar)
            }
        }
        return quoted + "\""
    }

    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.allSatisfy(isPlain) ? text : text.unicodeScalars.map(escaped).joined()
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        isPlain(scalar) ? String(scalar) : "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
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

/// The log of a job's events, bounded in number and length.
struct EventLog {
    private static let maximumEvents = 100_000
    private static let maximumTextLength = 4096
    private static let maximumRunLength = 64

    private(set) var events: [PaperEvent] = []
    private var text = String.UnicodeScalarView()
    private var textLength = 0
    private var textOffset = 0
    private var isFull: Bool { events.count >= Self.maximumEvents }

    /// Adds a character to the text before it, up to a limit.
    mutating func add(text scalar: Unicode.Scalar, at offset: Int) {
        if textLength == 0 { textOffset = offset }
        text.append(scalar)
        textLength += 1
        if textLength >= Self.maximumTextLength { endText() }
    }

    mutating func add(_ event: PaperEvent) {
        endText()
        guard !isFull else { return }
        events.append(event)
        if isFull {
            events.append(
                PaperEvent(
                    offset: event.offset, kind: .command(name: "…", parameters: "", meaning: "too much to list"),
                    isFault: true))
        }
    }

    /// Adds unknown bytes. Adjacent ones are one event, up to a limit.
    mutating func add(unknown bytes: some Collection<UInt8>, at offset: Int) {
        endText()
        if let last = events.last, case .unknown(let before) = last.kind, before.count < Self.maximumRunLength,
            last.offset + before.count == offset, !isFull
        {
            events[events.count - 1].kind = .unknown(before + bytes)
        } else {
            add(PaperEvent(offset: offset, kind: .unknown(Array(bytes)), isFault: true))
        }
    }

    mutating func endText() {
        guard textLength > 0 else { return }
        let whole = String(text)
        text = String.UnicodeScalarView()
        textLength = 0
        add(PaperEvent(offset: textOffset, kind: .text(whole)))
    }
}
