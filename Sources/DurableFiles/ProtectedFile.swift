package import Glibc

/// Files that decide what this program does. Whoever can change or replace one of them decides it, so each must belong
/// to root or to the user that runs this program, and nobody else may write to it or to its folder. Every call blocks.
package enum ProtectedFile {
    /// The file's content, as `AtomicFile.read` gives it. Throws an error with `EACCES`, whose message names the
    /// command that repairs it, where others could have changed it; also where there is no file, and others could put
    /// one there. `user`: whom it is read for.
    package static func read(_ path: String, limit: Int, for user: uid_t = geteuid()) throws(FileError) -> [UInt8] {
        try checkFolder(of: path, for: user)
        return try AtomicFile.read(path, limit: limit) { status throws(FileError) in
            try check(status, at: path, for: user)
        }
    }

    /// The file's folder, and those of all symbolic links on the way to it. One that does not exist is nobody's way in.
    package static func checkFolder(of path: String, for user: uid_t = geteuid()) throws(FileError) {
        for folder in Set(FileLinks.way(to: path).map(Folder.parent(of:))).sorted() {
            var status = stat()
            guard stat(folder, &status) == 0 else { continue }
            // In a sticky folder others can make files, of which the owner tells, and take away none of ours (inode(7),
            // S_ISVTX).
            if status.st_mode & S_ISVTX != 0 { status.st_mode &= ~0o022 }
            try check(status, at: folder, for: user)
        }
    }

    private static func check(_ status: stat, at path: String, for user: uid_t) throws(FileError) {
        guard status.st_uid == 0 || status.st_uid == user else {
            throw refusal(
                path,
                "it belongs to user \(status.st_uid), who is neither root nor the user that kioskd runs as (\(user)); run: chown \(user) \(path)"
            )
        }
        guard status.st_mode & 0o022 == 0 else {
            let mode = String(status.st_mode & 0o7777, radix: 8)
            throw refusal(path, "others than its owner can change it (mode 0\(mode)); run: chmod go-w \(path)")
        }
    }

    private static func refusal(_ path: String, _ why: String) -> FileError {
        FileError(operation: "trust", path: path, errno: EACCES, message: "cannot use \(path): \(why)")
    }
}

extension FileError {
    /// Whether others could have changed what was to be read.
    package var isUnprotected: Bool { operation == "trust" }
}
