package import Glibc
import Synchronization

/// Writes a new file, chunk by chunk. The file is durable after `finish()`; otherwise it is removed.
/// Every call blocks: keep it off the cooperative pool. Calls may come from any thread, one at a time.
package final class FileWriter: Sendable {
    package let path: String
    private let state: Mutex<State>

    private struct State: ~Copyable {
        /// Nil once finished or discarded.
        var file: Descriptor?
        var count: Int64 = 0
    }

    /// Creates the file; throws `EEXIST` when it exists.
    package init(creating path: String, permissions: mode_t = 0o600) throws(FileError) {
        self.path = path
        let file = try Descriptor(
            opening: path, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, permissions: permissions)
        state = Mutex(State(file: file))
    }

    deinit { discard() }

    /// Bytes written so far.
    package var count: Int64 { state.withLock { $0.count } }

    /// Writes a chunk. After an error the end of the file is undefined: discard it.
    package func append(_ bytes: some Collection<UInt8>) throws(FileError) {
        try state.withLock { (state) throws(FileError) in
            guard state.file != nil else { throw FileError(operation: "write", path: path, errno: EBADF) }
            try state.file?.write(bytes)
            state.count += Int64(bytes.count)
        }
    }

    /// Makes content and name durable and closes the file; returns its length in bytes. On an error the file is
    /// removed.
    @discardableResult
    package func finish() throws(FileError) -> Int64 {
        do throws(FileError) {
            return try state.withLock { (state) throws(FileError) in
                guard let file = state.file.take() else {
                    throw FileError(operation: "finish", path: path, errno: EBADF)
                }
                try file.sync()
                try file.close()
                try Folder.sync(Folder.parent(of: path))
                return state.count
            }
        } catch {
            if error.errno != EBADF { _ = unlink(path) }
            throw error
        }
    }

    /// Closes and removes the file; does nothing after `finish()`.
    package func discard() {
        state.withLock { state in
            guard state.file.take() != nil else { return }
            _ = unlink(path)
        }
    }
}
