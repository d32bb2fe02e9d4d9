import Glibc
import KioskDurableFiles
import KioskFleet

/// Files that hold the private part of a key. They are their owner's alone. Every call blocks.
enum SeedFile {
    /// In bytes; a seed has 58.
    private static let maximumLength = 256

    static func read(_ path: String, _ role: NKeyRole) throws -> NKeyPair {
        let content = try AtomicFile.read(path, limit: maximumLength) { status throws(FileError) in
            try checkPrivate(status, at: path)
        }
        let text = String(decoding: content, as: UTF8.self)
        do {
            return try NKeyPair(seedText: text.prefix { !$0.isWhitespace }, of: role)
        } catch {
            throw FleetError(error.code, "\(path): \(error.description)")
        }
    }

    /// Reads the key of a kiosk, or makes one where there is no file yet. Nothing that is there is changed.
    static func readOrMake(_ path: String) throws -> (key: NKeyPair, isNew: Bool) {
        do {
            return (try read(path, .user), false)
        } catch let error as FileError where error.isNotFound {
            let key = try NKeyPair(newOf: .user)
            let new = "\(path).new-\(UInt64.random(in: .min ... .max))"
            let writer = try FileWriter(creating: new, permissions: 0o600)
            try writer.append(Array("\(key.seedText())\n".utf8))
            try writer.finish()
            defer { _ = unlink(new) }
            // Another call may have made one meanwhile.
            guard link(new, path) == 0 else {
                if errno == EEXIST { return (try read(path, .user), false) }
                throw FileError(operation: "create", path: path, errno: errno)
            }
            try Folder.sync(Folder.parent(of: path))
            return (key, true)
        }
    }

    /// Throws where others than the owner may read the file.
    static func checkPrivate(_ status: stat, at path: String) throws(FileError) {
        guard status.st_mode & S_IFMT != S_IFREG || status.st_mode & 0o077 == 0 else {
            throw FileError(
                operation: "trust", path: path, errno: EACCES,
                message: "\(path): other users can read it, and it is secret; change that with `chmod 600 \(path)`")
        }
    }
}
