/// A simulated printer for every supported language. Its stored pictures last from job to job.
package struct PaperPrinter {
    private var escPOS: ReceiptPrinter
    private var star: ReceiptPrinter
    private var label: ZPLPrinter

    package init(
        _ model: PaperModel, glyphs: any GlyphSource, symbols: any SymbolSource, wideText: any WideTextDecoder,
        unpacker: any DataUnpacker
    ) {
        escPOS = ReceiptPrinter(.escPOS, model, glyphs: glyphs, symbols: symbols, wideText: wideText)
        star = ReceiptPrinter(.star, model, glyphs: glyphs, symbols: symbols, wideText: wideText)
        label = ZPLPrinter(model, glyphs: glyphs, symbols: symbols, unpacker: unpacker)
    }

    /// Prints a job. Returns a picture for each label or page, or one for a receipt.
    package mutating func print(_ bytes: [UInt8], as language: PaperLanguage) -> [PrintedPaper] {
        switch language {
        case .escPOS: [escPOS.print(bytes)]
        case .star: [star.print(bytes)]
        case .zpl: label.print(bytes)
        case .pwg, .urf: RasterReader.print(bytes, as: language)
        }
    }

    /// The height that no picture exceeds.
    package static func maximumPictureHeight(_ model: PaperModel) -> Int {
        max(model.maximumPaperLength, ZPLPrinter.maximumHeight, RasterReader.maximumHeight)
    }
}

/// A printer language that this module reads.
package enum PaperLanguage: String, Sendable, CaseIterable {
    case escPOS = "escpos"
    /// Star Line Mode and StarPRNT.
    case star
    case zpl
    case pwg
    /// Apple Raster.
    case urf

    /// The language of a job, by its media type and first bytes; nil where neither indicates a supported one.
    package init?(mediaType: String?, firstBytes: some Collection<UInt8>) {
        if let signature = Self.signatures.first(where: { firstBytes.starts(with: $0.0) }) {
            guard let language = signature.1 else { return nil }
            self = language
            return
        }
        switch mediaType {
        case "application/vnd.escpos", "text/plain": self = .escPOS
        case "application/vnd.star.starprnt", "application/vnd.star.line", "application/vnd.star.raster": self = .star
        case "application/vnd.zebra-zpl", "x-application/zpl", "application/zpl": self = .zpl
        default:
            // Most receipts begin with a command.
            guard let first = firstBytes.first,
                [0x1B, 0x1C, 0x1D, 0x10, 0x0A].contains(first) || (0x20...0x7E).contains(first)
            else { return nil }
            self = .escPOS
        }
    }

    private static let signatures: [([UInt8], PaperLanguage?)] = [
        (Array("^XA".utf8), .zpl), (Array("~DG".utf8), .zpl), (Array("RaS2".utf8), .pwg), (Array("UNIRAST".utf8), .urf),
        (Array("%PDF".utf8), nil), (Array("%!".utf8), nil), ([0x89, 0x50, 0x4E, 0x47], nil), ([0xFF, 0xD8, 0xFF], nil),
    ]
}

/// The glyphs of a simulated printer.
package protocol GlyphSource {
    /// A character in a cell of exactly this size; nil where the font lacks it.
    func glyph(_ scalar: Unicode.Scalar, width: Int, height: Int) -> Bitmap?
}

/// Decodes the two-byte character sets of East Asia.
package protocol WideTextDecoder {
    /// The character of one or two bytes; nil where they are invalid.
    func scalar(_ bytes: [UInt8], in set: WideCharacterSet) -> Unicode.Scalar?
}

package enum WideCharacterSet: String, Sendable, CaseIterable {
    case shiftJIS = "SHIFT_JIS"
    case jis = "JIS X 0208"
    case gb18030 = "GB18030"
    case big5 = "BIG5"
    case korean = "EUC-KR"
}

/// Unpacks what zlib compressed (RFC 1950).
package protocol DataUnpacker {
    /// The bytes, at most so many; nil where they are damaged or more.
    func unpacked(_ bytes: [UInt8], limit: Int) -> [UInt8]?
}

/// Draws the symbols that this module does not draw itself.
package protocol SymbolSource {
    /// The symbol with a dot for each module, without a quiet zone; in a stacked symbology a row of dots for each row;
    /// MaxiCode, whose modules are hexagons, in its fixed size. Nil where the data does not fit.
    func modules(_ symbol: MatrixSymbol) -> Bitmap?
}

/// A two-dimensional or stacked symbol to be drawn.
package struct MatrixSymbol: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// Error correction 1 (L) to 4 (H).
        case qr(level: Int)
        case microQR(level: Int)
        /// Columns 0: automatic. Level 0 to 8.
        case pdf417(columns: Int, level: Int, isTruncated: Bool)
        case dataMatrix(isSquare: Bool)
        case aztec(AztecSize)
        case maxiCode(MaxiCodeMessage.Header, dotsPerInch: Int)
        case dataBarOmni, dataBarLimited, dataBarExpanded, dataBarStacked, dataBarStackedOmni
        /// So many pairs of segments in a row.
        case dataBarExpandedStacked(columns: Int)
    }

    /// The size of an Aztec symbol.
    package enum AztecSize: Hashable, Sendable {
        /// As large as the data and at least so many percent of error correction need.
        case automatic(percent: Int)
        case compact(layers: Int)
        case fullRange(layers: Int)

        /// What printers add where nothing is said.
        package static let standard = AztecSize.automatic(percent: 23)

        /// By the number of `^BO`: a percentage, 101 to 104 compact, 201 to 232 full range.
        init(zpl number: Int) {
            self =
                switch number {
                case 1...99: .automatic(percent: number)
                case 101...104: .compact(layers: number - 100)
                case 201...232: .fullRange(layers: number - 200)
                default: .standard
                }
        }
    }

    package var kind: Kind
    package var data: [UInt8]

    package init(_ kind: Kind, _ data: [UInt8]) {
        self.kind = kind
        self.data = data
    }
}
