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
    /// The most bytes that any code holds: a QR code of version 40 takes 7,089 digits.
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

    package var isTwoDimensional: Bool {
        switch self {
        case .qrcode, .pdf417, .datamatrix: true
        default: false
        }
    }
}
