/// The format of a document: a MIME media type in lower case, without parameters (RFC 8011 `document-format`).
public struct DocumentFormat: Hashable, Sendable, CustomStringConvertible {
    /// The media type in lower case: `application/pdf`.
    public let mimeType: String
    /// The media type.
    public var description: String { mimeType }

    /// `application/octet-stream`: commands in a printer's own language, or a format that the printer detects.
    public static let octetStream = DocumentFormat(known: "application/octet-stream")
    /// `text/plain`.
    public static let plainText = DocumentFormat(known: "text/plain")
    /// `application/pdf` (RFC 8118).
    public static let pdf = DocumentFormat(known: "application/pdf")
    /// `application/postscript`.
    public static let postScript = DocumentFormat(known: "application/postscript")
    /// `application/vnd.hp-pcl`, commands in PCL 5.
    public static let pcl = DocumentFormat(known: "application/vnd.hp-pcl")
    /// `image/pwg-raster` (PWG 5102.4).
    public static let pwgRaster = DocumentFormat(known: "image/pwg-raster")
    /// `image/urf`, Apple Raster, which AirPrint printers accept.
    public static let appleRaster = DocumentFormat(known: "image/urf")
    /// `image/jpeg`.
    public static let jpeg = DocumentFormat(known: "image/jpeg")
    /// `image/tiff`.
    public static let tiff = DocumentFormat(known: "image/tiff")
    /// `image/webp`.
    public static let webP = DocumentFormat(known: "image/webp")
    /// `image/png`.
    public static let png = DocumentFormat(known: "image/png")
    /// `application/vnd.escpos`, commands in ESC/POS.
    public static let escPOS = DocumentFormat(known: "application/vnd.escpos")
    /// `application/vnd.star.starprnt`, commands in Star Line Mode or StarPRNT.
    public static let starPRNT = DocumentFormat(known: "application/vnd.star.starprnt")
    /// `application/vnd.zebra-zpl`, commands in ZPL II.
    public static let zpl = DocumentFormat(known: "application/vnd.zebra-zpl")
    /// A receipt in markup, for any printer.
    public static let receiptLine = DocumentFormat(known: "text/receiptline")
    /// A receipt in JSON, for any printer.
    public static let receiptJSON = DocumentFormat(known: "application/vnd.kiosk.receipt+json")

    /// Whether a document of this format is written for no particular printer, and rendered for the one that prints it.
    public var isReceipt: Bool { self == .receiptLine || self == .receiptJSON }

    /// Whether documents of this format are commands for a printer, which it may accept as raw data without naming them.
    public var isPrinterLanguage: Bool {
        [.starPRNT, .zpl, .octetStream].contains(self) || isEscPOS
    }

    /// Whether it is ESC/POS, by any of the names that printers list it under.
    package var isEscPOS: Bool { self == .escPOS || Self.otherNamesOfEscPOS.contains(mimeType) }

    /// None of them is registered; Epson's own first.
    private static let otherNamesOfEscPOS: Set = [
        "application/vnd.epson-escpos", "application/vnd.epson.escpos", "application/x-escpos",
    ]

    private init(known: String) { mimeType = known }

    /// The formats of receipts, which are read without a look at their letters.
    private static let usual: [DocumentFormat] = [.escPOS, .receiptLine, .plainText, .receiptJSON]

    /// RFC 8011 §5.1.10 bounds a mimeMediaType at 255 octets.
    private static let maximumLength = 255

    /// Reads `type/subtype`, dropping parameters (`; charset=utf-8`); nil when it is not a media type (RFC 6838 §4.2).
    public init?(_ text: String) {
        // What nearly every receipt is.
        if let known = Self.usual.first(where: { $0.mimeType == text }) {
            self = known
            return
        }
        let (type, _) = text.splitOnce(at: ";")
        // Before lower-casing, which turns the Kelvin sign into a k.
        guard type.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let trimmed = type.trimmingBlanks().lowercased()
        let parts = trimmed.split(separator: "/", omittingEmptySubsequences: false)
        guard trimmed.utf8.count <= Self.maximumLength, parts.count == 2,
            parts.allSatisfy({
                !$0.isEmpty && !".-+!#$&^_".contains($0.first ?? ".") && $0.utf8.allSatisfy(Self.isNameByte)
            })
        else { return nil }
        mimeType = trimmed
    }

    /// RFC 6838 §4.2.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "!#$&-^_.+".utf8.contains(byte)
        }
    }
}

// MARK: - Detection

extension DocumentFormat {
    /// The formats of receipts by what command lines call them.
    package static let receiptNames: [String: DocumentFormat] = [
        "receiptline": .receiptLine, "receipt-json": .receiptJSON,
    ]

    /// The format that a file name's extension stands for; nil when the extension is not known. Only its name makes a
    /// file a receipt: any text could be one.
    public init?(fileName: String) {
        if fileName.lowercased().hasSuffix(".receipt.json") {
            self = .receiptJSON
            return
        }
        guard let dot = fileName.lastIndex(of: ".") else { return nil }
        switch fileName[fileName.index(after: dot)...].lowercased() {
        case "txt", "text", "log": self = .plainText
        case "pdf": self = .pdf
        case "ps": self = .postScript
        case "pwg": self = .pwgRaster
        case "urf": self = .appleRaster
        case "jpg", "jpeg": self = .jpeg
        case "png": self = .png
        case "tif", "tiff": self = .tiff
        case "webp": self = .webP
        case "escpos", "bin", "prn": self = .octetStream
        case "zpl": self = .zpl
        case "receipt", "receiptline": self = .receiptLine
        default: return nil
        }
    }

    /// The format whose signature a document begins with; nil when there is none.
    public init?(firstBytes: some Collection<UInt8>) {
        let signatures: [(DocumentFormat, [UInt8])] = [
            (.pdf, Array("%PDF-".utf8)), (.postScript, Array("%!".utf8)), (.pwgRaster, Array("RaS2".utf8)),
            (.appleRaster, Array("UNIRAST\0".utf8)), (.jpeg, [0xFF, 0xD8, 0xFF]),
            (.tiff, [0x49, 0x49, 0x2A, 0x00]), (.tiff, [0x4D, 0x4D, 0x00, 0x2A]),
            (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), (.zpl, Array("^XA".utf8)),
            // ESC @, "initialize printer", begins practically every ESC/POS receipt.
            (.escPOS, [0x1B, 0x40]),
        ]
        // A RIFF file names its kind behind its length.
        if firstBytes.starts(with: Array("RIFF".utf8)), firstBytes.dropFirst(8).starts(with: Array("WEBP".utf8)) {
            self = .webP
            return
        }
        guard let match = signatures.first(where: { firstBytes.starts(with: $0.1) }) else { return nil }
        self = match.0
    }

    /// The number of bytes that `detected` examines: as many as CUPS's `mime.types` examines to recognise text.
    public static let detectionLength = 1024

    /// The format that a document's first bytes show: a known signature, or else plain text where all of them are
    /// printable UTF-8; nil when neither. `firstBytes` are the first `detectionLength`, or fewer of a shorter document.
    public static func detected(in firstBytes: some Collection<UInt8>) -> DocumentFormat? {
        let bytes = Array(firstBytes.prefix(detectionLength))
        return DocumentFormat(firstBytes: bytes) ?? (isPlainText(bytes) ? .plainText : nil)
    }

    private static func isPlainText(_ bytes: [UInt8]) -> Bool {
        guard !bytes.isEmpty, bytes.allSatisfy(isTextByte) else { return false }
        // The last character may be cut off: up to three bytes of a sequence of four (RFC 3629 §3).
        let spare = bytes.count == detectionLength ? 3 : 0
        return (0...spare).contains { String(validating: bytes.dropLast($0), as: UTF8.self) != nil }
    }

    private static func isTextByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"), 0x0C: true
        case 0x20...0x7E, 0x80...0xFF: true
        default: false
        }
    }
}

extension DocumentFormat: Codable {
    /// Decodes a media type.
    /// - Throws: `DecodingError` for a string that is none.
    public init(from decoder: any Decoder) throws {
        self = try decoder.decodeText({ DocumentFormat($0) }, problem: { "\"\($0)\" is not a media type" })
    }

    /// Encodes the media type.
    public func encode(to encoder: any Encoder) throws { try mimeType.encode(to: encoder) }
}
