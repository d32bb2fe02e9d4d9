/// What a job for a printer is written in, as far as this room reads it.
package enum PaperLanguage: String, Sendable, CaseIterable {
    case escPOS = "escpos"

    /// By the media type that a job was announced with, and its first bytes; nil where neither tells of a language that is read here.
    package init?(mediaType: String?, firstBytes: some Collection<UInt8>) {
        switch mediaType {
        case "application/vnd.escpos", "text/plain": self = .escPOS
        default:
            // Other signatures are others' documents; receipts mostly begin with a command.
            let others = ["%PDF", "%!", "RaS2", "UNIRAST", "^XA"].map { Array($0.utf8) }
            guard let first = firstBytes.first, !others.contains(where: { firstBytes.starts(with: $0) }),
                [0x1B, 0x1C, 0x1D, 0x10, 0x0A].contains(first) || (0x20...0x7E).contains(first)
            else { return nil }
            self = .escPOS
        }
    }
}
