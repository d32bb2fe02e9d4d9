import Glibc
import NIOCore

/// The source of a document's bytes while it is sent.
enum DocumentBody: Sendable {
    case bytes([UInt8])
    case file(DocumentFile)

    var length: Int64 {
        switch self {
        case .bytes(let bytes): Int64(bytes.count)
        case .file(let file): file.length
        }
    }

    /// The number of bytes that are read and written at once. A 200 MB document costs a small multiple of it in memory.
    static let chunkSize = 64 * 1024
}

/// Why a local document could not be read.
enum DocumentFailure: Error, Sendable, Hashable {
    case open(path: String, errno: Int32)
    case read(path: String, errno: Int32)
    case notAFile(path: String)
    case wrongLength(path: String, stored: Int64, found: Int64)
}

/// An open document on disk, read at any offset; closed when the last reference goes. Its calls block: thread pool
/// only.
final class DocumentFile: Sendable {
    let length: Int64
    private let path: String
    private let descriptor: Int32

    /// Opens a regular file that must have exactly `length` bytes.
    init(path: String, length: Int64) throws(DocumentFailure) {
        // Without O_NONBLOCK, opening a FIFO would wait for its writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .open(path: path, errno: errno) }
        self.path = path
        self.length = length
        self.descriptor = descriptor
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .open(path: path, errno: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: path) }
        guard Int64(status.st_size) == length else {
            throw .wrongLength(path: path, stored: length, found: Int64(status.st_size))
        }
    }

    deinit { close(descriptor) }

    /// Returns exactly `count` bytes from `offset`; throws where the file was truncated while it was being sent.
    func read(_ count: Int, at offset: Int64, allocator: ByteBufferAllocator) throws(DocumentFailure) -> ByteBuffer {
        var buffer = allocator.buffer(capacity: count)
        while buffer.readableBytes < count {
            let done = buffer.readableBytes
            var failure: Int32 = 0
            let got = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count - done) { space in
                let result = pread(descriptor, space.baseAddress, count - done, off_t(offset) + off_t(done))
                if result < 0 { failure = errno }
                return max(result, 0)
            }
            if failure == EINTR { continue }
            guard failure == 0 else { throw .read(path: path, errno: failure) }
            guard got > 0 else { throw .wrongLength(path: path, stored: length, found: offset + Int64(done)) }
        }
        return buffer
    }
}
