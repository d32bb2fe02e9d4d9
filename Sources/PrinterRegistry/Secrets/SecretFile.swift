import Glibc
import KioskDurableFiles
import KioskPrintModel

/// A file with secrets, opened and checked: no other user may be able to read or change it. All checks use the open
/// descriptor, so that the file that is checked is the one that is read. `SecretReader` opens it for `SecretStore`.
struct SecretFile: ~Copyable {
    private let descriptor: Descriptor
    let version: Version

    /// The version of a file, which changes with its content and permissions.
    struct Version: Hashable {
        private let numbers: [Int64]
        private let changed: Int64

        init(_ status: stat) {
            numbers = [
                Int64(bitPattern: UInt64(status.st_dev)), Int64(bitPattern: UInt64(status.st_ino)),
                Int64(status.st_size),
                Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec),
                Int64(status.st_ctim.tv_sec), Int64(status.st_ctim.tv_nsec),
            ]
            changed = Int64(status.st_ctim.tv_sec)
        }

        /// Whether a further change would change the version too. Timestamps have the resolution of the kernel's tick:
        /// a second change within one tick would not show.
        var isSettled: Bool { changed + 2 < Int64(time(nil)) }
    }

    /// The mechanism that protects a file from other users.
    enum Protection {
        /// The file's mode: only its owner may access it.
        case fileMode
        /// The service manager (systemd.exec(5), LoadCredential=): the file belongs to root, and our user may read it
        /// by an access control list, whose mask shows in the mode's group bits.
        case serviceManager

        fileprivate var forbiddenBits: mode_t { self == .fileMode ? 0o077 : 0o027 }
    }

    /// The version of a file whose permissions are checked elsewhere; nil where it cannot be opened.
    static func version(of path: String) -> Version? {
        guard let descriptor = try? Descriptor(opening: path, flags: O_RDONLY | O_NONBLOCK) else { return nil }
        return (try? descriptor.status()).map(Version.init)
    }

    /// Opens and checks a file; nil where there is none. `user` is the user who has to read it: this process's user, or
    /// the one for whom root checks it.
    static func open(
        _ path: String, protectedBy protection: Protection, for user: uid_t
    ) throws(CredentialError) -> SecretFile? {
        let file: SecretFile
        let status: stat
        do throws(FileError) {
            // Without O_NONBLOCK opening a FIFO waits for a writer.
            let descriptor = try Descriptor(opening: path, flags: O_RDONLY | O_NONBLOCK)
            status = try descriptor.status()
            file = SecretFile(descriptor: descriptor, version: Version(status))
        } catch {
            if error.operation == "open", error.isNotFound { return nil }
            throw CredentialError(error.message.withoutControlCharacters)
        }
        if let problem = problem(of: status, at: path, protection, user) { throw problem }
        return file
    }

    private static func problem(
        of status: stat, at path: String, _ protection: Protection, _ user: uid_t
    ) -> CredentialError? {
        guard status.st_mode & S_IFMT == S_IFREG else {
            return CredentialError(
                "cannot use \(path): it is not a regular file; name a file".withoutControlCharacters)
        }
        if let problem = problem(ofOwner: status.st_uid, at: path, protection, user) {
            return CredentialError(problem.withoutControlCharacters, remedy: ["chown", "\(user)", path])
        }
        guard status.st_mode & protection.forbiddenBits == 0 else {
            let mode = String(status.st_mode & 0o7777, radix: 8)
            let problem =
                "cannot use \(path): users other than its owner can read or change it (mode 0\(mode)); run: chmod 600 \(path)"
            return CredentialError(problem.withoutControlCharacters, remedy: ["chmod", "600", path])
        }
        return nil
    }

    private static func problem(
        ofOwner owner: uid_t, at path: String, _ protection: Protection, _ user: uid_t
    ) -> String? {
        if owner == user { return nil }
        if user == geteuid() {
            if owner == 0 { return nil }
            return
                "cannot use \(path): it belongs to user \(owner), who is neither root nor the user of this program; run: chown \(user) \(path)"
        }
        // Root can read everything, and so would not notice what the daemon cannot read.
        if owner == 0 {
            return protection == .serviceManager
                ? nil
                : "cannot use \(path): it belongs to root, and user \(user), who owns the registry, cannot read it; run: chown \(user) \(path)"
        }
        return
            "cannot use \(path): it belongs to user \(owner), and the registry to user \(user); check as the user that kioskd runs as: sudo -u '#\(owner)' kioskd --check --registry FILE, or run: chown \(user) \(path)"
    }

    /// The whole content.
    consuming func read(limit: Int) throws(CredentialError) -> [UInt8] {
        do throws(FileError) {
            let bytes = try descriptor.read(upTo: limit + 1)
            guard bytes.count <= limit else {
                throw FileError(
                    operation: "read", path: descriptor.path, errno: EFBIG,
                    message: "cannot use \(descriptor.path): it is longer than \(limit) bytes; shorten it")
            }
            return bytes
        } catch {
            throw CredentialError(error.message.withoutControlCharacters)
        }
    }
}
