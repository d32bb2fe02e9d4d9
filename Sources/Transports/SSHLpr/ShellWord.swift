/// A word of a POSIX shell's command line that stands for itself, whatever is in it.
enum ShellWord {
    /// In single quotes, in which nothing has a meaning but the quote itself (POSIX XCU 2.2.2).
    static func quote(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
