import SSH

/// A constant program for the host's POSIX shell, whatever shell the user logs in to. What varies goes to it as
/// arguments.
struct ShellScript: Sendable {
    /// What comes before the answer is what the user's own settings print.
    static let answerMark = "kiosk-answer"
    /// What comes before `lpr`'s own words, in its output and among its errors.
    static let lprMark = "kiosk-lpr"

    private let text: String

    /// One statement a line, ending as sh wants it where lines are joined. Without single quotes, without a backslash
    /// before a backslash, and with a blank after each `!`: nothing that csh or fish would read otherwise.
    init(_ lines: String) {
        let statements = (Self.preamble + "\n" + lines).split(separator: "\n").map { $0.drop { $0 == " " } }
        text = statements.joined(separator: " ")
        precondition(!text.contains("'"))
    }

    /// Words that programs write are those that our parsers know; programs are also looked for where a login shell that
    /// reads no settings does not look.
    private static let preamble = """
        LC_ALL=C; export LC_ALL; PATH="${PATH:+$PATH:}/usr/sbin:/usr/local/bin:/usr/bin:/bin"; export PATH;
        """

    func command(_ arguments: [String] = []) -> RemoteCommand {
        let words = ["kiosk"] + arguments
        return RemoteCommand(line: "exec sh -c '\(text)' " + words.map(ShellWord.quote).joined(separator: " "))
    }
}

extension RemoteResult {
    /// What the script answered; nil where it did not come so far.
    var answer: [Substring]? {
        let text = String(decoding: output, as: UTF8.self)
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        guard let mark = lines.firstIndex(of: Substring(ShellScript.answerMark)) else { return nil }
        return Array(lines[(mark + 1)...])
    }
}
