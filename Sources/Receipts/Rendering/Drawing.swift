/// A request to render what a printer cannot print with its own fonts and codes: the content and its size in dots. The
/// same drawing always renders to the same dots, so results can be cached.
package struct Drawing: Hashable, Sendable, Codable {
    package var width: Int
    package var height: Int
    package var content: Content

    package enum Content: Hashable, Sendable, Codable {
        case text(DrawnText)
        case picture(DrawnPicture)
        case code(DrawnCode)
    }

    package init(width: Int, height: Int, _ content: Content) {
        self.width = width
        self.height = height
        self.content = content
    }
}

/// A line of text in one style and direction, in the cells of a printer's font: the text has the baseline of that font
/// and is as wide as its cells. Underline, inversion and boxes are not part of it: they are painted as rectangles.
package struct DrawnText: Hashable, Sendable, Codable {
    /// The text in logical order, as it is read.
    package var text: String
    package var isRightToLeft: Bool
    package var emphasis: Bool
    /// A cell of the font without magnification, in dots.
    package var cellWidth: Int
    package var cellHeight: Int
    /// Magnification: the drawing is `cellHeight × scaleHeight` high.
    package var scaleWidth: Int
    package var scaleHeight: Int

    package init(
        _ text: String, isRightToLeft: Bool = false, emphasis: Bool = false, cellWidth: Int, cellHeight: Int,
        scaleWidth: Int = 1, scaleHeight: Int = 1
    ) {
        self.text = text
        self.isRightToLeft = isRightToLeft
        self.emphasis = emphasis
        (self.cellWidth, self.cellHeight, self.scaleWidth, self.scaleHeight) = (
            cellWidth, cellHeight, scaleWidth, scaleHeight
        )
    }
}

/// A PNG or JPEG file, scaled to the size of the drawing, with alpha on white, and dithered to black and white dots.
package struct DrawnPicture: Hashable, Sendable, Codable {
    package var file: [UInt8]
    package var dithering: Dithering

    package init(_ file: [UInt8], dithering: Dithering = .floydSteinberg) {
        self.file = file
        self.dithering = dithering
    }

    package static func == (one: DrawnPicture, other: DrawnPicture) -> Bool {
        one.dithering == other.dithering && WordwiseBytes.areEqual(one.file, other.file)
    }

    /// Hashes only the ends of the file, since a logo is looked up for each receipt. The ends tell files apart well
    /// enough, and equality compares the whole file.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(file.count)
        for byte in file.prefix(64) { hasher.combine(byte) }
        for byte in file.suffix(64) { hasher.combine(byte) }
        hasher.combine(dithering)
    }
}

/// How grey becomes black and white.
package enum Dithering: String, Hashable, Sendable, Codable, CaseIterable {
    case floydSteinberg = "floyd-steinberg"
    case atkinson, ordered, threshold
}

/// The bars of a barcode, without the text below them, or a two-dimensional code without its quiet zone.
package struct DrawnCode: Hashable, Sendable, Codable {
    package var symbology: Symbology
    /// The encoded data, including the check digit (`CheckedCode.text`).
    package var text: String
    /// Dots of a module or cell.
    package var scale: Int
    package var level: ReceiptCode.CorrectionLevel
    /// The data columns of a PDF417, or the number of an Aztec code's size (`AztecSize.number`).
    package var columns: Int

    /// The bars or cells of a code in a layout.
    package init(_ placed: PlacedCode) {
        var columns = placed.columns
        if case .aztec(let size) = placed.checked.kind { columns = size.number }
        self.init(
            placed.code.symbology, placed.checked.text, scale: placed.scale, level: placed.code.level, columns: columns)
    }

    package init(
        _ symbology: Symbology, _ text: String, scale: Int, level: ReceiptCode.CorrectionLevel = .l, columns: Int = 0
    ) {
        (self.symbology, self.text, self.scale, self.level, self.columns) = (symbology, text, scale, level, columns)
    }
}

/// The rendered drawings of a receipt. Encoders take from here what the printer cannot print with its own fonts and
/// codes.
package struct RenderedDrawings: Hashable, Sendable {
    package var matrices: [Drawing: DotMatrix]
    /// The characters that no font has. Their cells are white, and the job should report them.
    package var withoutGlyph: Set<Unicode.Scalar>

    package init(_ matrices: [Drawing: DotMatrix] = [:], withoutGlyph: Set<Unicode.Scalar> = []) {
        self.matrices = matrices
        self.withoutGlyph = withoutGlyph
    }

    /// No drawings, for a receipt that needs none.
    package static let nothing = RenderedDrawings()

    /// The dots of a drawing. Throws where it was not rendered or has a different size: that is our bug, which must not
    /// become a gap on paper.
    package subscript(drawing: Drawing) -> DotMatrix {
        get throws(ReceiptError) {
            guard let matrix = matrices[drawing], matrix.width == drawing.width, matrix.height == drawing.height else {
                throw ReceiptError(.unsupported, "a part of the receipt needs rendering and was not rendered")
            }
            return matrix
        }
    }
}
