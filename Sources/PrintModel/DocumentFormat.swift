/// The format of a document: a MIME media type in lower case, without parameters (RFC 8011 `document-format`).
public struct DocumentFormat: Hashable, Sendable, CustomStringConvertible {
    public let mimeType: String
    public var description: String { mimeType }

    public static let octetStream = DocumentFormat(known: "application/octet-stream")
    public static let plainText = DocumentFormat(known: "text/plain")
    public static let pdf = DocumentFormat(known: "application/pdf")
    public static let postScript = DocumentFormat(known: "application/postscript")
    public static let pwgRaster = DocumentFormat(known: "image/pwg-raster")
    public static let appleRaster = DocumentFormat(known: "image/urf")
    public static let jpeg = DocumentFormat(known: "image/jpeg")
    public static let png = DocumentFormat(known: "image/png")
    public static let escPOS = DocumentFormat(known: "application/vnd.escpos")
    public static let starPRNT = DocumentFormat(known: "application/vnd.star.starprnt")
    public static let zpl = DocumentFormat(known: "application/vnd.zebra-zpl")
    /// A receipt in markup, for any printer.
    public static let receiptLine = DocumentFormat(known: "text/receiptline")
    /// The same in JSON.
    public static let receiptJSON = DocumentFormat(known: "application/vnd.kiosk.receipt+json")

    /// Whether it is for no printer in particular, and made into what a printer takes.
    public var isReceipt: Bool { self == .receiptLine || self == .receiptJSON }

    private init(known: String) { mimeType = known }

    /// RFC 8011 §5.1.10 bounds a mimeMediaType at 255 octets.
    private static let maximumLength = 255

    /// Reads `type/subtype`, dropping parameters (`; charset=utf-8`); nil when it is no media type (RFC 6838 §4.2).
    public init?(_ text: String) {
        let (type, _) = text.splitOnce(at: ";")
        // Before the letters are folded: the Kelvin sign becomes a k.
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

extension DocumentFormat {
    /// What a file's name says of its format; nil when its ending is not known. Receipts are told by their names alone:
    /// any text could be one.
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
        case "escpos", "bin", "prn": self = .octetStream
        case "zpl": self = .zpl
        case "receipt", "receiptline": self = .receiptLine
        default: return nil
        }
    }

    /// What a document's first bytes say of its format; nil when they are not known.
    public init?(firstBytes: some Collection<UInt8>) {
        let signatures: [(DocumentFormat, [UInt8])] = [
            (.pdf, Array("%PDF-".utf8)), (.postScript, Array("%!".utf8)), (.pwgRaster, Array("RaS2".utf8)),
            (.appleRaster, Array("UNIRAST\0".utf8)), (.jpeg, [0xFF, 0xD8, 0xFF]),
            (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), (.zpl, Array("^XA".utf8)),
            // ESC @, "initialize printer", begins practically every ESC/POS receipt.
            (.escPOS, [0x1B, 0x40]),
        ]
        guard let match = signatures.first(where: { firstBytes.starts(with: $0.1) }) else { return nil }
        self = match.0
    }
}

extension DocumentFormat: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let format = DocumentFormat(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\"\(text)\" is no media type")
        }
        self = format
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(mimeType)
    }
}
