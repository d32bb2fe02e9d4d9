/// A roll of paper with lines of text: characters fill a line until it is full, as on a receipt printer.
struct TextPaper {
    enum Alignment {
        case left, centre, right

        /// The parameter of ESC a.
        init(_ parameter: UInt8) {
            switch parameter {
            case 1, 49: self = .centre
            case 2, 50: self = .right
            default: self = .left
            }
        }
    }

    let columns: Int
    private(set) var items: [PaperItem] = []
    var alignment = Alignment.left
    /// The columns per character.
    var scale = 1
    private var line = ""
    private var width = 0

    init(columns: Int) { self.columns = max(1, columns) }

    mutating func reset() {
        alignment = .left
        scale = 1
    }

    mutating func add(_ text: String) {
        for character in text {
            let cells = character.terminalWidth * scale
            if width + cells > columns, width > 0 { endLine() }
            line.append(character)
            // A character that the printer widens is followed by spaces.
            let padding = character.terminalWidth * (scale - 1)
            line += String(repeating: " ", count: min(padding, max(0, columns - width - character.terminalWidth)))
            width += cells
        }
    }

    mutating func endLine(ifNotEmpty: Bool = false) {
        guard !ifNotEmpty || !line.isEmpty else { return }
        let room = max(0, columns - width)
        let indent =
            switch alignment {
            case .left: 0
            case .centre: room / 2
            case .right: room
            }
        items.append(.line(String(repeating: " ", count: indent) + line))
        line = ""
        width = 0
    }

    mutating func cut() {
        endLine(ifNotEmpty: true)
        items.append(.cut)
    }
}

extension Character {
    /// The columns on a terminal: 2 for East Asian wide characters and most emoji, otherwise 1.
    var terminalWidth: Int {
        guard let scalar = unicodeScalars.first?.value else { return 0 }
        switch scalar {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}

/// An item on paper, in order from top to bottom.
enum PaperItem: Hashable, Sendable {
    /// A line of text: aligned, not wider than the paper, and without control characters.
    case line(String)
    case cut
}
