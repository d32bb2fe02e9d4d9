import CKioskSandbox
import Glibc
import KioskHelperMessages

/// Message frames on standard input and output.
package struct HelperStream: Sendable {
    private let messageLimit: Int

    /// Reads messages of at most so many bytes.
    package init(messageLimit: Int) { self.messageLimit = messageLimit }

    /// Why the stream cannot be used further.
    package struct StreamError: Error, CustomStringConvertible {
        /// A sentence without its full stop.
        package var description: String
    }

    /// The next message without its frame; nil at the input's end.
    package func read() throws -> [UInt8]? {
        try read { bytes, count in Glibc.read(0, bytes, count) }
    }

    /// The next message without its frame, and the descriptor that came along; nil at the input's end. Standard input
    /// must be a socket.
    package func readWithDescriptor() throws -> (message: [UInt8], descriptor: Int32?)? {
        var descriptor: Int32?
        let message = try read { bytes, count in
            var received: Int32 = -1
            let length = csandbox_receive(0, bytes, count, &received)
            if received >= 0 {
                if let earlier = descriptor { close(earlier) }
                descriptor = received
            }
            return length
        }
        guard let message else {
            if let descriptor { close(descriptor) }
            return nil
        }
        return (message, descriptor)
    }

    /// Writes a frame; blocks until the reader has taken it.
    package func write(_ frame: [UInt8]) throws {
        var written = 0
        while written < frame.count {
            let count = frame.withUnsafeBytes { Glibc.write(1, $0.baseAddress! + written, $0.count - written) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw StreamError(description: "the response cannot be written") }
            written += count
        }
    }

    private func read(_ receive: (UnsafeMutableRawPointer, Int) -> Int) throws -> [UInt8]? {
        guard let header = try read(HelperFrame.headerLength, mayEnd: true, receive) else { return nil }
        return try read(try HelperFrame.length(header, limit: messageLimit), mayEnd: false, receive)
    }

    private func read(
        _ count: Int, mayEnd: Bool, _ receive: (UnsafeMutableRawPointer, Int) -> Int
    ) throws -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let received = bytes.withUnsafeMutableBytes { receive($0.baseAddress! + filled, count - filled) }
            if received < 0, errno == EINTR { continue }
            guard received > 0 else {
                if received == 0, filled == 0, mayEnd { return nil }
                throw StreamError(description: "the request is truncated")
            }
            filled += received
        }
        return bytes
    }
}
