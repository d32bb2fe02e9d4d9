package import Glibc

/// Replaces files atomically: after a crash or a power cut the file has the old content or the new, never a mixture.
/// Every call blocks: keep it off the cooperative pool.
package enum AtomicFile {
    /// Replaces the file's content with `bytes`: temporary file in the same folder, fsync, rename, fsync of the folder.
    ///
    /// Returns once the new content is durable. A symbolic link is followed: its target is replaced, or created where
    /// it does not exist. With `keepingPermissions` an existing file keeps its mode and, where the system allows, its
    /// owner.
    package static func replace(
        _ path: String, with bytes: [UInt8], permissions: mode_t = 0o640, keepingPermissions: Bool = false
    ) throws(FileError) {
        let target = SymbolicLinks.chain(to: path).last ?? path
        let folder = Folder.parent(of: target)
        removeLeftovers(of: target)
        let temporary = "\(folder)/\(temporaryPrefix(of: target))\(String(UInt64.random(in: .min ... .max), radix: 36))"
        do throws(FileError) {
            let file = try Descriptor(
                opening: temporary, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, permissions: 0o600)
            try setPermissions(of: file, permissions: permissions, from: keepingPermissions ? target : nil)
            try file.write(bytes)
            try file.sync()
            try file.close()
            guard rename(temporary, target) == 0 else {
                throw FileError(operation: "rename", path: target, errno: errno)
            }
        } catch {
            _ = unlink(temporary)
            throw error
        }
        try Folder.sync(folder)
    }

    /// The file's content; throws `EFBIG` when it is longer than `limit` bytes, and refuses anything but a regular
    /// file. `check` may refuse the file for its other attributes, which are those of the file that is read.
    package static func read(
        _ path: String, limit: Int, check: (stat) throws(FileError) -> Void = { _ throws(FileError) in }
    ) throws(FileError) -> [UInt8] {
        // Without O_NONBLOCK opening a FIFO waits for a writer.
        let file = try Descriptor(opening: path, flags: O_RDONLY | O_NONBLOCK)
        let status = try file.status()
        try check(status)
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FileError(
                operation: "read", path: path, errno: EINVAL,
                message: "cannot read \(path): it is not a regular file; name a file"
            )
        }
        let bytes = try file.read(upTo: limit + 1)
        guard bytes.count <= limit else {
            throw FileError(
                operation: "read", path: path, errno: EFBIG,
                message: "cannot read \(path): it is longer than \(limit) bytes; shorten it"
            )
        }
        return bytes
    }

    private static func setPermissions(
        of file: borrowing Descriptor, permissions: mode_t, from existing: String?
    ) throws(FileError) {
        var mode = permissions
        var status = stat()
        if let existing, stat(existing, &status) == 0 {
            mode = status.st_mode & 0o7777
            // Only root may give files away; the content matters more than its owner.
            _ = fchown(file.number, status.st_uid, status.st_gid)
        }
        // Not with open(2): the process's umask would remove bits.
        guard fchmod(file.number, mode) == 0 else {
            throw FileError(operation: "chmod", path: file.path, errno: errno)
        }
    }
}

extension AtomicFile {
    /// Seconds, longer than any replacement takes.
    private static let leftoverAge = 600

    private static func temporaryPrefix(of target: String) -> String { ".\(Folder.name(of: target)).new-" }

    /// Removes the temporary files of killed processes; best effort, since they do no harm.
    private static func removeLeftovers(of target: String) {
        let folder = Folder.parent(of: target)
        let prefix = temporaryPrefix(of: target)
        guard let names = try? Folder.names(in: folder) else { return }
        for name in names where name.hasPrefix(prefix) {
            var status = stat()
            let path = "\(folder)/\(name)"
            if lstat(path, &status) == 0, status.st_mtim.tv_sec < time(nil) - leftoverAge { _ = unlink(path) }
        }
    }
}
