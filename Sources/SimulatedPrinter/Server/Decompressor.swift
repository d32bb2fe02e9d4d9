import CKioskZLib
import KioskIPPCodec
import NIOCore

/// Decompresses a gzip (RFC 1952) or deflate stream (RFC 1951) piece by piece: each piece is passed on before the next
/// one is made.
final class Decompressor {
    /// What a document may decompress to. A page of zeros grows a thousandfold; more than this is meant to do harm.
    static let maximumSize: Int64 = 256 << 20
    private static let pieceSize = 32 * 1024

    /// On the heap, since zlib remembers the address that it was set up with.
    private let stream: UnsafeMutablePointer<z_stream>
    private let compression: DocumentCompression
    private let maximumSize: Int64
    private var size: Int64 = 0
    /// Whether the bytes so far end with the end of a stream; of gzip, its checksum and length verified.
    private(set) var isComplete = false

    init(
        _ compression: DocumentCompression, maximumSize: Int64 = Decompressor.maximumSize
    ) throws(IPPStatusError) {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let result = compression == .gzip ? czlib_gunzip_init(stream) : czlib_inflate_init(stream)
        guard result == Z_OK else {
            stream.deallocate()
            throw IPPStatusError(.serverErrorInternalError, "The printer has no memory to decompress the document.")
        }
        self.compression = compression
        self.maximumSize = maximumSize
        self.stream = stream
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Decompresses some bytes and passes the result on in pieces, until `body` returns false.
    func decompress(_ compressed: ByteBuffer, body: (ByteBuffer) throws -> Bool) throws {
        try compressed.withUnsafeReadableBytes { bytes in
            // zlib does not write through next_in; its type is older than const.
            stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
            stream.pointee.avail_in = UInt32(clamping: bytes.count)
            defer {
                stream.pointee.next_in = nil
                stream.pointee.avail_in = 0
            }
            repeat {
                let piece = try nextPiece()
                size += Int64(piece.readableBytes)
                guard size <= maximumSize else {
                    throw IPPStatusError(
                        .clientErrorRequestEntityTooLarge,
                        "The document decompresses to more than \(maximumSize) bytes.")
                }
                if piece.readableBytes > 0, try !body(piece) { return }
                // A full buffer may hide that there is more.
            } while stream.pointee.avail_in > 0 || (stream.pointee.avail_out == 0 && !isComplete)
        }
    }

    private func nextPiece() throws(IPPStatusError) -> ByteBuffer {
        if isComplete {
            // RFC 1952 §2.2: one member may follow another. Nothing may follow a deflate stream.
            guard compression == .gzip else {
                isComplete = false
                throw .incompleteCompression
            }
            inflateReset(stream)
        }
        var result = Z_OK
        var piece = ByteBuffer()
        piece.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.pieceSize) { buffer in
            stream.pointee.next_out = buffer.bindMemory(to: UInt8.self).baseAddress
            stream.pointee.avail_out = UInt32(clamping: buffer.count)
            result = inflate(stream, Z_NO_FLUSH)
            let rest = stream.pointee.avail_out
            return buffer.count - Int(rest)
        }
        stream.pointee.next_out = nil
        isComplete = result == Z_STREAM_END
        // Z_BUF_ERROR means that there was nothing to do.
        guard result == Z_OK || isComplete || result == Z_BUF_ERROR && stream.pointee.avail_in == 0 else {
            throw .incompleteCompression
        }
        return piece
    }
}
