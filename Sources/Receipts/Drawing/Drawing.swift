/// Something that is drawn, since a printer's own characters and codes do not suffice, or there are none: what it says
/// and how large it is, in dots. The same drawing always looks the same, so what was drawn may be kept.
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

/// Text of one style and direction on one line, in cells as a printer's own font has them: letters stand on the same
/// ground as that font's, and the text is as wide as its cells. Underline, inversion and boxes are not drawn here: they
/// are rectangles.
package struct DrawnText: Hashable, Sendable, Codable {
    /// As it is read, not as it stands.
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

/// A PNG or JPEG file, scaled to the drawing's size, alpha on white, made of black and white dots.
package struct DrawnPicture: Hashable, Sendable, Codable {
    package var file: [UInt8]
    package var dithering: Dithering

    package init(_ file: [UInt8], dithering: Dithering = .floydSteinberg) {
        self.file = file
        self.dithering = dithering
    }

    package static func == (one: DrawnPicture, other: DrawnPicture) -> Bool {
        one.dithering == other.dithering && WideBytes.areEqual(one.file, other.file)
    }

    /// A logo is looked up for each receipt: its ends tell files apart well enough, and equality compares the whole.
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

/// A barcode's bars, without the text below them, or a two-dimensional code without the white around it.
package struct DrawnCode: Hashable, Sendable, Codable {
    package var symbology: Symbology
    /// What is encoded, its check digit included (`CheckedCode.text`).
    package var text: String
    /// Dots of a module or cell.
    package var scale: Int
    package var level: ReceiptCode.CorrectionLevel
    /// Of a PDF417.
    package var columns: Int

    package init(
        _ symbology: Symbology, _ text: String, scale: Int, level: ReceiptCode.CorrectionLevel = .l, columns: Int = 0
    ) {
        (self.symbology, self.text, self.scale, self.level, self.columns) = (symbology, text, scale, level, columns)
    }
}
