/// Reads the text of a cell, with its toggles and escapes.
struct MarkupText {
    private(set) var spans: [TextSpan] = []
    private var style = TextStyle()
    /// The run of carets in effect: 0 is none, 1 is wide, 2 is high, and from 3 on it is one more than both scales.
    private var carets = 0
    private var text: [UInt8] = []

    /// The spans of a cell, whose bytes must be valid UTF-8.
    static func spans(_ cell: ArraySlice<UInt8>) -> [TextSpan] {
        var reader = MarkupText()
        reader.read(cell)
        return reader.spans
    }

    private mutating func read(_ cell: ArraySlice<UInt8>) {
        text.reserveCapacity(cell.count)
        var index = cell.startIndex
        while index < cell.endIndex {
            let byte = cell[index]
            switch byte {
            case MarkupSyntax.backslash:
                index = MarkupEscape.read(cell, at: index, in: .text) { text += $0 }
                continue
            case MarkupSyntax.tilde: text.append(0x20)
            case MarkupSyntax.underline: toggle { $0.underline.toggle() }
            case MarkupSyntax.quote: toggle { $0.emphasis.toggle() }
            case MarkupSyntax.backquote: toggle { $0.invert.toggle() }
            case MarkupSyntax.caret:
                let run = cell[index...].prefix { $0 == MarkupSyntax.caret }.count
                scale(min(run, Self.maximumCarets))
                index += run
                continue
            // U+0080 to U+009F are control characters too.
            case 0xC2 where index + 1 < cell.endIndex && cell[index + 1] < 0xA0: index += 1
            default: if !byte.isControl { text.append(byte) }
            }
            index += 1
        }
        flush()
    }

    /// Seven carets magnify six times in both directions. More carets mean the same.
    private static let maximumCarets = 7

    private mutating func scale(_ run: Int) {
        carets = carets == run ? 0 : run
        let (width, height) =
            switch carets {
            case 0: (1, 1)
            case 1: (2, 1)
            case 2: (1, 2)
            default: (carets - 1, carets - 1)
            }
        toggle {
            $0.width = width
            $0.height = height
        }
    }

    private mutating func toggle(_ change: (inout TextStyle) -> Void) {
        flush()
        change(&style)
    }

    private mutating func flush() {
        guard !text.isEmpty else { return }
        let string = String(decoding: text, as: UTF8.self)
        text.removeAll(keepingCapacity: true)
        // A toggle that is undone at once does not begin another span.
        if let last = spans.last, last.style == style {
            spans[spans.count - 1].text += string
        } else {
            spans.append(TextSpan(string, style))
        }
    }
}
