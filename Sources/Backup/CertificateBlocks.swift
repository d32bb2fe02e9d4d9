/// The certificates in a file's text, in PEM (RFC 7468).
package enum CertificateBlocks {
    private static let labels = ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"]
    /// Characters of a line between a block's first and last. OpenSSL writes 64.
    private static let maximumLine = 76

    /// The blocks with certificates, in the file's order, and nothing else that stands there; empty where there are none.
    /// A block is left out where a line between its first and last is not base64.
    package static func text(in bytes: [UInt8]) -> String {
        var text = ""
        var block: (lines: [String], end: String)?
        for line in bytes.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            let line = trimmed(line)
            if let label = labels.first(where: { line == "-----BEGIN \($0)-----" }) {
                block = ([line], "-----END \(label)-----")
            } else if let open = block, line == open.end {
                for line in open.lines + [line] { text += line + "\n" }
                block = nil
            } else if isBase64(line) {
                block?.lines.append(line)
            } else if !line.isEmpty {
                block = nil
            }
        }
        return text
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> String {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        var line = line
        while let last = line.last, isSpace(last) { line.removeLast() }
        return String(decoding: line, as: UTF8.self)
    }

    private static func isBase64(_ line: String) -> Bool {
        !line.isEmpty && line.utf8.count <= maximumLine
            && line.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
                    true
                default: false
                }
            }
    }
}
