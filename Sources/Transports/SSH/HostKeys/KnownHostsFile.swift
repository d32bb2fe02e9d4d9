import Digests
import Glibc
import PrintModel

/// A known_hosts file at a path.
package struct KnownHostsFile: Hashable, Sendable {
    let path: String
    /// Whether a file that is not there counts as an empty one.
    let isOptional: Bool

    /// Thousands of hosts. OpenSSH has no bound; ours keeps a file that somebody else grows from stopping the service.
    static let longest = 1 << 20

    /// The system's, and that of the user that this process runs as (ssh(1), "FILES").
    package static let system: [String] = {
        let own = getpwuid(geteuid()).flatMap { $0.pointee.pw_dir }.map { String(cString: $0) }
        return [own.map { "\($0)/.ssh/known_hosts" }, "/etc/ssh/ssh_known_hosts"].compactMap(\.self)
    }()

    package init(path: String, isOptional: Bool) {
        self.path = path
        self.isOptional = isOptional
    }

    /// Blocks. Throws `unusableTrust` where the file cannot be read: what it would revoke counts as much as what it
    /// knows.
    package func read() throws(SSHError) -> KnownHosts {
        // Without O_NONBLOCK, opening a FIFO would wait for its writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if isOptional, errno == ENOENT || errno == ENOTDIR { return KnownHosts(entries: []) }
            throw unusable("cannot be opened (\(Self.words(errno)))", errno)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw unusable("is no regular file")
        }
        var octets: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while octets.count <= Self.longest {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unusable("cannot be read (\(Self.words(errno)))", errno) }
            guard count > 0 else { return KnownHosts(parsing: octets) }
            octets += chunk.prefix(count)
        }
        throw unusable("is longer than \(Self.longest) octets")
    }

    func findings(for host: String, port: Int) throws(SSHError) -> KnownHosts.Findings {
        let hosts = try read()
        do {
            return try hosts.findings(for: host, port: port) { key, text throws(DigestError) in
                try MessageAuthenticationCode.sha1(key: key, of: text)
            }
        } catch {
            throw SSHError(.unusableTrust, operation: "host key", reason: error.message)
        }
    }

    private func unusable(_ words: String, _ errno: Int32? = nil) -> SSHError {
        SSHError(
            .unusableTrust, operation: "host key",
            reason: "the known_hosts file \(path.withoutControlCharacters) \(words)",
            native: errno.map { .errno($0) })
    }

    private static func words(_ code: Int32) -> String {
        strerror(code).map { String(cString: $0) } ?? "errno \(code)"
    }
}
