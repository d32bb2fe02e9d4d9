/// What draws the symbols that this room does not draw itself.
package protocol SymbolSource {
    /// A dot for each module, without a quiet zone; in a stacked symbology a row of dots for each row. Nil where the
    /// data does not fit.
    func modules(_ symbol: MatrixSymbol) -> Bitmap?
}

/// A two-dimensional or stacked symbol to be drawn.
package struct MatrixSymbol: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// Error correction 1 (L) to 4 (H).
        case qr(level: Int)
        case microQR(level: Int)
        /// Columns 0: by itself. Level 0 to 8.
        case pdf417(columns: Int, level: Int, isTruncated: Bool)
        case dataMatrix(isSquare: Bool)
        case aztec
        case dataBarOmni, dataBarLimited, dataBarExpanded, dataBarStacked, dataBarStackedOmni, dataBarExpandedStacked
    }

    package var kind: Kind
    package var data: [UInt8]

    package init(_ kind: Kind, _ data: [UInt8]) {
        self.kind = kind
        self.data = data
    }
}
