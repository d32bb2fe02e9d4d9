import Glibc

/// What there is to know of the file system under a path (statvfs(3)).
package struct FileSystemState: Hashable, Sendable {
    package var isReadOnly: Bool
    /// For a user who is not root.
    package var freeBytes: Int64

    package init(of path: String) throws(FileError) {
        var state = statvfs()
        guard statvfs(path, &state) == 0 else {
            throw FileError(operation: "look at the file system of", path: path, errno: errno)
        }
        isReadOnly = state.f_flag & UInt(ST_RDONLY) != 0
        let (bytes, isTooMuch) = Int64(clamping: state.f_bavail).multipliedReportingOverflow(
            by: Int64(clamping: state.f_frsize))
        freeBytes = isTooMuch ? .max : bytes
    }
}
