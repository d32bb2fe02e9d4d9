import PrintModel

/// Tells documents that are commands for a printer from those that only have something printed, while their bytes go
/// by: what a caller says of a document is a claim, and a printer that gets text obeys what stands in it.
struct RawDocumentDetector: Sendable {
    private let format: DocumentFormat
    private(set) var isRaw: Bool
    private var isAtBeginning = true

    init(_ format: DocumentFormat) {
        self.format = format
        isRaw = format.isAlwaysRaw
    }

    /// Takes the next bytes; the first piece is at least as long as a signature, or the whole document.
    mutating func inspect(_ bytes: [UInt8]) {
        if isAtBeginning { isRaw = isRaw || !isWhatItSays(bytes) }
        isAtBeginning = false
        if format == .plainText { isRaw = isRaw || !bytes.allSatisfy(Self.isText) }
    }

    private func isWhatItSays(_ firstBytes: [UInt8]) -> Bool {
        let shown = DocumentFormat(firstBytes: firstBytes)
        return format == .plainText ? shown == nil : shown == format
    }

    /// Printers' commands begin with control characters (ESC, FS, GS, DLE, BEL …); of these, four belong to texts.
    private static func isText(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x00...0x1F: "\t\n\r\u{0C}".utf8.contains(byte)
        case 0x7F: false
        default: true
        }
    }
}

extension DocumentFormat {
    /// Whether every document of this format is a printer's own language, or may be: PostScript too is a program that
    /// the printer runs.
    var isAlwaysRaw: Bool { !isReceipt && ![.plainText, .pdf, .pwgRaster, .appleRaster, .jpeg, .png].contains(self) }
}

extension EngineError {
    static func rawDocument(_ format: DocumentFormat) -> EngineError {
        EngineError(
            .rawDocumentForbidden,
            "the document is commands for a printer, or may be (\(format)), and you may not send any; send a receipt in markup, plain text, a PDF or a picture"
        )
    }
}
