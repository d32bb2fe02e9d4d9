package import Glibc

/// An open file descriptor that closes itself.
package struct Descriptor: ~Copyable, Sendable {
    /// -1 after closing.
    package private(set) var number: CInt
    package let path: String

    /// Opens a file with `O_CLOEXEC`; `permissions` apply only where `flags` create it.
    package init(opening path: String, flags: CInt, permissions: mode_t = 0) throws(FileError) {
        // C would cut the path at a NUL byte and open another file.
        guard !path.utf8.contains(0) else { throw FileError(operation: "open", path: path, errno: EINVAL) }
        let number = retryingInterrupted { open(path, flags | O_CLOEXEC, permissions) }
        guard number >= 0 else { throw FileError(operation: "open", path: path, errno: errno) }
        self.number = number
        self.path = path
    }

    deinit {
        if number >= 0 { _ = Glibc.close(number) }
    }

    /// Closes the descriptor and throws its error: NFS and quotas report a failed write only here.
    package consuming func close() throws(FileError) {
        let number = self.number
        self.number = -1
        // Linux releases the descriptor even when it reports EINTR; closing again could close another's file.
        guard Glibc.close(number) == 0 || errno == EINTR else {
            throw FileError(operation: "close", path: path, errno: errno)
        }
    }

    package borrowing func write(_ bytes: some Collection<UInt8>) throws(FileError) {
        // The standard library's rethrowing closures lose the typed error; a Result carries it through.
        let written = bytes.withContiguousStorageIfAvailable { buffer in
            Result { () throws(FileError) in try write(UnsafeRawBufferPointer(buffer)) }
        }
        if let written { try written.get() } else { try write(Array(bytes)) }
    }

    private borrowing func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest)
            let count = retryingInterrupted { Glibc.write(number, piece.baseAddress, piece.count) }
            guard count >= 0 else { throw FileError(operation: "write", path: path, errno: errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// Reads at most `count` bytes; fewer only at the end of the file.
    package borrowing func read(upTo count: Int) throws(FileError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let wanted = min(count - bytes.count, 65_536)
            var failure: CInt = 0
            let chunk = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, initialized in
                let result = retryingInterrupted { Glibc.read(number, buffer.baseAddress, wanted) }
                if result < 0 { failure = errno }
                initialized = max(0, result)
            }
            guard failure == 0 else { throw FileError(operation: "read", path: path, errno: failure) }
            if chunk.isEmpty { break }
            bytes += chunk
        }
        return bytes
    }

    /// Returns once data and metadata are on disk. A failed fsync is never repeated: Linux drops the dirty pages
    /// and would report success for data that is gone.
    package borrowing func sync() throws(FileError) {
        guard retryingInterrupted({ fsync(number) }) == 0 else {
            throw FileError(operation: "fsync", path: path, errno: errno)
        }
    }

    package borrowing func status() throws(FileError) -> stat {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw FileError(operation: "fstat", path: path, errno: errno) }
        return status
    }
}

/// Repeats the call while signals interrupt it.
func retryingInterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        guard result == -1, errno == EINTR else { return result }
    }
}

/// The reason why a file operation failed.
package struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The system call or step that failed: "open", "fsync", "rename", "lock".
    package var operation: String
    package var path: String
    package var errno: CInt
    /// What happened, to which file, and what to do next, for people.
    package var message: String

    package var description: String { message }

    package init(operation: String, path: String, errno: CInt, message: String? = nil) {
        self.operation = operation
        self.path = path
        self.errno = errno
        // Since glibc 2.32 strerror is thread-safe.
        self.message =
            message
            ?? "cannot \(operation) \(path): \(String(cString: strerror(errno)))\(Self.advice(for: errno).map { "; \($0)" } ?? "")"
    }

    private static func advice(for errno: CInt) -> String? {
        switch errno {
        case ENOSPC, EDQUOT: "free some space on that file system"
        case EROFS: "mount that file system writable, or choose another folder"
        case EACCES, EPERM: "give the user that runs this program permission, or choose another folder"
        case ENOENT: "check the path, and create its folder if it is missing"
        case ENOTDIR: "a part of the path is a file; choose another folder"
        case EISDIR: "name a file instead of a folder"
        case EEXIST: "it exists already; remove it or choose another name"
        case ELOOP: "its symbolic links form a loop; correct them"
        case ENAMETOOLONG: "choose a shorter path"
        case EMFILE, ENFILE: "too many files are open; raise the limit of open files"
        case EIO: "the disk reports a failure; check the disk and the kernel's log"
        default: nil
        }
    }

    /// Whether the path does not exist.
    package var isNotFound: Bool { errno == ENOENT }
}
