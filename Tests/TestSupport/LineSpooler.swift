import Foundation

/// A line printer daemon with its own `lpr`, `lpq` and `lprm`, of LPRng or of BSD, from Debian's packages as they are,
/// unpacked beside the build (`Scripts/bootstrap test`): they shut each other out, and CUPS's, where they are
/// installed.
///
/// Their settings have fixed places, so it all runs in a mount name space of its own. Needs root.
package final class LineSpooler: Sendable {
    package enum Make: String, Sendable, CaseIterable {
        case lprng, bsd
    }

    package let make: Make
    /// To stand first in the `PATH` of whoever prints: the three programs, in the daemon's name space.
    package var programs: String { folder.appending("bin") }
    /// Where LPRng's takes jobs over TCP, on loopback; nil where it was not asked to.
    package let port: Int?
    private let folder: TemporaryFolder
    private let daemon: ChildProcess
    private let packages: String

    /// Why it cannot run here; nil where it can.
    package static var obstacle: String? {
        if geteuid() != 0 { return "line printer daemons need root" }
        let isThere = Make.allCases.allSatisfy {
            FileManager.default.isExecutableFile(atPath: "\(packages(of: $0))/usr/sbin/lpd")
        }
        return isThere ? nil : "line printer daemons are missing: run `Scripts/bootstrap test`"
    }

    private static func packages(of make: Make) -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../.build/peers")
            .standardized.path
        return "\(root)/\(make == .bsd ? "lpr" : "lprng")"
    }

    /// LPRng's, over TCP as well. (BSD's takes port 515 alone.)
    package static func listening() async throws -> LineSpooler { try await LineSpooler(.lprng, port: freePort()) }

    /// Starts it with a queue `receipt` that keeps what it prints, and returns once it responds.
    package convenience init(_ make: Make) async throws { try await self.init(make, port: nil) }

    private init(_ make: Make, port: Int?) async throws {
        self.make = make
        self.port = port
        packages = Self.packages(of: make)
        folder = try TemporaryFolder(make.rawValue)
        for name in ["bin", "run", "spool", "spool/receipt", "kept", "dev"] {
            try FileManager.default.createDirectory(atPath: folder.appending(name), withIntermediateDirectories: true)
        }
        for name in ["kept", "spool", "spool/receipt", "."] where chmod(folder.appending(name), 0o777) != 0 {
            throw TestSupportError.errno("chmod", errno)
        }
        try writeProgram(
            """
            #!/bin/sh
            part=$(mktemp '\(folder.path)/kept/.part-XXXXXX') && cat >"$part" || exit 1
            while [ -e '\(folder.path)/hold' ]; do sleep 0.05; done
            mv "$part" '\(folder.path)/kept/'"$(date +%s%N)"

            """, to: folder.appending("filter"))
        try folder.write("", to: "device")
        try folder.write(Self.printcap(make, folder), to: "printcap")
        let unshare = try InstalledProgram.path("unshare", package: "util-linux")
        daemon = try ChildProcess(
            unshare, ["--mount", "--propagation", "private", "sh", "-c", Self.mounting(make, folder, packages, port)])
        let nsenter = try InstalledProgram.path("nsenter", package: "util-linux")
        for name in ["lpr", "lpq", "lprm"] {
            try writeProgram(
                """
                #!/bin/sh
                exec '\(nsenter)' --mount=/proc/\(daemon.processID)/ns/mnt --wd="$PWD" -- '\(packages)/usr/bin/\(name)' "$@"

                """, to: "\(programs)/\(name)")
        }
        try await eventually("the queue of \(make)") {
            guard daemon.isRunning else { throw TestSupportError("\(make) ended: \(daemon.standardError)") }
            let asked = try await ChildProcess.run("\(programs)/lpq", ["-Preceipt"])
            return asked.end.isSuccess
                && asked.standardOutput.contains(make == .bsd ? "no entries" : "no printable jobs")
        }
    }

    deinit {
        // BSD's daemon leaves its parent.
        let text = (try? folder.read("run/lpd.pid")).map { String(decoding: $0, as: UTF8.self) } ?? ""
        if make == .bsd, let process = Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)) {
            Glibc.kill(process, SIGKILL)
        }
        // LPRng's forks another, which would stay.
        for process in descendants(of: daemon.processID) { Glibc.kill(process, SIGKILL) }
        daemon.kill()
    }

    /// What it printed, oldest job first.
    package func keptFiles() throws -> [[UInt8]] {
        try FileManager.default.contentsOfDirectory(atPath: folder.appending("kept"))
            .compactMap { Int($0) }.sorted().map { try readFile(folder.appending("kept/\($0)")) }
    }

    /// Lets the job at hand, and those to come, wait before they end until `release()`.
    package func hold() throws { try folder.write("", to: "hold") }

    package func release() throws {
        guard unlink(folder.appending("hold")) == 0 || errno == ENOENT else {
            throw TestSupportError.errno("unlink", errno)
        }
    }

    /// Tells the daemon's control program something: `stop`, `disable`, `down`.
    package func control(_ arguments: [String]) async throws {
        let nsenter = try InstalledProgram.path("nsenter", package: "util-linux")
        let done = try await ChildProcess.run(
            nsenter, ["--mount=/proc/\(daemon.processID)/ns/mnt", "--", "\(packages)/usr/sbin/lpc"] + arguments)
        guard done.end.isSuccess else {
            throw TestSupportError("lpc failed: \(done.standardOutput)\(done.standardError)")
        }
    }

    /// What lies in the queue's spool folder, without the daemon's own files.
    package func spooledFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.appending("spool/receipt"))
            .filter { name in ["cf", "df", "tf", "hf"].contains { name.hasPrefix($0) } }.sorted()
    }

    private static func printcap(_ make: Make, _ folder: TemporaryFolder) -> String {
        let spool = make == .bsd ? "/var/spool/lpd/receipt" : folder.appending("spool/receipt")
        let filter = make == .bsd ? "if" : "filter"
        let more = make == .bsd ? ":mx#0:sf" : ":cm=The receipt printer:mc=9"
        return
            "receipt:sd=\(spool):lp=\(folder.appending("device")):\(filter)=\(folder.appending("filter")):sh\(more):\n"
    }

    /// A shell's program: puts its settings in their places, without a trace on the disk, and becomes the daemon.
    private static func mounting(
        _ make: Make, _ folder: TemporaryFolder, _ packages: String, _ port: Int?
    ) -> String {
        let here = "'\(folder.path)'"
        let places = """
            set -e; mkdir \(here)/system; mount --bind /etc \(here)/system; mount -t tmpfs tmpfs /etc
            for name in \(here)/system/*; do ln -s "$name" /etc/; done; rm -f /etc/printcap /etc/lprng
            cp \(here)/printcap /etc/printcap; mount --bind \(here)/run /run
            """
        switch make {
        case .lprng:
            let listening = port.map { "lpd_listen_port=127.0.0.1%%\($0)\\n" } ?? ""
            return """
                \(places); mkdir /etc/lprng /run/lprng; cp '\(packages)'/etc/lprng/lpd.perms /etc/lprng/
                printf 'user=root\\ngroup=root\\ndone_jobs=0\\nsyslog_device=/dev/null\\n\(listening)' >/etc/lprng/lpd.conf
                '\(packages)/usr/sbin/checkpc' -f >/dev/null 2>&1 || :
                exec '\(packages)/usr/sbin/lpd' -F
                """
        case .bsd:
            return """
                \(places); chown -R root:lp \(here)/spool; chmod 775 \(here)/spool \(here)/spool/receipt
                mount -t tmpfs tmpfs /var/spool; mkdir /var/spool/lpd; mount --bind \(here)/spool /var/spool/lpd
                mount -t tmpfs tmpfs \(here)/dev
                for device in null zero full random urandom tty; do
                : >\(here)/dev/$device; mount --bind /dev/$device \(here)/dev/$device; done
                ln -s /proc/self/fd \(here)/dev/fd; mount --rbind \(here)/dev /dev
                '\(packages)/usr/sbin/lpd' -s
                # The daemon leaves its parent; where nobody ends both, it follows.
                (trap '' HUP; while kill -0 $$ 2>/dev/null; do sleep 1; done; kill "$(cat /run/lpd.pid)") </dev/null >/dev/null 2>&1 &
                while :; do sleep 3600; done
                """
        }
    }
}
