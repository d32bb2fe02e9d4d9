import Glibc

/// Why a file could not be read or made durable.
package struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The system call or step that failed: "open", "fsync", "rename", "lock".
    package var operation: String
    package var path: String
    package var errno: CInt
    /// What happened, to which file, and what to do next; fit for people.
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
        case EEXIST: "it is there already; remove it or choose another name"
        case ELOOP: "its symbolic links go in a circle; mend them"
        case ENAMETOOLONG: "choose a shorter path"
        case EMFILE, ENFILE: "too many files are open; raise the limit of open files"
        case EIO: "the disk reports a failure; check the disk and the kernel's log"
        default: nil
        }
    }
}

extension FileError {
    /// Whether there is nothing at the path.
    package var isNotFound: Bool { errno == ENOENT }
}
