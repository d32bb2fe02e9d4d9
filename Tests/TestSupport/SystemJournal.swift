import Foundation

/// Debian's `systemd-journald`, with a `/run` of its own, and one program whose standard error is its stream, as the
/// service manager starts services. Needs root.
package final class SystemJournal: Sendable {
    private let folder: TemporaryFolder
    private let process: ChildProcess

    /// Starts both. `environment` is the program's.
    package init(running program: String, _ arguments: [String]) throws {
        folder = try TemporaryFolder("journal")
        try FileManager.default.createDirectory(atPath: folder.appending("log"), withIntermediateDirectories: false)
        let script = """
            set -e
            log=$1 journald=$2 cat=$3
            shift 3
            mount -t tmpfs none /run
            mkdir -p /run/log /run/systemd/journald.conf.d
            mount --bind "$log" /run/log
            mkdir /run/log/journal
            printf '[Journal]\\nStorage=volatile\\nReadKMsg=no\\nForwardToKMsg=no\\nForwardToSyslog=no\\nForwardToWall=no\\nRateLimitBurst=0\\n' \
                >/run/systemd/journald.conf.d/test.conf
            "$journald" &
            while ! [ -S /run/systemd/journal/socket ] || ! [ -S /run/systemd/journal/stdout ]; do
                kill -0 $!
                sleep 0.01
            done
            exec "$cat" -t program /bin/sh -c \
                'JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2) && export JOURNAL_STREAM && exec "$0" "$@"' "$@"
            """
        process = try ChildProcess(
            try InstalledProgram.path("unshare", package: "util-linux"),
            [
                "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "/bin/sh", "-c", script, "sh",
                folder.appending("log"),
                "/lib/systemd/systemd-journald", try InstalledProgram.path("systemd-cat", package: "systemd"), program,
            ] + arguments)
    }

    package var isRunning: Bool { process.isRunning }

    /// What the programs said past the journal.
    package var errors: String { process.standardError }

    /// The entries in which a field has this value, in order, each with all its fields.
    package func entries(_ field: String, _ value: String) async throws -> [[String: String]] {
        let result = try await ChildProcess.run(
            try InstalledProgram.path("journalctl", package: "systemd"),
            ["--directory", folder.appending("log/journal"), "--output", "json", "--no-pager", "\(field)=\(value)"])
        return try result.standardOutput.split(separator: "\n").map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
            return object.compactMapValues { $0 as? String }
        }
    }
}
