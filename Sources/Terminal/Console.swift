import Glibc

/// Standard output and standard error. Each text is written at once and in full.
package enum Console {
    package static let isOutputTerminal = isatty(STDOUT_FILENO) == 1
    package static let isErrorTerminal = isatty(STDERR_FILENO) == 1

    package static func write(_ text: String) { write(text, to: STDOUT_FILENO) }
    package static func writeError(_ text: String) { write(text, to: STDERR_FILENO) }
    package static func writeLine(_ line: String) { write(line + "\n") }

    /// Writes JSON and a line end.
    package static func writeLine(json bytes: [UInt8]) {
        writeLine(TerminalJSON.escape(String(decoding: bytes, as: UTF8.self)))
    }

    /// Writes a message to standard error, in the form that all messages have.
    package static func writeMessage(_ message: String) { writeError(messageLine(message)) }

    /// A message with the program's name and a line end.
    package static func messageLine(_ message: String) -> String { "kioskctl: \(message.terminalEscaped)\n" }

    /// Writes a line to standard error that the next one replaces; an empty line clears it. Does nothing unless standard
    /// error is a terminal.
    package static func progress(_ line: String) {
        guard isErrorTerminal else { return }
        // ESC [ K: erase to the end of the line (ECMA-48 §8.3.41).
        writeError("\r\(line.cut(toWidth: errorWidth - 1))\u{1B}[K")
    }

    /// Whether a person can be asked.
    package static var canAsk: Bool { isErrorTerminal && isatty(STDIN_FILENO) == 1 }

    /// Asks a question on the terminal, and returns the line that is typed, without its line end. Nil where standard
    /// error or standard input is not a terminal.
    package static func ask(_ question: String) -> String? {
        guard canAsk else { return nil }
        writeError(question)
        return readLine() ?? ""
    }

    /// Asks for a secret on the terminal, which does not show what is typed. Nil where `ask` returns nil, and where Ctrl-C
    /// was typed.
    package static func askSecretly(_ question: String) -> String? {
        var mode = termios()
        guard isErrorTerminal, tcgetattr(STDIN_FILENO, &mode) == 0 else { return nil }
        var silent = mode
        // Without signals, so that none leaves the terminal as it is: as getpass(3).
        silent.c_lflag &= ~tcflag_t(ECHO | ISIG)
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent) == 0 else { return nil }
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &mode)
            writeError("\n")
        }
        writeError(question)
        let line = readLine() ?? ""
        return line.unicodeScalars.contains("\u{3}") ? nil : line
    }

    /// The columns of the terminal on standard error. A longer line could not be replaced.
    private static var errorWidth: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 1 else { return 80 }
        return Int(size.ws_col)
    }

    /// A reader that has gone is an error of write(2), not the end of this program by a signal.
    private static let ignoresBrokenPipes: Void = { _ = signal(SIGPIPE, SIG_IGN) }()

    private static func write(_ text: String, to descriptor: Int32) {
        _ = ignoresBrokenPipes
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                if count > 0 { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count)) }
                // The reader has closed the pipe (`| head`): nobody is left to report to.
                if count < 0, errno != EINTR, errno != EAGAIN { exit(1) }
            }
        }
    }
}

/// The colours of terminal output, or none: only on a terminal, and not against the user's wish (no-color.org).
package struct Style {
    package let isColored: Bool

    package init(isColored: Bool) { self.isColored = isColored }

    package enum Color: Int {
        case red = 31, green = 32, yellow = 33, gray = 90
    }

    package static let plain = Style(isColored: false)

    /// The style of standard output.
    package static let current = Style(
        isColored: Console.isOutputTerminal && (variable("NO_COLOR") ?? "").isEmpty && variable("TERM") != "dumb"
    )

    package func paint(_ text: String, _ color: Color?) -> String {
        guard isColored, let color, !text.isEmpty else { return text }
        return "\u{1B}[\(color.rawValue)m\(text)\u{1B}[0m"
    }

    package func bold(_ text: String) -> String { isColored ? "\u{1B}[1m\(text)\u{1B}[0m" : text }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

/// Writes the files that a command makes.
package enum OutputFile {
    /// Writes a file, in place of one that exists.
    package static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
        try write(bytes, to: path, flags: O_TRUNC, permissions: 0o644)
    }

    /// Writes a file that its owner alone can read. It comes into its place once its content is on disk: a full disk or
    /// a power cut leaves the old one. A symbolic link to a file is followed. What is no regular file, such as a device,
    /// stays, and is refused.
    package static func replacePrivately(_ path: String, with bytes: [UInt8]) throws(SystemError) {
        let path = try replaceable(path)
        let new = "\(path).new-\(String(UInt64.random(in: .min ... .max), radix: 36))"
        do throws(SystemError) {
            try write(bytes, to: new, flags: O_EXCL | O_NOFOLLOW, permissions: 0o600, isSynced: true)
            guard rename(new, path) == 0 else { throw SystemError(code: errno) }
        } catch {
            unlink(new)
            throw error
        }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError(code: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw SystemError(code: errno) }
    }

    /// The path of the regular file there, or `path` where nothing is.
    private static func replaceable(_ path: String) throws(SystemError) -> String {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw SystemError(code: errno) }
            return path
        }
        var target = path
        if status.st_mode & S_IFMT == S_IFLNK {
            guard let resolved = realpath(path, nil) else { throw SystemError(code: errno) }
            target = String(cString: resolved)
            free(resolved)
            guard lstat(target, &status) == 0 else { throw SystemError(code: errno) }
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SystemError(code: EINVAL, "what is there is no regular file; name another, or leave --output out")
        }
        return target
    }

    private static func write(
        _ bytes: [UInt8], to path: String, flags: CInt, permissions: mode_t, isSynced: Bool = false
    ) throws(SystemError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, permissions)
        guard descriptor >= 0 else { throw SystemError(code: errno) }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemError(code: errno) }
            rest = rest.dropFirst(count)
        }
        guard !isSynced || fsync(descriptor) == 0 else { throw SystemError(code: errno) }
    }
}

/// Reads the files that a command takes.
package enum InputFile {
    /// Reads at most `limit` bytes; `-` is the standard input.
    package static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError(code: errno) }
        defer { if path != "-" { close(descriptor) } }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count < limit {
            let count = Glibc.read(descriptor, &buffer, min(buffer.count, limit - bytes.count))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemError(code: errno) }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return bytes
    }
}

/// The error of a system call.
package struct SystemError: Error, CustomStringConvertible {
    package let code: Int32
    /// What is wrong, where more is known than the code says.
    private let text: String?

    package init(code: Int32, _ text: String? = nil) {
        self.code = code
        self.text = text
    }

    package var description: String { text ?? String(cString: strerror(code)) }
}
