extension DocumentFormat {
    /// How many first bytes `detected` looks at: as many as CUPS's `mime.types` takes to tell text.
    public static let detectionLength = 1024

    /// What a document's first bytes show: a known signature, or else plain text where all of them are printable
    /// UTF-8; nil when neither. `firstBytes` are the first `detectionLength`, or fewer of a shorter document.
    public static func detected(in firstBytes: some Collection<UInt8>) -> DocumentFormat? {
        let bytes = Array(firstBytes.prefix(detectionLength))
        return DocumentFormat(firstBytes: bytes) ?? (isPlainText(bytes) ? .plainText : nil)
    }

    private static func isPlainText(_ bytes: [UInt8]) -> Bool {
        guard !bytes.isEmpty, bytes.allSatisfy(isTextByte) else { return false }
        // A letter may be cut in two where the looking ends: up to three bytes of a sequence of four (RFC 3629 §3).
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
