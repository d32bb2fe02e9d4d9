import CZLib
import IPPCodec
import NIOCore

/// A gzip stream that is being unpacked (RFC 1952): what comes of it is passed on before more is unpacked.
final class GunzipStream {
    /// What a document may unpack to. A page of zeros grows a thousandfold; more than this is meant to do harm.
    static let longest: Int64 = 256 << 20
    private static let roomSize = 32 * 1024

    /// On the heap, since zlib remembers the address that it was set up with.
    private let stream: UnsafeMutablePointer<z_stream>
    private let longest: Int64
    private var unpacked: Int64 = 0
    /// Whether the bytes so far end with a stream's end, its checksum and length verified.
    private(set) var isWhole = false

    init(longest: Int64 = GunzipStream.longest) throws(IPPRefusal) {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard czlib_gunzip_init(stream) == Z_OK else {
            stream.deallocate()
            throw IPPRefusal(.serverErrorInternalError, "The printer has no memory to unpack the document.")
        }
        self.longest = longest
        self.stream = stream
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Unpacks some bytes and passes on what comes of them, in pieces, until `pass` wants no more.
    func take(_ packed: ByteBuffer, pass: (ByteBuffer) throws -> Bool) throws {
        try packed.withUnsafeReadableBytes { bytes in
            // zlib does not write through next_in; its type is older than const.
            stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
            stream.pointee.avail_in = UInt32(clamping: bytes.count)
            defer {
                stream.pointee.next_in = nil
                stream.pointee.avail_in = 0
            }
            repeat {
                let piece = try nextPiece()
                unpacked += Int64(piece.readableBytes)
                guard unpacked <= longest else {
                    throw IPPRefusal(
                        .clientErrorRequestEntityTooLarge, "The document unpacks to more than \(longest) bytes.")
                }
                if piece.readableBytes > 0, try !pass(piece) { return }
                // A full room may hide that there is more.
            } while stream.pointee.avail_in > 0 || (stream.pointee.avail_out == 0 && !isWhole)
        }
    }

    private func nextPiece() throws(IPPRefusal) -> ByteBuffer {
        // §2.2: one member may follow another.
        if isWhole { inflateReset(stream) }
        var result = Z_OK
        var piece = ByteBuffer()
        piece.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.roomSize) { room in
            stream.pointee.next_out = room.bindMemory(to: UInt8.self).baseAddress
            stream.pointee.avail_out = UInt32(clamping: room.count)
            result = inflate(stream, Z_NO_FLUSH)
            let rest = stream.pointee.avail_out
            return room.count - Int(rest)
        }
        stream.pointee.next_out = nil
        isWhole = result == Z_STREAM_END
        // Z_BUF_ERROR means that there was nothing to do.
        guard result == Z_OK || isWhole || result == Z_BUF_ERROR && stream.pointee.avail_in == 0 else {
            throw .damagedGzip
        }
        return piece
    }
}

extension IPPRefusal {
    static let damagedGzip = IPPRefusal(.clientErrorCompressionError, "The document is no whole gzip stream.")
}
