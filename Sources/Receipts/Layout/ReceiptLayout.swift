/// A receipt on the grid of a paper, from top to bottom. Commands and pictures are both made from this, so that a
/// preview shows what prints. Nothing in it reaches beyond the paper.
package struct ReceiptLayout: Hashable, Sendable {
    package var paper: ReceiptPaper
    package var lines: [LayoutLine]

    /// In dots.
    package var height: Int { lines.last.map { $0.top + $0.height } ?? 0 }

    /// Throws where a code is too wide for the paper at its smallest, or the paper would be endless.
    package init(_ receipt: Receipt, on paper: ReceiptPaper) throws(ReceiptError) {
        var builder = LayoutBuilder(paper: paper)
        for element in receipt.elements { try builder.add(element) }
        try builder.finish()
        self.paper = paper
        lines = builder.lines
    }
}

package struct LayoutLine: Hashable, Sendable {
    /// From the paper's beginning, in dots.
    package var top: Int
    /// What the paper moves on, in dots; 0 for what prints nothing.
    package var height: Int
    package var content: Content

    package enum Content: Hashable, Sendable {
        case text(TextLine)
        case code(PlacedCode)
        case image(PlacedImage)
        case feed
        case cut(CutMode)
        case drawer(DrawerKick)
        case command([UInt8])
    }
}

/// A line of characters of one font: text of several columns, and the lines of a box.
package struct TextLine: Hashable, Sendable {
    package var font: ReceiptFont
    /// Of its tallest character, times the font's height: all stand on the same ground.
    package var scale: Int
    /// From left to right; they do not touch each other's cells.
    package var runs: [PlacedRun]
    package var strokes: [PlacedStroke]
}

/// Text of one style and direction.
package struct PlacedRun: Hashable, Sendable {
    /// Of its first cell, from 0 at the paper's left.
    package var column: Int
    /// In cells.
    package var width: Int
    /// As it is read, not as it stands.
    package var text: String
    package var style: TextStyle
    package var isRightToLeft: Bool

    /// From left to right, with brackets that face the right way. Letters are not joined: that is for who draws them.
    package var visualText: String {
        isRightToLeft ? String(text.reversed().map { BidiParagraph.mirrored[$0] ?? $0 }) : text
    }
}

/// A piece of a rule or box in a row of cells.
package struct PlacedStroke: Hashable, Sendable {
    package var column: Int
    /// Of each cell from there on.
    package var joints: [Joint]

    /// Where the line leaves its cell.
    package struct Joint: OptionSet, Hashable, Sendable {
        package var rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let up = Joint(rawValue: 1)
        package static let down = Joint(rawValue: 2)
        package static let left = Joint(rawValue: 4)
        package static let right = Joint(rawValue: 8)

        /// Of the characters for drawing boxes, by the joints' bits; a blank where there are none.
        private static let characters = Array(" │││─┘┐┤─└┌├─┴┬┼")

        package var character: Character { Self.characters[Int(rawValue & 15)] }
    }
}

/// A code's place, in dots. Below a barcode's bars its data may stand.
package struct PlacedCode: Hashable, Sendable {
    package var code: ReceiptCode
    package var checked: CheckedCode
    /// Of the area that it is aligned in.
    package var area: Range<Int>
    package var left: Int
    /// From the line's top: a two-dimensional code wants some white above and below.
    package var offset: Int
    package var width: Int
    /// Of the bars, or the whole of a two-dimensional code.
    package var height: Int
    /// Dots of a module or cell: less than asked for, where the paper is narrow.
    package var scale: Int
    /// Of a PDF417.
    package var columns: Int
    /// Below the bars, in dots.
    package var textHeight: Int
}

package struct PlacedImage: Hashable, Sendable {
    package var image: ReceiptImage
    package var area: Range<Int>
    package var left: Int
    /// After scaling, in dots; an image is only made smaller.
    package var width: Int
    package var height: Int
}
