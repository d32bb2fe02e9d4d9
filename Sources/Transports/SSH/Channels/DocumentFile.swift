import Glibc
import NIOCore
import PrintModel

/// An open document on disk; closed when the last reference goes. Its calls block: thread pool only.
final class DocumentFile: Sendable {
    private let path: String
    private let length: Int64
    private let descriptor: Int32

    /// Opens a file that must have exactly `length` octets.
    init(path: String, length: Int64) throws(SSHError) {
        // Without O_NONBLOCK, opening a FIFO would wait for its writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.failure("\(path) cannot be opened", errno) }
        self.path = path
        self.length = length
        self.descriptor = descriptor
        let end = lseek(descriptor, 0, SEEK_END)
        guard end >= 0 else { throw Self.failure("\(path) is no file", errno) }
        guard Int64(end) == length else { throw Self.failure("\(path) has \(end) octets, not \(length)", nil) }
    }

    deinit { close(descriptor) }

    /// Exactly `count` octets from `offset`.
    func read(_ count: Int, at offset: Int64) throws(SSHError) -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: count)
        while buffer.readableBytes < count {
            let done = buffer.readableBytes
            var failure: Int32 = 0
            let got = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count - done) { space in
                let result = pread(descriptor, space.baseAddress, count - done, off_t(offset) + off_t(done))
                if result < 0 { failure = errno }
                return max(result, 0)
            }
            if failure == EINTR { continue }
            guard failure == 0 else { throw Self.failure("\(path) cannot be read", failure) }
            guard got > 0 else { throw Self.failure("\(path) was cut off at \(offset + Int64(done)) octets", nil) }
        }
        return buffer
    }

    private static func failure(_ what: String, _ code: Int32?) -> SSHError {
        let words = code.flatMap { strerror($0) }.map { ": \(String(cString: $0))" } ?? ""
        return SSHError(
            .documentUnreadable, operation: "read the document", reason: what + words, native: code.map { .errno($0) })
    }
}
