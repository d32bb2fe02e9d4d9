import Foundation
import Synchronization

/// OpenSSH's `sshd` on a loopback port, with a configuration, host keys and authorised keys of its own.
///
/// Who logs in is the user that runs the tests (`Accounts.own`), by key; their shell finds its home in `home` and reads
/// none of their own settings. SFTP begins there too.
package final class SSHServer: Sendable {
    package struct Options: Sendable {
        /// `ssh-keygen`'s names: ed25519, ecdsa, rsa.
        package var hostKeyTypes = ["ed25519"]
        /// For commands: `PATH` and the like.
        package var environment: [String: String] = [:]
        /// As `AuthenticationMethods` has it; nil takes any that is on.
        package var methods: String?
        /// Instead of whatever command, shell or subsystem a client asks for.
        package var forceCommand: String?
        package var maxSessions: Int?
        package var rekeyLimit: String?
        /// What speaks SFTP, as a shell's command line; nil for sshd itself.
        package var sftp: String?
        package var accounts = Accounts.own
        /// Paths of programs that its users do not find, whatever their `PATH`. Needs root.
        package var hiddenPrograms: [String] = []
        /// Further lines of `sshd_config`; the first of a keyword counts, and these come first.
        package var lines: [String] = []

        package init() {}
    }

    package enum Accounts: Sendable {
        case own
        /// A user `clerk` who exists for this server alone, and logs in by password too. Needs root.
        case clerk(password: String)
    }

    package let port: Int
    package let user: String
    /// Where commands find `$HOME`, and where SFTP begins.
    package let home: String
    let options: Options
    let folder: TemporaryFolder
    private let running = RunningChild()

    /// Starts it and returns once it listens.
    package init(_ options: Options = Options()) async throws {
        self.options = options
        folder = try TemporaryFolder("sshd")
        // A user of its own must get through to its home.
        guard chmod(folder.path, 0o755) == 0 else { throw TestSupportError.errno("chmod", errno) }
        home = folder.appending("home")
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: false)
        try FileManager.default.createDirectory(atPath: folder.appending("keys"), withIntermediateDirectories: false)
        try folder.write("", to: "authorized_keys")
        port = try freePort()
        user = options.accounts.user ?? NSUserName()
        try await makeHostKeys()
        try await makeAccounts()
        try await start()
    }

    deinit {
        // Sessions lead groups of their own, and frozen ones never notice that their client is gone.
        guard let child = running.child else { return }
        for process in descendants(of: child.processID) { Glibc.kill(process, SIGKILL) }
    }

    /// What it noted, at its `DEBUG` level.
    package var log: String { (try? folder.read("log")).map { String(decoding: $0, as: UTF8.self) } ?? "" }

    /// Whether it runs.
    package var isRunning: Bool { running.child?.isRunning ?? false }

    /// Starts it again on the same port.
    package func start() async throws {
        let sshd = try InstalledProgram.path("sshd", package: "openssh-server")
        // Where its unprivileged half is locked in; the package's own unit makes it when the system starts.
        if geteuid() == 0 {
            try FileManager.default.createDirectory(atPath: "/run/sshd", withIntermediateDirectories: true)
        }
        try folder.write(configuration, to: "sshd_config")
        let arguments = ["-D", "-f", folder.appending("sshd_config"), "-E", folder.appending("log")]
        let child =
            if mounts.isEmpty {
                try ChildProcess(sshd, arguments)
            } else {
                try ChildProcess(
                    try InstalledProgram.path("unshare", package: "util-linux"),
                    ["--mount", "--propagation", "private", "sh", "-c", mounting, sshd] + arguments)
            }
        running.child = child
        try await waitUntilListening(child, on: port)
    }

    /// Ends it with all its sessions and their commands, as a power cut would; its port refuses until `start()`.
    package func stop() async throws {
        guard let child = running.child else { return }
        for process in descendants(of: child.processID) { Glibc.kill(process, SIGKILL) }
        child.kill()
        try await child.wait()
        running.child = nil
    }

    /// Ends what serves connections and nothing else: new ones are accepted, and commands go on without a client.
    package func killSessions() { for process in sessions { Glibc.kill(process, SIGKILL) } }

    /// Stops the sessions' processes; none of them sends anything once this returns.
    package func freezeSessions() async throws { try await freeze(sessions) }

    /// It takes connections, since the kernel does, and says nothing until `thaw()`; its sessions too.
    package func freeze() async throws { try await freeze(all) }

    package func thaw() { for process in all { Glibc.kill(process, SIGCONT) } }

    private func freeze(_ processes: [Int32]) async throws {
        for process in processes { Glibc.kill(process, SIGSTOP) }
        try await eventually("sshd's standstill", poll: .milliseconds(1)) { processes.allSatisfy(standsStill) }
    }

    private var all: [Int32] {
        guard let child = running.child else { return [] }
        return [child.processID] + descendants(of: child.processID)
    }

    /// The two halves of each, without what they run.
    private var sessions: [Int32] {
        guard let child = running.child else { return [] }
        return childProcesses(of: child.processID).flatMap { process in
            childProcesses(of: process).filter { programName(of: $0) == "sshd" } + [process]
        }
    }

    /// Gives it other host keys; sessions that stand stay.
    package func changeHostKeys() async throws {
        guard let child = running.child else { return }
        try await makeHostKeys()
        let starts = log.components(separatedBy: "Server listening").count
        Glibc.kill(child.processID, SIGHUP)
        try await eventually("sshd's new start") { log.components(separatedBy: "Server listening").count > starts }
    }
}

extension SSHServer.Accounts {
    fileprivate var user: String? {
        if case .clerk = self { "clerk" } else { nil }
    }
}
