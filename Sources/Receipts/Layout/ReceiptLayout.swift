/// A receipt laid out on the grid of its paper, from top to bottom. Printer commands and pictures are both made from
/// it, so a preview shows what prints. Nothing in it extends beyond the paper.
package struct ReceiptLayout: Hashable, Sendable {
    package var paper: ReceiptPaper
    package var lines: [LayoutLine]
    /// What had to be made smaller or left out for this paper, as sentences without a full stop.
    package var remarks: [String]

    /// The length of the paper in dots.
    package var height: Int { lines.last.map { $0.top + $0.height } ?? 0 }

    /// Lays out a receipt. Throws where a code is too wide for the paper even at its smallest, or there are too many
    /// lines.
    package init(_ receipt: Receipt, on paper: ReceiptPaper) throws(ReceiptError) {
        var builder = LayoutBuilder(paper: paper)
        for element in receipt.elements { try builder.add(element) }
        try builder.finish()
        self.paper = paper
        lines = builder.lines
        remarks = builder.losses.messages
    }
}

/// A line of a layout: text, or one of the other elements.
package struct LayoutLine: Hashable, Sendable {
    /// The distance from the beginning of the paper, in dots.
    package var top: Int
    /// How far the paper advances, in dots; 0 where nothing is printed.
    package var height: Int
    package var content: Content
    /// Whether the printer turns the line upside down, all across the paper.
    var isUpsideDown = false

    package init(top: Int, height: Int, content: Content) {
        (self.top, self.height, self.content) = (top, height, content)
    }

    package enum Content: Hashable, Sendable {
        case text(TextLine)
        case code(PlacedCode)
        case image(PlacedImage)
        case logo(PlacedLogo)
        case feed
        case cut(CutMode)
        case drawer(DrawerKick)
        case buzzer(BuzzerSignal)
        case command([UInt8])
        /// Lines that are turned as a whole.
        case turned(PlacedLines)
    }
}

/// A line of characters in one font: the text of its columns, and the lines of a box.
package struct TextLine: Hashable, Sendable {
    package var font: ReceiptFont
    /// The magnification of its tallest character. All characters share one baseline.
    package var scale: Int
    /// From left to right. Their cells do not overlap.
    package var runs: [PlacedRun]
    package var strokes: [PlacedStroke]
    package var color = TextColor.black
}

/// A run of text in one style and direction.
package struct PlacedRun: Hashable, Sendable {
    /// The column of its first cell, counted from 0 at the left of the paper.
    package var column: Int
    /// The width in cells.
    package var width: Int
    /// The text in logical order, as it is read.
    package var text: String
    package var style: TextStyle
    package var isRightToLeft: Bool

    /// The text in visual order, from left to right, with mirrored brackets. Letters are not joined: the renderer does
    /// that.
    package var visualText: String {
        isRightToLeft ? String(text.reversed().map { BidiParagraph.mirrored[$0] ?? $0 }) : text
    }
}

/// A part of a rule or box in a row of cells.
package struct PlacedStroke: Hashable, Sendable {
    package var column: Int
    /// The joint in each cell from that column on.
    package var joints: [Joint]
    /// The style of the horizontal line.
    package var style = RuleStyle.single

    /// The sides on which the line leaves its cell.
    package struct Joint: OptionSet, Hashable, Sendable {
        package var rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let up = Joint(rawValue: 1)
        package static let down = Joint(rawValue: 2)
        package static let left = Joint(rawValue: 4)
        package static let right = Joint(rawValue: 8)

        /// The box-drawing characters, indexed by the bits of the joint.
        private static let characters = Array(" │││─┘┐┤─└┌├─┴┬┼")

        /// The box-drawing character of the joint; a space where it has no side.
        package var character: Character { Self.characters[Int(rawValue & 15)] }

        /// The character in a rule of this style. Where it meets the sides of a box, thin lines stand for dashes.
        package func character(_ style: RuleStyle) -> Character {
            switch style {
            case .single: character
            case .double: Self.doubleCharacters[Int(rawValue & 15)]
            case .thick: Self.thickCharacters[Int(rawValue & 15)]
            case .dashed: self == [.left, .right] ? "╌" : character
            case .dotted: self == [.left, .right] ? "·" : character
            }
        }

        private static let doubleCharacters = Array(" │││═╛╕╡═╘╒╞═╧╤╪")
        private static let thickCharacters = Array(" │││━┙┑┥━┕┍┝━┷┯┿")
    }
}

/// A code on the paper, in dots. A barcode may have its data below its bars.
package struct PlacedCode: Hashable, Sendable {
    package var code: ReceiptCode
    package var checked: CheckedCode
    /// The area in which it is aligned.
    package var area: Range<Int>
    package var left: Int
    /// The distance from the top of the line: a two-dimensional code needs a quiet zone above and below.
    package var offset: Int
    package var width: Int
    /// The height of the bars, or of a two-dimensional code.
    package var height: Int
    /// The dots of a module or cell: fewer than requested where the paper is narrow.
    package var scale: Int
    /// The data columns of a PDF417.
    package var columns: Int
    /// The height of the text below the bars.
    package var textHeight: Int
}

/// Lines that are turned as a whole, in dots.
package struct PlacedLines: Hashable, Sendable {
    package var rotation: LineRotation
    /// The lines as they are before they are turned, on this paper.
    package var lines: [LayoutLine]
    package var paper: ReceiptPaper
    package var left: Int

    /// The height of the lines before they are turned.
    package var uprightHeight: Int { lines.last.map { $0.top + $0.height } ?? 0 }
    package var width: Int { rotation.isSideways ? uprightHeight : paper.dots }
    package var height: Int { rotation.isSideways ? paper.dots : uprightHeight }
}

/// An image on the paper, in dots.
package struct PlacedImage: Hashable, Sendable {
    package var image: ReceiptImage
    package var area: Range<Int>
    package var left: Int
    /// The size after scaling. An image is only ever reduced.
    package var width: Int
    package var height: Int
}

/// A picture of the printer's own memory, on the paper, in dots. Its size is that of the picture for other printers;
/// where there is none, the size of a frame in its place, since only the printer knows it.
package struct PlacedLogo: Hashable, Sendable {
    package var logo: StoredLogo
    package var left: Int
    package var width: Int
    package var height: Int

    /// The picture that is known for it.
    var image: PlacedImage? {
        logo.substitute.map {
            PlacedImage(image: $0, area: left..<left + width, left: left, width: width, height: height)
        }
    }

    /// The name in a preview's frame.
    var label: String { "logo \(logo.name)" }
}

/// The paper and fonts of a printer, as far as a layout needs them.
package struct ReceiptPaper: Hashable, Sendable {
    /// The printable width in dots.
    package var dots: Int
    package var fontA: Cell
    /// Nil where the printer has no font B. Its text is printed in font A then.
    package var fontB: Cell?
    /// Blank dots below a line of text, unless the receipt says otherwise.
    package var lineGap: Int
    package var dotsPerMillimetre: Int

    /// The cell of a character, in dots.
    package struct Cell: Hashable, Sendable {
        package var width: Int
        package var height: Int

        package init(width: Int, height: Int) {
            self.width = max(width, 1)
            self.height = max(height, 1)
        }
    }

    /// Creates paper. The default fonts are common on printers with 203 dots per inch.
    package init(
        dots: Int, fontA: Cell = Cell(width: 12, height: 24), fontB: Cell? = Cell(width: 9, height: 17),
        lineGap: Int = 6, dotsPerMillimetre: Int = 8
    ) {
        self.dots = max(dots, 1)
        self.fontA = fontA
        self.fontB = fontB
        self.lineGap = max(lineGap, 0)
        self.dotsPerMillimetre = max(dotsPerMillimetre, 1)
    }

    /// Creates paper that is this many characters of font A wide.
    package init(columns: Int) { self.init(dots: columns * 12) }

    package func cell(of font: ReceiptFont) -> Cell {
        switch font {
        case .a: fontA
        case .b: fontB ?? fontA
        }
    }

    /// Characters per line, at least one.
    package func columns(of font: ReceiptFont) -> Int { max(dots / cell(of: font).width, 1) }
}
