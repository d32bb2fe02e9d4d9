/// A word of a command line that stands for itself in whatever shell the user logs in to: POSIX sh, csh, fish.
enum ShellWord {
    /// In single quotes, in which nothing has a meaning to any of these shells but the quote itself (POSIX XCU 2.2.2),
    /// to fish the backslash, and to csh `!`. Those come as `coded(_:)` writes them.
    static func quote(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    /// Whether a text needs no code to pass.
    static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy(isPlain) }

    /// A text for `printf %b` to restore: whatever is not plain as `\0` and three octal digits.
    static func coded(_ text: String) -> String {
        var coded = ""
        for byte in text.utf8 {
            if isPlain(byte) {
                coded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 8)
                coded += "\\0" + String(repeating: "0", count: 3 - digits.count) + digits
            }
        }
        return coded
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: plainMarks.contains(byte)
        }
    }

    private static let plainMarks = Set(" .,_:;=+/@#%-()".utf8)
}
