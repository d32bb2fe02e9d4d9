import CZLib

/// A gzip stream (RFC 1952) that is being compressed. Not for the cooperative pool: it computes for as long as it is
/// given bytes.
struct GzipStream: ~Copyable {
    private static let outputChunkSize = 32 * 1024

    /// On the heap, since zlib remembers the address that it was set up with.
    private let stream: UnsafeMutablePointer<z_stream>

    /// Nil where zlib gets no memory.
    init?() {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // self is set last: where zlib fails, no deinit may free what is freed here.
        guard czlib_gzip_init(stream, Z_BEST_SPEED) == Z_OK else {
            stream.deallocate()
            return nil
        }
        self.stream = stream
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Compresses a chunk and appends the result to `output`; returns false when zlib fails or `output` would grow over
    /// `limit`.
    mutating func compress(
        _ chunk: UnsafeRawBufferPointer, isLast: Bool, into output: inout [UInt8], limit: Int
    ) -> Bool {
        // zlib does not write through next_in; its type is older than const.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: chunk.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = UInt32(clamping: chunk.count)
        var result = Z_OK
        repeat {
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.outputChunkSize) { buffer in
                stream.pointee.next_out = buffer.baseAddress
                stream.pointee.avail_out = UInt32(buffer.count)
                result = deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
                output.append(contentsOf: buffer.prefix(buffer.count - Int(stream.pointee.avail_out)))
            }
            // Z_BUF_ERROR means that there was nothing to do.
            guard result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR, output.count <= limit else {
                return false
            }
        } while stream.pointee.avail_out == 0 && result != Z_STREAM_END
        stream.pointee.next_in = nil
        stream.pointee.next_out = nil
        return !isLast || result == Z_STREAM_END
    }
}
