import Glibc

/// The exclusive claim of one process on a state folder: a `flock` on its file `lock`, which holds the process's id.
///
/// The kernel releases it when the process ends, however it ends; the file stays. Held for as long as this object
/// lives.
package final class FolderLock: Sendable {
    private let descriptor: Descriptor
    package let path: String

    /// Claims the folder; throws an error with `EWOULDBLOCK` that names the holder's process id when it is taken.
    package init(folder: String) throws(FileError) {
        path = "\(folder)/lock"
        descriptor = try Descriptor(opening: path, flags: O_RDWR | O_CREAT | O_NOFOLLOW, permissions: 0o640)
        guard retryingInterrupted({ flock(descriptor.number, LOCK_EX | LOCK_NB) }) == 0 else {
            let failure = errno
            guard failure == EWOULDBLOCK else { throw FileError(operation: "lock", path: path, errno: failure) }
            throw Self.taken(folder: folder, path: path, holder: try descriptor.read(upTo: Self.maximumLength))
        }
        try writeHolder()
    }

    deinit {
        // Closing alone would not do: a child that was forked just now holds the same lock until it runs its program.
        _ = flock(descriptor.number, LOCK_UN)
    }

    private static let maximumLength = 32

    private func writeHolder() throws(FileError) {
        guard ftruncate(descriptor.number, 0) == 0 else {
            throw FileError(operation: "truncate", path: path, errno: errno)
        }
        try descriptor.write("\(getpid())\n".utf8)
    }

    private static func taken(folder: String, path: String, holder: [UInt8]) -> FileError {
        let digits = String(decoding: holder, as: UTF8.self).prefix { $0.isASCII && $0.isNumber }
        let who =
            switch digits {
            case "": "another process"
            case "\(getpid())": "this process itself (\(digits))"
            default: "process \(digits)"
            }
        return FileError(
            operation: "lock", path: path, errno: EWOULDBLOCK,
            message: "\(folder) is in use by \(who); stop that one, or choose another state folder"
        )
    }
}
