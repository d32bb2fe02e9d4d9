package import Glibc

/// Durable operations on folders. Every call blocks: keep it off the cooperative pool.
package enum Folder {
    /// Makes created, renamed and removed entries of this folder durable.
    package static func sync(_ path: String) throws(FileError) {
        try Descriptor(opening: path, flags: O_RDONLY | O_DIRECTORY).sync()
    }

    /// Creates the folder and its missing parents, durably; leaves an existing one unchanged.
    package static func create(_ path: String, permissions: mode_t = 0o750) throws(FileError) {
        if exists(path) { return }
        let parent = parent(of: path)
        if parent != path { try create(parent, permissions: permissions) }
        guard mkdir(path, permissions) == 0 else {
            let failure = errno
            // Another process may have created it; a file in its place is an error.
            if failure == EEXIST, exists(path) { return }
            throw FileError(operation: "create", path: path, errno: failure)
        }
        try sync(parent)
    }

    /// Runs `body` with an exclusive lock on the folder, against other processes and other callers in this one.
    package static func withLock<Result>(on path: String, _ body: () throws -> Result) throws -> Result {
        let folder = try Descriptor(opening: path, flags: O_RDONLY | O_DIRECTORY)
        guard retryingInterrupted({ flock(folder.number, LOCK_EX) }) == 0 else {
            throw FileError(operation: "lock", path: path, errno: errno)
        }
        // Closing the descriptor releases the lock; it must not happen before the body ends.
        defer { _ = flock(folder.number, LOCK_UN) }
        return try body()
    }

    /// The names in the folder, sorted, without `.` and `..`.
    package static func names(in path: String) throws(FileError) -> [String] {
        guard let stream = opendir(path) else { throw FileError(operation: "list", path: path, errno: errno) }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        guard errno == 0 else { throw FileError(operation: "list", path: path, errno: errno) }
        return names.sorted()
    }

    /// Removes a file durably; does nothing where it does not exist.
    package static func remove(file path: String) throws(FileError) {
        guard unlink(path) == 0 else {
            if errno == ENOENT { return }
            throw FileError(operation: "remove", path: path, errno: errno)
        }
        try sync(parent(of: path))
    }

    /// The folder of a path's last component: `.` for a bare name.
    package static func parent(of path: String) -> String {
        let trimmed = path.utf8.count > 1 && path.hasSuffix("/") ? path.dropLast() : path[...]
        guard let slash = trimmed.lastIndex(of: "/") else { return "." }
        return slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
    }

    /// The path's last component.
    package static func name(of path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    private static func exists(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}

/// The lock of one process on a state directory: a `flock` on its file `lock`, which contains the process's id.
///
/// The lock is held for the lifetime of this object. The kernel releases it when the process ends, however it ends; the
/// file stays.
package final class FolderLock: Sendable {
    private let descriptor: Descriptor
    package let path: String

    /// Locks the folder; when it is locked already, throws an error with `EWOULDBLOCK` that names the holder's process
    /// id.
    package init(folder: String) throws(FileError) {
        path = "\(folder)/lock"
        descriptor = try Descriptor(opening: path, flags: O_RDWR | O_CREAT | O_NOFOLLOW, permissions: 0o640)
        guard retryingInterrupted({ flock(descriptor.number, LOCK_EX | LOCK_NB) }) == 0 else {
            let failure = errno
            guard failure == EWOULDBLOCK else { throw FileError(operation: "lock", path: path, errno: failure) }
            throw Self.inUse(folder: folder, path: path, holder: try descriptor.read(upTo: Self.maximumLength))
        }
        try writeHolder()
    }

    deinit {
        // Closing is not enough: a child that was just forked holds the same lock until it calls exec.
        _ = flock(descriptor.number, LOCK_UN)
    }

    private static let maximumLength = 32

    private func writeHolder() throws(FileError) {
        guard ftruncate(descriptor.number, 0) == 0 else {
            throw FileError(operation: "truncate", path: path, errno: errno)
        }
        try descriptor.write("\(getpid())\n".utf8)
    }

    private static func inUse(folder: String, path: String, holder: [UInt8]) -> FileError {
        let digits = String(decoding: holder, as: UTF8.self).prefix { $0.isASCII && $0.isNumber }
        let who =
            switch digits {
            case "": "another process"
            case "\(getpid())": "this process itself (\(digits))"
            default: "process \(digits)"
            }
        return FileError(
            operation: "lock", path: path, errno: EWOULDBLOCK,
            message: "\(folder) is in use by \(who); stop that one, or choose another state directory"
        )
    }
}

/// The state of the file system of a path (statvfs(3)).
package struct FileSystemState: Hashable, Sendable {
    package var isReadOnly: Bool
    /// Free bytes for unprivileged users.
    package var freeBytes: Int64

    package init(of path: String) throws(FileError) {
        var state = statvfs()
        guard statvfs(path, &state) == 0 else {
            throw FileError(operation: "query the file system of", path: path, errno: errno)
        }
        isReadOnly = state.f_flag & UInt(ST_RDONLY) != 0
        let (bytes, overflow) = Int64(clamping: state.f_bavail).multipliedReportingOverflow(
            by: Int64(clamping: state.f_frsize))
        // A file system that reports no size has room until a write says otherwise.
        freeBytes = state.f_blocks == 0 || overflow ? .max : bytes
    }
}
