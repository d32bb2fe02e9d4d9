import KioskPrintModel

/// One thing that is wrong with an installation, or that is worth to know.
struct DoctorFinding: Hashable, Sendable, Encodable {
    /// The group of checks that found it: `files`, `socket` …
    var group: Group
    /// A stable kebab-case code, such as `secrets-open`.
    var code: String
    /// CRITICAL where printing fails, WARNING where it will or where a secret is open, OK for what is only told.
    var status: HealthReport.Status
    /// The file, printer, group or program that it is about.
    var subject: String
    /// What is wrong.
    var message: String
    /// The shell command that mends it, to be run by root; nil where no command can.
    var command: String?

    /// The groups of checks, in the order in which they run.
    enum Group: String, Hashable, Sendable, Encodable, CaseIterable {
        case files, registry, socket, groups, disk, clock, certificates, ssh, usb, helpers, fonts, network
    }

    /// Whether somebody has to do something about it.
    var isProblem: Bool { status == .warning || status == .critical }
}

/// What `kioskd --doctor --json` writes.
struct DoctorReport: Hashable, Sendable, Encodable {
    /// The worst of the findings.
    var status: HealthReport.Status
    /// The groups that were checked.
    var checked: [DoctorFinding.Group]
    var findings: [DoctorFinding]

    init(checked: [DoctorFinding.Group], findings: [DoctorFinding]) {
        let ranks: [HealthReport.Status] = [.ok, .unknown, .warning, .critical]
        self.checked = checked
        self.findings = findings
        status = findings.map(\.status).max { ranks.firstIndex(of: $0) ?? 0 < ranks.firstIndex(of: $1) ?? 0 } ?? .ok
    }
}

/// A command for a shell, of words that it must not take apart.
enum ShellCommand {
    static func line(_ words: String...) -> String { line(words) }

    static func line(_ words: [String]) -> String { words.map(quoted).joined(separator: " ") }

    static func quoted(_ word: String) -> String {
        let isPlain = !word.isEmpty && word.unicodeScalars.allSatisfy { plain.contains($0) }
        guard !isPlain else { return word }
        return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }

    private static let plain = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/.,:=@%+-_".unicodeScalars)
}
