/// What a job for a printer is written in, as far as this room reads it.
package enum PaperLanguage: String, Sendable, CaseIterable {
    case escPOS = "escpos"
    /// Star Line Mode and StarPRNT.
    case star
    case zpl
    case pwg
    /// Apple Raster.
    case urf

    /// By the media type that a job was announced with, and its first bytes; nil where neither tells of a language that
    /// is read here.
    package init?(mediaType: String?, firstBytes: some Collection<UInt8>) {
        if let known = Self.signatures.first(where: { firstBytes.starts(with: $0.0) }) {
            guard let language = known.1 else { return nil }
            self = language
            return
        }
        switch mediaType {
        case "application/vnd.escpos", "text/plain": self = .escPOS
        case "application/vnd.star.starprnt", "application/vnd.star.line", "application/vnd.star.raster": self = .star
        case "application/vnd.zebra-zpl", "x-application/zpl", "application/zpl": self = .zpl
        default:
            // Receipts mostly begin with a command.
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
