package import Glibc

/// Folders, and what in them must survive a power cut. Every call blocks: keep it off the cooperative pool.
package enum Folder {
    /// Makes created, renamed and removed names in this folder durable.
    package static func sync(_ path: String) throws(FileError) {
        try Descriptor(opening: path, flags: O_RDONLY | O_DIRECTORY).sync()
    }

    /// Creates the folder and those above it where they are missing, durably; leaves an existing one as it is.
    package static func create(_ path: String, permissions: mode_t = 0o750) throws(FileError) {
        if exists(path) { return }
        let parent = parent(of: path)
        if parent != path { try create(parent, permissions: permissions) }
        guard mkdir(path, permissions) == 0 else {
            let failure = errno
            // Another process may have been faster; a file in its place is an error.
            if failure == EEXIST, exists(path) { return }
            throw FileError(operation: "create", path: path, errno: failure)
        }
        try sync(parent)
    }

    /// Does `body` while no other process, and no other caller in this one, holds the lock on the same folder.
    package static func withLock<Result>(on path: String, _ body: () throws -> Result) throws -> Result {
        let folder = try Descriptor(opening: path, flags: O_RDONLY | O_DIRECTORY)
        guard retryingInterrupted({ flock(folder.number, LOCK_EX) }) == 0 else {
            throw FileError(operation: "lock", path: path, errno: errno)
        }
        // Closing the descriptor releases the lock; it must not happen before the body is done.
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

    /// Removes a file durably; a file that is not there is removed already.
    package static func remove(file path: String) throws(FileError) {
        guard unlink(path) == 0 else {
            if errno == ENOENT { return }
            throw FileError(operation: "remove", path: path, errno: errno)
        }
        try sync(parent(of: path))
    }

    /// The folder that a path's last component stands in: `.` for a bare name.
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
