import Glibc
import KioskDurableFiles
import KioskPrintModel

/// Whose the daemon's files are, and who may read and write them.
struct FileChecks {
    let installation: Installation

    func findings() -> [DoctorFinding] {
        let paths = installation.paths
        guard let state = FileFacts(paths.stateDirectory), state.isFolder else { return [missingStateDirectory] }
        let folder = Folder.parent(of: paths.registry)
        var findings =
            owned(state, "state-directory", allowsRoot: false, recursively: true) + unwritable(state, "state-directory")
        for (name, code) in [
            ("documents", "documents"), ("queue.sqlite", "queue"), ("queue.sqlite-wal", "queue"),
            ("queue.sqlite-shm", "queue"), ("tokens.json", "tokens"), ("audit.jsonl", "audit"),
            ("denied.jsonl", "audit"), ("tls/key.pem", "server-key"),
        ] {
            guard let file = FileFacts("\(paths.stateDirectory)/\(name)") else { continue }
            findings += owned(file, code, allowsRoot: false) + closed(file, code)
        }
        if folder != paths.stateDirectory, let file = FileFacts(folder) {
            findings += owned(file, "registry-folder") + unwritable(file, "registry-folder")
        }
        if let file = FileFacts(paths.registry) {
            findings += owned(file, "registry") + unwritable(file, "registry")
        }
        if let file = FileFacts(paths.secrets) { findings += owned(file, "secrets") + closed(file, "secrets") }
        return findings + profiles
    }

    private var missingStateDirectory: DoctorFinding {
        let path = installation.paths.stateDirectory
        return .init(
            group: .files, code: "state-directory-missing", status: .critical, subject: path,
            message: "there is no state directory \(path), where kioskd keeps jobs and tokens",
            command: ShellCommand.line(
                "install", "-d", "-m", "700", "-o", "\(installation.user)", "-g", "\(installation.group)", path))
    }

    /// Files of another user, who could change them, or whose files the daemon cannot read or, as root's, write.
    private func owned(
        _ file: FileFacts, _ code: String, allowsRoot: Bool = true, recursively: Bool = false
    ) -> [DoctorFinding] {
        let isFine = file.user == installation.user || (file.user == 0 && allowsRoot)
        guard !isFine else { return [] }
        let owner = "\(installation.user):\(installation.group)"
        return [
            .init(
                group: .files, code: "\(code)-owner", status: .critical, subject: file.path,
                message: "\(file.path) belongs to user \(file.user), and kioskd runs as user \(installation.user)",
                command: recursively
                    ? ShellCommand.line("chown", "-R", owner, file.path) : ShellCommand.line("chown", owner, file.path))
        ]
    }

    /// What others could write: it would be refused, since whoever writes it controls the daemon.
    private func unwritable(_ file: FileFacts, _ code: String) -> [DoctorFinding] {
        guard file.permissions & 0o022 != 0, file.permissions & UInt32(S_ISVTX) == 0 else { return [] }
        return [
            .init(
                group: .files, code: "\(code)-writable", status: .critical, subject: file.path,
                message: "others can write \(file.path) (mode \(file.octal)), so kioskd does not trust it",
                command: ShellCommand.line("chmod", "go-w", file.path))
        ]
    }

    /// What nobody else may even read.
    private func closed(_ file: FileFacts, _ code: String) -> [DoctorFinding] {
        guard file.permissions & 0o077 != 0 else { return [] }
        return [
            .init(
                group: .files, code: "\(code)-open", status: .warning, subject: file.path,
                message: "others than its owner can use \(file.path) (mode \(file.octal)), which holds what is private",
                command: ShellCommand.line("chmod", file.isFolder ? "700" : "600", file.path))
        ]
    }

    private var profiles: [DoctorFinding] {
        guard let folder = installation.profiles, let names = try? Folder.names(in: folder) else { return [] }
        let files = [folder] + names.filter { $0.hasSuffix(".yaml") }.map { "\(folder)/\($0)" }
        return files.compactMap { FileFacts($0) }.flatMap { unwritable($0, "profile") }
    }
}
