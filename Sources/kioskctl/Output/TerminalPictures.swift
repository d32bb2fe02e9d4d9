import Glibc
import KioskPrintModel

/// A protocol by which a terminal shows pictures within its text.
enum TerminalPictures: Hashable {
    /// Kitty's graphics protocol (sw.kovidgoyal.net/kitty/graphics-protocol).
    case kitty
    /// iTerm2's inline images (iterm2.com/documentation-images.html).
    case inline

    /// The protocol of the terminal on standard output; nil where it is not known to have one.
    static var current: TerminalPictures? { TerminalPictures { name in getenv(name).map { String(cString: $0) } } }

    /// Detects the protocol by the environment variables that terminals set. Within tmux and screen there is none: they
    /// pass no pictures on, but keep the variables of the terminal around them.
    init?(_ variable: (String) -> String?) {
        func has(_ name: String) -> Bool { variable(name).map { !$0.isEmpty } ?? false }
        let (kind, program) = (variable("TERM") ?? "", variable("TERM_PROGRAM") ?? "")
        guard !has("TMUX"), !has("STY"), !["tmux", "screen", "dumb"].contains(where: kind.hasPrefix) else { return nil }
        if has("KITTY_WINDOW_ID") || ["xterm-kitty", "xterm-ghostty"].contains(kind) || program == "ghostty" {
            self = .kitty
        } else if ["iTerm.app", "WezTerm", "mintty"].contains(program) || variable("LC_TERMINAL") == "iTerm2" {
            self = .inline
        } else {
            return nil
        }
    }

    /// The text that shows a PNG file, on lines of its own.
    func text(showing png: [UInt8]) -> String {
        let digits = Base64.encode(png)
        switch self {
        case .inline: return "\u{1B}]1337;File=inline=1;size=\(png.count);preserveAspectRatio=1:\(digits)\u{7}\n"
        case .kitty:
            var (text, rest) = ("", digits.utf8[...])
            repeat {
                let piece = rest.prefix(Self.maximumPieceLength)
                rest = rest.dropFirst(piece.count)
                // a=T: show it; f=100: it is a PNG; q=2: send no response, since nobody would read it; m=1: more
                // follows.
                let keys = text.isEmpty ? "a=T,f=100,q=2," : ""
                text += "\u{1B}_G\(keys)m=\(rest.isEmpty ? 0 : 1);\(Substring(piece))\u{1B}\\"
            } while !rest.isEmpty
            return text + "\n"
        }
    }

    /// The most characters that Kitty accepts at a time.
    private static let maximumPieceLength = 4096
}
