import Foundation
import Testing

@testable import kioskctl

/// Which terminals are shown pictures, and how these are written.
@Suite struct TerminalPicturesTests {
    @Test(
        arguments: [
            ([:], nil), (["TERM": "xterm-256color"], nil), (["TERM": "xterm-kitty"], .kitty),
            (["TERM": "xterm-256color", "KITTY_WINDOW_ID": "3"], .kitty),
            (["TERM": "xterm-ghostty"], .kitty), (["TERM_PROGRAM": "ghostty"], .kitty),
            (["TERM_PROGRAM": "iTerm.app"], .inline),
            (["TERM_PROGRAM": "WezTerm"], .inline), (["TERM_PROGRAM": "mintty"], .inline),
            (["LC_TERMINAL": "iTerm2"], .inline),
            (["TERM_PROGRAM": "vscode"], nil), (["TERM_PROGRAM": "Apple_Terminal"], nil),
            (["KITTY_WINDOW_ID": ""], nil),
            // What stands between would lose the picture.
            (["TERM": "tmux-256color", "KITTY_WINDOW_ID": "3"], nil),
            (["TERM": "screen", "TERM_PROGRAM": "iTerm.app"], nil),
            (["TERM": "xterm-kitty", "TMUX": "/tmp/tmux-0"], nil), (["TERM": "xterm-kitty", "STY": "1.tty"], nil),
            (["TERM": "dumb", "KITTY_WINDOW_ID": "3"], nil),
        ] as [([String: String], TerminalPictures?)])
    func `terminals are known by their variables`(environment: [String: String], pictures: TerminalPictures?) {
        #expect(TerminalPictures { environment[$0] } == pictures)
    }

    @Test(arguments: [0, 1, 2, 3, 3071, 3072, 3073, 10_000]) func `a long picture goes in pieces`(length: Int) throws {
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let pieces = TerminalPictures.kitty.text(showing: bytes).dropLast().split(separator: "\u{1B}\\").map {
            $0.dropFirst(3)
        }
        let texts = pieces.map { $0.split(separator: ";", omittingEmptySubsequences: false)[1] }
        #expect(texts.allSatisfy { $0.utf8.count <= 4096 })
        #expect(pieces.map { $0.contains("m=1;") } == pieces.indices.map { $0 < pieces.count - 1 })
        #expect(Data(base64Encoded: texts.joined()) == Data(bytes))
        #expect(pieces.count == max((length + 3071) / 3072, 1))
    }
}
