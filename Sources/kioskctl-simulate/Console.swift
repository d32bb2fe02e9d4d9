internal import FoundationEssentials
internal import Glibc
internal import PrintModel

/// Standard output and standard error, written at once and whole.
enum Console {
    static func writeLine(_ line: String) { write(line + "\n", to: STDOUT_FILENO) }
    static func write(_ text: String) { write(text, to: STDOUT_FILENO) }
    static func writeError(_ text: String) { write(text, to: STDERR_FILENO) }

    /// A word to the person at the terminal, in the form of all messages.
    static func note(_ message: String) { writeError("kioskctl: \(message.withoutControlCharacters)\n") }

    /// One value as JSON on one line.
    static func write(json value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let text = String(decoding: try encoder.encode(value), as: UTF8.self)
        writeLine(TerminalJSON.escape(text))
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
