import CZLib

/// A gzip stream in the making (RFC 1952). Not for the cooperative pool: it computes for as long as it is given bytes.
struct GzipStream: ~Copyable {
    /// On the heap, since zlib remembers the address that it was set up with.
    private let stream: UnsafeMutablePointer<z_stream>

    /// Nil where there is no memory for it.
    init?() {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // Nothing of self stands until it is sure: where it fails, no deinit may give back what is given back here.
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

    /// Takes a piece, and appends to `output` what comes of it; false when it went wrong or `output` would grow over
    /// `limit`.
    mutating func take(_ piece: UnsafeRawBufferPointer, isLast: Bool, into output: inout [UInt8], limit: Int) -> Bool {
        // zlib does not write through next_in; its type is older than const.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: piece.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = UInt32(clamping: piece.count)
        var result = Z_OK
        repeat {
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.roomSize) { room in
                stream.pointee.next_out = room.baseAddress
                stream.pointee.avail_out = UInt32(room.count)
                result = deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
                output.append(contentsOf: room.prefix(room.count - Int(stream.pointee.avail_out)))
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

    private static let roomSize = 32 * 1024
}
