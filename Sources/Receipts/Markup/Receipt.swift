/// A receipt or label as its author wrote it: elements from top to bottom, independent of any printer.
package struct Receipt: Hashable, Sendable {
    package var elements: [ReceiptElement]

    package init(_ elements: [ReceiptElement] = []) { self.elements = elements }

    package var hasCodes: Bool { elements.contains { if case .code = $0 { true } else { false } } }

    /// Whether paper of this width in dots has room for every code at its smallest.
    package func codesFit(within dots: Int) -> Bool {
        elements.allSatisfy { element in
            guard case .code(let code) = element else { return true }
            return (try? CheckedCode(code))?.size(code, within: dots) != nil
        }
    }

    /// The privileges that a caller needs to print this receipt.
    package var privileges: Set<ReceiptPrivilege> {
        Set(
            elements.compactMap { element in
                switch element {
                case .command: .rawCommands
                case .drawer: .drawer
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
    case rule
    case code(ReceiptCode)
    case image(ReceiptImage)
    case feed(lines: Int)
    case cut(CutMode)
    case drawer(DrawerKick)
    /// Bytes that the printer gets unchanged.
    case command([UInt8])
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

/// Something that not every caller may do.
package enum ReceiptPrivilege: String, Hashable, Sendable, CaseIterable {
    /// Sends bytes to the printer unchanged. They can do whatever its language can, including opening the drawer.
    case rawCommands = "raw-commands"
    /// Opens the cash drawer.
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
