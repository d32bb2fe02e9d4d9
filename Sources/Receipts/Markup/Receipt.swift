/// A receipt or label as its author wrote it: elements from top to bottom, independent of any printer.
package struct Receipt: Hashable, Sendable {
    package var elements: [ReceiptElement]

    package init(_ elements: [ReceiptElement] = []) { self.elements = elements }

    /// Whether nothing in it prints, or does anything else.
    package var isEmpty: Bool { elements.allSatisfy { if case .settings = $0 { true } else { false } } }

    package var hasCodes: Bool { elements.contains { if case .code = $0 { true } else { false } } }

    /// Whether paper of this width in dots has room for every code at its smallest.
    package func codesFit(within dots: Int) -> Bool {
        // Turned lines may be longer than the paper is wide.
        var isTurned = false
        return elements.allSatisfy { element in
            if case .settings(let settings) = element { isTurned = settings.turn.map { $0 != .upright } ?? isTurned }
            guard case .code(let code) = element, !isTurned else { return true }
            return (try? CheckedCode(code))?.size(code, within: dots) != nil
        }
    }

    /// The privileges that a caller needs to print this receipt.
    package var privileges: Set<ReceiptPrivilege> {
        Set(
            elements.compactMap { element in
                switch element {
                case .command: .rawCommands
                // Both are commands to hardware, and what is connected to a printer's drawer port may be either.
                case .drawer, .buzzer: .drawer
                default: nil
                }
            })
    }
}

/// An element of a receipt. Every element starts on a new line.
package enum ReceiptElement: Hashable, Sendable {
    /// Changes how the lines that follow are set, until the next change.
    case settings(LineSettings)
    case row(ReceiptRow)
    /// A horizontal rule across the line; in a box, from side to side.
    case rule(RuleStyle)
    case code(ReceiptCode)
    case image(ReceiptImage)
    case logo(StoredLogo)
    case feed(lines: Int)
    case cut(CutMode)
    case drawer(DrawerKick)
    case buzzer(BuzzerSignal)
    /// Bytes that the printer gets unchanged.
    case command([UInt8])
}

extension ReceiptElement {
    /// A single rule.
    package static var rule: ReceiptElement { .rule(.single) }
}

/// The line of a rule.
package enum RuleStyle: String, Hashable, Sendable, CaseIterable {
    case single, double, thick, dashed, dotted
}

/// Beeps of the printer's buzzer.
package struct BuzzerSignal: Hashable, Sendable {
    /// The number of beeps.
    package var count: Int
    /// The length of each beep.
    package var milliseconds: Int

    package init(count: Int = 1, milliseconds: Int = Self.defaultMilliseconds) {
        self.count = count
        self.milliseconds = milliseconds
    }

    /// Those of printers whose command has one digit for it.
    package static let counts = 1...9
    package static let lengths = 50...450
    package static let defaultMilliseconds = 100
}

/// A picture in the printer's own non-volatile memory, where somebody has stored it before.
package struct StoredLogo: Hashable, Sendable {
    package var name: Name
    package var alignment: HorizontalAlignment
    /// The picture for printers that have no stored logos, or not under such a name.
    package var substitute: ReceiptImage?

    package init(_ name: Name, alignment: HorizontalAlignment = .center, substitute: ReceiptImage? = nil) {
        (self.name, self.alignment, self.substitute) = (name, alignment, substitute)
    }

    /// What a logo is stored under.
    package enum Name: Hashable, Sendable, CustomStringConvertible {
        /// Its number, counted from 1. Printers that have keys know it as the key of these digits.
        case number(Int)
        /// A key of two characters. Printers that have numbers do not know it.
        case key(UInt8, UInt8)

        /// Reads a number, or two characters of ASCII.
        package init?(_ text: String) {
            if text.isDigits {
                guard let number = Int(text), Self.numbers.contains(number) else { return nil }
                self = .number(number)
            } else {
                let codes = Array(text.utf8)
                guard codes.count == 2, codes.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
                self = .key(codes[0], codes[1])
            }
        }

        /// Those that both forms of the commands have.
        package static let numbers = 1...99

        package var description: String {
            switch self {
            case .number(let number): String(number)
            case .key(let first, let second): String(decoding: [first, second], as: UTF8.self)
            }
        }

        /// The codes of the key: of a number its two digits.
        var key: (UInt8, UInt8) {
            switch self {
            case .number(let number): (UInt8(clamping: 0x30 + number / 10), UInt8(clamping: 0x30 + number % 10))
            case .key(let first, let second): (first, second)
            }
        }
    }
}

/// How the paper is cut.
package enum CutMode: String, Hashable, Sendable, CaseIterable {
    case full
    /// Leaves one point of the paper uncut.
    case partial
    /// Only feeds the paper, so that it can be torn off after the last line.
    case feed
}

/// A pulse that opens the cash drawer connected to the printer.
package struct DrawerKick: Hashable, Sendable {
    /// The connector of the drawer port: 1 is pin 2, 2 is pin 5.
    package var connector: Int
    package var milliseconds: Int

    package init(connector: Int = 1, milliseconds: Int = Self.defaultMilliseconds) {
        self.connector = connector
        self.milliseconds = milliseconds
    }

    package static let connectors = 1...2
    /// The lengths that ESC/POS can express, in steps of 2 ms (ESC p).
    package static let pulses = 2...510
    package static let defaultMilliseconds = 120
}

/// A permission that the caller needs for some elements of a receipt.
package enum ReceiptPrivilege: String, Hashable, Sendable, CaseIterable {
    /// Sends bytes to the printer unchanged. They can do whatever its language can, including opening the drawer.
    case rawCommands = "raw-commands"
    /// Opens the cash drawer, or sounds the buzzer.
    case drawer
}

/// The limits of a receipt. Real receipts stay far below them; whatever exceeds one is a mistake or an attack.
package enum ReceiptLimits {
    /// Bytes of a document, which contains its pictures in Base64.
    package static let documentLength = 4 << 20
    /// Elements of a receipt: 20,000 lines are 60 m of paper.
    package static let elements = 20_000
    /// Bytes of a row's text.
    package static let lineLength = 16_384
    /// Bytes of all text.
    package static let textLength = 1 << 20
    /// Columns of a row. No paper has room for more.
    package static let columns = 128
    /// Cells and runs of text in the whole document.
    package static let spans = 100_000
    /// Bytes of a picture's file.
    package static let imageLength = 3 << 20
    /// Lines of one feed.
    package static let feedLines = 255
    /// Bytes of one element of raw commands.
    package static let commandLength = 65_536
    /// Levels of nested JSON. A receipt needs six.
    package static let jsonDepth = 12
    /// Values of a JSON document.
    package static let jsonValues = 400_000
    /// Lines of a layout.
    package static let lines = 50_000
}

/// A row of text in columns. It takes several lines of paper where a cell wraps.
package struct ReceiptRow: Hashable, Sendable {
    /// From left to right, at least one.
    package var cells: [ReceiptCell]

    package init(_ cells: [ReceiptCell]) { self.cells = cells }
}

/// The text in one column of a row.
package struct ReceiptCell: Hashable, Sendable {
    package var alignment: HorizontalAlignment
    package var spans: [TextSpan]

    package init(_ spans: [TextSpan], alignment: HorizontalAlignment) {
        self.spans = spans
        self.alignment = alignment
    }

    package init(_ text: String, alignment: HorizontalAlignment = .left, style: TextStyle = TextStyle()) {
        self.init(text.isEmpty ? [] : [TextSpan(text, style)], alignment: alignment)
    }
}

/// A run of text in one style. A line feed begins a new line; there are no other control characters.
package struct TextSpan: Hashable, Sendable {
    package var text: String
    package var style: TextStyle

    package init(_ text: String, _ style: TextStyle = TextStyle()) {
        self.text = text
        self.style = style
    }
}

/// The style of a run of text.
package struct TextStyle: Hashable, Sendable {
    package var underline: Bool
    /// Bold.
    package var emphasis: Bool
    /// White on black.
    package var invert: Bool
    /// Magnification of the font's width and height.
    package var width: Int
    package var height: Int
    /// Whether an underline is twice as thick.
    package var thickUnderline: Bool

    package init(
        underline: Bool = false, emphasis: Bool = false, invert: Bool = false, width: Int = 1, height: Int = 1,
        thickUnderline: Bool = false
    ) {
        self.thickUnderline = thickUnderline
        self.underline = underline
        self.emphasis = emphasis
        self.invert = invert
        self.width = width
        self.height = height
    }

    /// The magnifications of ESC/POS (GS !).
    package static let scales = 1...8
}

/// The colour of lines of text and of rules. Printers with a second colour print a whole line in one.
package enum TextColor: String, Hashable, Sendable, CaseIterable {
    case black, red
}

/// How many degrees lines are turned clockwise, as a whole.
package enum LineRotation: Int, Hashable, Sendable, CaseIterable {
    case upright = 0
    case quarter = 90
    case half = 180
    case threeQuarters = 270

    /// Whether lines run along the paper.
    var isSideways: Bool { self == .quarter || self == .threeQuarters }
}

/// Lines that are turned, up to the next change of rotation or cut.
package struct TurnedLines: Hashable, Sendable {
    package var rotation: LineRotation
    /// The length of lines that run along the paper, in characters of font A; nil where they are as long as the paper is
    /// wide.
    package var columns: Int?

    package init(_ rotation: LineRotation, columns: Int? = nil) {
        self.rotation = rotation
        self.columns = columns
    }

    package static let upright = TurnedLines(.upright)
    package static let maximumColumns = 200
}

/// A change of how lines are set. A setting that is nil stays unchanged.
package struct LineSettings: Hashable, Sendable {
    /// Widths of the columns of a row. Where the list is empty, all columns share the line equally.
    package var widths: [ColumnWidth]?
    package var border: ColumnBorder?
    /// Alignment of a row that is narrower than the paper.
    package var alignment: HorizontalAlignment?
    package var wrapping: TextWrapping?
    package var font: ReceiptFont?
    package var spacing: LineSpacing?
    package var turn: TurnedLines?
    package var color: TextColor?

    package init(
        widths: [ColumnWidth]? = nil, border: ColumnBorder? = nil, alignment: HorizontalAlignment? = nil,
        wrapping: TextWrapping? = nil, font: ReceiptFont? = nil, spacing: LineSpacing? = nil, turn: TurnedLines? = nil,
        color: TextColor? = nil
    ) {
        self.turn = turn
        self.color = color
        self.widths = widths
        self.border = border
        self.alignment = alignment
        self.wrapping = wrapping
        self.font = font
        self.spacing = spacing
    }

    package var isEmpty: Bool { self == LineSettings() }
}

/// The alignment of text in its column, or of anything that is narrower than the paper.
package enum HorizontalAlignment: String, Hashable, Sendable, CaseIterable {
    case left, center, right
}

/// Where text breaks into lines.
package enum TextWrapping: String, Hashable, Sendable, CaseIterable {
    /// Breaks where the column ends.
    case character = "wrap"
    /// Breaks at spaces, where there are any.
    case word
    /// Leaves out what does not fit.
    case none = "nowrap"
}

/// The width of a column.
package enum ColumnWidth: Hashable, Sendable {
    /// An equal share of what the other columns leave.
    case share
    /// A number of characters. A column of 0 is hidden.
    case characters(Int)

    /// The widest column in characters. No paper is wider.
    package static let maximum = 999
}

/// What separates columns.
package enum ColumnBorder: Hashable, Sendable {
    /// A vertical line, and a box around the rows.
    case line
    /// Blank characters.
    case space(Int)

    package static let spaces = 0...2

    /// Characters between two columns.
    var width: Int {
        switch self {
        case .line: 1
        case .space(let width): width
        }
    }
}

/// A font of the printer: A is the standard one, B is smaller.
package enum ReceiptFont: String, Hashable, Sendable, CaseIterable {
    case a, b
}

/// Blank dots below a line of text. Inside a box there are none.
package enum LineSpacing: Hashable, Sendable {
    /// The spacing of the printer's profile.
    case standard
    case dots(Int)

    package static let range = 0...127
}

/// A barcode or two-dimensional code: its data and its appearance.
package struct ReceiptCode: Hashable, Sendable {
    package var data: String
    package var symbology: Symbology
    package var alignment: HorizontalAlignment
    /// The width of a barcode's narrowest bar, in dots.
    package var module: Int
    /// The height of a barcode's bars, in dots.
    package var height: Int
    /// Whether a barcode's data is printed below it for people to read (HRI).
    package var readable: Bool
    /// The side of a two-dimensional code's cell, in dots.
    package var cell: Int
    /// The error correction of a QR code.
    package var level: CorrectionLevel

    package init(
        _ data: String, _ symbology: Symbology, alignment: HorizontalAlignment = .center, module: Int = 2,
        height: Int = 72, readable: Bool = false, cell: Int = 3, level: CorrectionLevel = .l
    ) {
        self.data = data
        self.symbology = symbology
        self.alignment = alignment
        self.module = module
        self.height = height
        self.readable = readable
        self.cell = cell
        self.level = level
    }

    package static let modules = 2...4
    package static let heights = 24...240
    package static let cells = 3...8
    /// The maximum length of a code's data in bytes: a QR code of version 40 takes 7,089 digits.
    package static let maximumDataLength = 7089

    /// The error correction level of a QR code (ISO/IEC 18004).
    package enum CorrectionLevel: String, Hashable, Sendable, CaseIterable, Codable {
        case l, m, q, h
    }
}

/// The symbology of a code.
package enum Symbology: String, Hashable, Sendable, CaseIterable, Codable {
    /// UPC-A, and UPC-E where the data has at most 8 digits.
    case upc
    /// EAN-13, and EAN-8 where the data has at most 8 digits. JAN is the same.
    case ean
    case code39
    /// Interleaved 2 of 5.
    case itf
    /// Also known as NW-7.
    case codabar
    case code93
    case code128
    case qrcode
    case pdf417
    case datamatrix
    /// Code 128 with GS1's identifiers.
    case gs1128 = "gs1-128"
    /// GS1 DataBar Omnidirectional: the number of an item.
    case databar
    /// GS1 DataBar Expanded: identifiers and their values.
    case databarExpanded = "databar-expanded"
    /// GS1 DataBar Stacked: the number of an item, in two rows for small goods.
    case databarStacked = "databar-stacked"
    /// The same, in two high rows, which can be read from every side.
    case databarStackedOmnidirectional = "databar-stacked-omnidirectional"
    /// GS1 DataBar Expanded in several rows.
    case databarExpandedStacked = "databar-expanded-stacked"
    case aztec
    /// In mode 4: any text.
    case maxicode
    /// In mode 2 or 3: postal code, country and class of service, then text.
    case maxicodeCarrier = "maxicode-carrier"

    package var isTwoDimensional: Bool {
        switch self {
        case .qrcode, .pdf417, .datamatrix, .aztec, .maxicode, .maxicodeCarrier: true
        default: isStacked
        }
    }

    /// Whether it consists of rows of bars of fixed heights.
    package var isStacked: Bool {
        switch self {
        case .databarStacked, .databarStackedOmnidirectional, .databarExpandedStacked: true
        default: false
        }
    }
}
