import Foundation

// Its keys, its settings, and its accounts.
extension SSHServer {
    /// A new key pair of a user; returns the private key's path. `type` and `bits` as `ssh-keygen` has them.
    /// `authorized`: whether this server takes it.
    package func makeKey(
        _ type: String = "ed25519", name: String = "id", passphrase: String = "", pem: Bool = false,
        authorized: Bool = true
    ) async throws -> String {
        let path = folder.appending("keys/\(name)")
        try await makeKey(type, at: path, passphrase: passphrase, options: pem ? ["-m", "PEM"] : [])
        if authorized {
            let keys = try folder.read("authorized_keys") + readFile("\(path).pub")
            try folder.write(keys, to: "authorized_keys")
        }
        return path
    }

    /// Where `makeKey` has written a private key.
    package func keyPath(_ name: String = "id") -> String { folder.appending("keys/\(name)") }

    /// The line of `known_hosts` for each of its host keys: type and Base64 of the public key.
    package func hostKeyLines() throws -> [String] {
        try options.hostKeyTypes.map { type in
            let words = String(decoding: try folder.read("host_\(type).pub"), as: UTF8.self).split(separator: " ")
            return words.prefix(2).joined(separator: " ")
        }
    }

    func makeHostKeys() async throws {
        for type in options.hostKeyTypes {
            let path = folder.appending("host_\(type)")
            for old in [path, "\(path).pub"] { try? FileManager.default.removeItem(atPath: old) }
            try await makeKey(type, at: path, passphrase: "", options: [])
        }
    }

    private func makeKey(_ type: String, at path: String, passphrase: String, options: [String]) async throws {
        let program = try InstalledProgram.path("ssh-keygen", package: "openssh-client")
        let made = try await ChildProcess.run(
            program, ["-q", "-t", type, "-N", passphrase, "-C", "test", "-f", path] + options)
        guard made.end.isSuccess else { throw TestSupportError("ssh-keygen failed: \(made.standardError)") }
    }

    var configuration: String {
        var lines = options.lines
        if let methods = options.methods { lines.append("AuthenticationMethods \(methods)") }
        if let limit = options.maxSessions { lines.append("MaxSessions \(limit)") }
        if let limit = options.rekeyLimit { lines.append("RekeyLimit \(limit)") }
        if let command = options.forceCommand { lines.append("ForceCommand \(command)") }
        // One SetEnv alone counts.
        let variables = options.environment.merging(["HOME": home]) { value, _ in value }
        lines.append("SetEnv " + variables.sorted { $0.key < $1.key }.map { "\"\($0)=\($1)\"" }.joined(separator: " "))
        let hasPasswords = if case .clerk = options.accounts { "yes" } else { "no" }
        lines += [
            "Port \(port)", "ListenAddress 127.0.0.1", "PidFile none", "LogLevel DEBUG", "StrictModes no",
            "AuthorizedKeysFile \(folder.appending("authorized_keys"))", "PermitRootLogin yes",
            "UsePAM \(hasPasswords)", "PasswordAuthentication \(hasPasswords)",
            "KbdInteractiveAuthentication \(hasPasswords)",
            "Subsystem sftp \(options.sftp ?? "internal-sftp -d \(home)")", "MaxStartups 100:30:200", "UseDNS no",
        ]
        lines += options.hostKeyTypes.map { "HostKey \(folder.appending("host_\($0)"))" }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Copies of the system's accounts, with one more: only this server sees them, by mounts in a name space of its
    /// own.
    func makeAccounts() async throws {
        guard case .clerk(let password) = options.accounts else { return }
        let openssl = try InstalledProgram.path("openssl", package: "openssl")
        let hash = try await ChildProcess.run(openssl, ["passwd", "-6", "-stdin"], input: password + "\n")
        guard hash.end.isSuccess else { throw TestSupportError("openssl passwd failed: \(hash.standardError)") }
        let account = "clerk:x:12345:12345::\(home):/bin/sh\n"
        try folder.write(try readFile("/etc/passwd") + Array(account.utf8), to: "passwd")
        let word = hash.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
        try folder.writePrivately(
            Array("root:*:20000:0:99999:7:::\nclerk:\(word):20000:0:99999:7:::\n".utf8), to: "shadow")
        try folder.write(
            "auth required pam_unix.so nodelay\naccount required pam_unix.so\nsession required pam_permit.so\n",
            to: "pam")
        guard chown(home, 12345, 12345) == 0 else { throw TestSupportError.errno("chown \(home)", errno) }
    }

    /// What only this server sees, each a file and the place that it covers.
    var mounts: [(file: String, place: String)] {
        var mounts = options.hiddenPrograms.map { (file: "/dev/null", place: $0) }
        if case .clerk = options.accounts {
            mounts += [("passwd", "/etc/passwd"), ("shadow", "/etc/shadow"), ("pam", "/etc/pam.d/sshd")].map {
                (folder.appending($0.0), $0.1)
            }
        }
        return mounts
    }

    /// A shell's program: the mounts are made, then its arguments run.
    var mounting: String {
        (mounts.map { "mount --bind '\($0.file)' '\($0.place)'" } + [#"exec "$0" "$@""#]).joined(separator: " && ")
    }
}
