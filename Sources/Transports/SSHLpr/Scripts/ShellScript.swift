import KioskSSH

/// A constant script for the host's POSIX shell, whatever the user's login shell is. What varies is passed as
/// arguments.
struct ShellScript: Sendable {
    /// The line before the response. What comes before it is output of the user's own shell settings.
    static let responseMarker = "kiosk-answer"
    /// The line before `lpr`'s own output, in standard output and in standard error.
    static let lprMarker = "kiosk-lpr"

    private let text: String

    /// `lines`: statements, ended as sh requires when lines are joined by blanks. They contain no single quote and no
    /// double backslash, and have a blank after each `!`, so that csh and fish read them as sh does.
    init(_ lines: String) {
        let statements = (Self.preamble + "\n" + lines).split(separator: "\n").map { $0.drop { $0 == " " } }
        text = statements.joined(separator: " ")
        precondition(!text.contains("'"))
    }

    /// Makes programs write the messages that our parsers know, and finds programs in folders that a login shell
    /// without settings does not search.
    private static let preamble = """
        LC_ALL=C; export LC_ALL; PATH="${PATH:+$PATH:}/usr/sbin:/usr/local/bin:/usr/bin:/bin"; export PATH;
        """

    func command(_ arguments: [String] = []) -> RemoteCommand {
        let words = ["kiosk"] + arguments
        return RemoteCommand(line: "exec sh -c '\(text)' " + words.map(ShellWord.quote).joined(separator: " "))
    }
}

/// A word of a command line that every login shell reads as itself: POSIX sh, csh, fish.
enum ShellWord {
    /// Puts a string in single quotes. Inside them only the quote itself has a meaning to these shells (POSIX XCU
    /// 2.2.2), and to fish the backslash, and to csh `!`. `escaped(_:)` replaces those.
    static func quote(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    /// Whether a string needs no escape.
    static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy(isPlain) }

    /// Escapes a string for `printf %b`: every octet that is not plain becomes `\0` and three octal digits.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for byte in text.utf8 {
            if isPlain(byte) {
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 8)
                escaped += "\\0" + String(repeating: "0", count: 3 - digits.count) + digits
            }
        }
        return escaped
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: plainPunctuation.contains(byte)
        }
    }

    private static let plainPunctuation = Set(" .,_:;=+/@#%-()".utf8)
}
