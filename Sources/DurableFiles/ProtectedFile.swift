package import Glibc

/// Reads files that control what this program does. Anyone who can change or replace one of them controls the program,
/// so each must belong to root or to the user that runs this program, and nobody else may write to it or to its folder.
/// Every call blocks.
package enum ProtectedFile {
    /// The file's content, as `AtomicFile.read` returns it. Throws an error with `EACCES`, whose message names the
    /// command that corrects it, where others could have changed the file; also where there is no file, and others
    /// could create one. `user` is the user for whom it is read.
    package static func read(_ path: String, limit: Int, for user: uid_t = geteuid()) throws(FileError) -> [UInt8] {
        try checkFolder(of: path, for: user)
        return try AtomicFile.read(path, limit: limit) { status throws(FileError) in
            try check(status, at: path, for: user)
        }
    }

    /// Checks the file's folder, and the folders of all symbolic links that lead to it. A folder that does not exist is
    /// safe.
    private static func checkFolder(of path: String, for user: uid_t = geteuid()) throws(FileError) {
        for folder in Set(SymbolicLinks.chain(to: path).map(Folder.parent(of:))).sorted() {
            var status = stat()
            guard stat(folder, &status) == 0 else { continue }
            // In a sticky folder others can create files, which their owner shows, but cannot remove ours (inode(7),
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
            throw refusal(path, "users other than its owner can change it (mode 0\(mode)); run: chmod go-w \(path)")
        }
    }

    private static func refusal(_ path: String, _ why: String) -> FileError {
        FileError(operation: "trust", path: path, errno: EACCES, message: "cannot use \(path): \(why)")
    }
}

extension FileError {
    /// Whether others could have changed the file.
    package var isUnprotected: Bool { operation == "trust" }
}

/// Resolves symbolic links.
package enum SymbolicLinks {
    /// Every symbolic link that a path passes through, in order, including links to folders; then the file itself,
    /// whether or not it exists.
    ///
    /// The folder of each returned path contains no links. Blocks on the disk.
    package static func chain(to path: String) -> [String] {
        var chain: [String] = []
        var place = path.hasPrefix("/") ? "/" : workingDirectory()
        var rest = path.split(separator: "/").map(String.init)
        while !rest.isEmpty {
            let name = rest.removeFirst()
            if name == "." { continue }
            if name == ".." {
                place = Folder.parent(of: place)
                continue
            }
            let entry = place == "/" ? "/\(name)" : "\(place)/\(name)"
            if chain.count < maximumLinks, let target = target(of: entry) {
                chain.append(entry)
                if target.hasPrefix("/") { place = "/" }
                rest = target.split(separator: "/").map(String.init) + rest
            } else {
                place = entry
            }
        }
        return chain + [place]
    }

    /// The maximum number of links that Linux follows (path_resolution(7)).
    private static let maximumLinks = 40

    private static func target(of path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    }

    private static func workingDirectory() -> String {
        guard let resolved = realpath(".", nil) else { return "." }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
