import Glibc
import KioskDigests
import KioskPrintModel

/// A known_hosts file at a path.
package struct KnownHostsFile: Hashable, Sendable {
    let path: String
    /// Whether a missing file counts as an empty one.
    let isOptional: Bool

    /// The limit in octets, enough for thousands of hosts. OpenSSH has none; ours keeps a file that somebody else lets
    /// grow from stopping the service.
    static let maximumLength = 1 << 20

    /// The paths of the system's file and of the file of the user that this process runs as (ssh(1), "FILES").
    package static let system: [String] = {
        let own = getpwuid(geteuid()).flatMap { $0.pointee.pw_dir }.map { String(cString: $0) }
        return [own.map { "\($0)/.ssh/known_hosts" }, "/etc/ssh/ssh_known_hosts"].compactMap(\.self)
    }()

    package init(path: String, isOptional: Bool) {
        self.path = path
        self.isOptional = isOptional
    }

    /// Reads the file. Blocks. Throws `unusableTrust` if it cannot be read, since it may contain revocations.
    package func read() throws(SSHError) -> KnownHosts {
        // Without O_NONBLOCK, opening a FIFO would wait for its writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if isOptional, errno == ENOENT || errno == ENOTDIR { return KnownHosts(entries: []) }
            throw unusable("cannot be opened (\(Self.reason(errno)))", errno)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw unusable("is not a regular file")
        }
        var octets: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while octets.count <= Self.maximumLength {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unusable("cannot be read (\(Self.reason(errno)))", errno) }
            guard count > 0 else { return KnownHosts(parsing: octets) }
            octets += chunk.prefix(count)
        }
        throw unusable("is longer than \(Self.maximumLength) octets")
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

    private func unusable(_ reason: String, _ errno: Int32? = nil) -> SSHError {
        SSHError(
            .unusableTrust, operation: "host key",
            reason: "the known_hosts file \(path.withoutControlCharacters) \(reason)",
            native: errno.map { .errno($0) })
    }

    private static func reason(_ code: Int32) -> String {
        strerror(code).map { String(cString: $0) } ?? "errno \(code)"
    }
}
