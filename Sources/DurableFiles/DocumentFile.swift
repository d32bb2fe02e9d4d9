import Glibc

/// An open document on disk, read at any offset; closed with the last reference. Every call blocks: keep it off the
/// cooperative pool.
package final class DocumentFile: Sendable {
    package let path: String
    package let length: Int64
    private let descriptor: Descriptor

    /// Why a document could not be opened or read.
    package struct Failure: Error, Hashable, Sendable {
        package var path: String
        package var reason: Reason

        package enum Reason: Hashable, Sendable {
            case cannotOpen(errno: CInt)
            case cannotRead(errno: CInt)
            case notRegularFile
            /// The file has another length than the document that was stored.
            case wrongLength(stored: Int64, found: Int64)
            /// The file became shorter after it was opened.
            case cutOff(stored: Int64, found: Int64)
        }

        package init(path: String, reason: Reason) {
            self.path = path
            self.reason = reason
        }

        /// The system's error number, where a system call failed.
        package var errno: CInt? {
            switch reason {
            case .cannotOpen(let errno), .cannotRead(let errno): errno
            case .notRegularFile, .wrongLength, .cutOff: nil
            }
        }

        /// What the system's error number means.
        package var systemMessage: String? {
            // Since glibc 2.32 strerror is thread-safe.
            errno.flatMap { strerror($0) }.map { String(cString: $0) }
        }
    }

    /// Opens a regular file that must have exactly `length` bytes.
    package init(path: String, length: Int64) throws(Failure) {
        self.path = path
        self.length = length
        do throws(FileError) {
            // Without O_NONBLOCK, opening a FIFO would wait for its writer.
            descriptor = try Descriptor(opening: path, flags: O_RDONLY | O_NONBLOCK)
        } catch {
            throw Failure(path: path, reason: .cannotOpen(errno: error.errno))
        }
        try checkFile()
    }

    private func checkFile() throws(Failure) {
        let status: stat
        do throws(FileError) {
            status = try descriptor.status()
        } catch {
            throw Failure(path: path, reason: .cannotOpen(errno: error.errno))
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw Failure(path: path, reason: .notRegularFile) }
        guard Int64(status.st_size) == length else {
            throw Failure(path: path, reason: .wrongLength(stored: length, found: Int64(status.st_size)))
        }
    }

    /// Returns exactly `count` bytes from `offset`; throws where the file was cut off while it was being sent.
    package func read(_ count: Int, at offset: Int64) throws(Failure) -> [UInt8] {
        var failure: Failure.Reason?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { space, filled in
            while filled < count {
                let got = retryingInterrupted {
                    pread(
                        descriptor.number, space.baseAddress?.advanced(by: filled), count - filled,
                        off_t(offset) + off_t(filled))
                }
                if got < 0 { failure = .cannotRead(errno: errno) }
                if got == 0 { failure = .cutOff(stored: length, found: offset + Int64(filled)) }
                guard got > 0 else { return }
                filled += got
            }
        }
        if let failure { throw Failure(path: path, reason: failure) }
        return bytes
    }
}
