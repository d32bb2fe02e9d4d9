import Glibc

/// Standard output and standard error, written at once and whole.
package enum Console {
    package static let isOutputTerminal = isatty(STDOUT_FILENO) == 1
    package static let isErrorTerminal = isatty(STDERR_FILENO) == 1

    package static func write(_ text: String) { write(text, to: STDOUT_FILENO) }
    package static func writeError(_ text: String) { write(text, to: STDERR_FILENO) }
    package static func writeLine(_ line: String) { write(line + "\n") }

    /// JSON and a line's end.
    package static func writeLine(json bytes: [UInt8]) {
        writeLine(TerminalJSON.escape(String(decoding: bytes, as: UTF8.self)))
    }

    /// A word to the person at the terminal.
    package static func note(_ message: String) { writeError(line(message)) }

    /// The form of all messages.
    package static func line(_ message: String) -> String { "kioskctl: \(message.shown)\n" }

    /// A line on standard error that the next one replaces; nothing where nobody sees it move. Empty clears it.
    package static func progress(_ line: String) {
        guard isErrorTerminal else { return }
        // ESC [ K: erase to the end of the line (ECMA-48 §8.3.41).
        writeError("\r\(line.cut(toWidth: errorWidth - 1))\u{1B}[K")
    }

    /// What a person types behind a question, without its line's end; nil where nobody sees the question or can answer.
    package static func answer(to question: String) -> String? {
        guard isErrorTerminal, isatty(STDIN_FILENO) == 1 else { return nil }
        writeError(question)
        return readLine() ?? ""
    }

    /// The columns of the terminal on standard error; a line that is longer could not be replaced.
    private static var errorWidth: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 1 else { return 80 }
        return Int(size.ws_col)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                if count > 0 { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count)) }
                // The reader has gone (`| head`): there is nobody left to tell.
                if count < 0, errno != EINTR, errno != EAGAIN { exit(1) }
            }
        }
    }
}
