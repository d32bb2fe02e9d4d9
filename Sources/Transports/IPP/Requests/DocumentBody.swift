import CKioskZLib
import KioskDurableFiles
import KioskPrintModel

/// The source of a document's bytes while it is sent.
enum DocumentBody: Sendable {
    case bytes([UInt8])
    case file(DocumentFile)
    case stream(any DocumentStream)

    /// The size in bytes; nil for a document that is still being rendered.
    var length: Int64? {
        switch self {
        case .bytes(let bytes): Int64(bytes.count)
        case .file(let file): file.length
        case .stream(let stream): stream.isRendered ? stream.renderedLength : nil
        }
    }

    /// The size in bytes as far as it is known: of a document that is still being rendered, what is rendered so far.
    var knownLength: Int64 {
        if case .stream(let stream) = self { stream.renderedLength } else { length ?? 0 }
    }

    /// The number of bytes that are read and written at once. A 200 MB document costs a small multiple of it in memory.
    static let chunkSize = 64 * 1024
}

/// A compressed document, and a map from counts of its compressed bytes to counts of the document's own.
struct CompressedDocument: Sendable {
    let bytes: [UInt8]
    let coding: Coding
    /// One mark after each compressed chunk, in ascending order.
    private let marks: [Mark]

    /// The length of the output and of the document up to the same point.
    private struct Mark: Sendable {
        let output: Int64
        let document: Int64
    }

    /// The values of `compression` (RFC 8011 §5.4.32) that are used, the preferred one first.
    enum Coding: String, CaseIterable, Sendable {
        /// RFC 1952.
        case gzip
        /// RFC 1951, without a header.
        case deflate

        /// The length of the header, which holds nothing of the document.
        fileprivate var headerLength: Int64 { self == .gzip ? 10 : 0 }
    }

    /// Shorter documents are sent before a printer has decompressed them.
    fileprivate static let minimumLength: Int64 = 32 * 1024
    /// Longer documents would take too much memory for what they save.
    fileprivate static let maximumLength: Int64 = 16 << 20
    private static let maximumOutput = 4 << 20

    /// Compresses a document; returns nil where that saves less than a quarter or the result is too long. `read`
    /// returns as many of the document's bytes as asked for, from an offset on. Blocks: thread pool only.
    static func make(
        length: Int64, as coding: Coding = .gzip,
        read: (_ count: Int, _ offset: Int64) throws(DocumentFile.Failure) -> [UInt8]
    ) throws(DocumentFile.Failure) -> CompressedDocument? {
        guard var stream = DeflateStream(coding) else { return nil }
        let limit = min(maximumOutput, Int(clamping: length - length / 4))
        var output: [UInt8] = []
        var marks = [Mark(output: coding.headerLength, document: 0)]
        var offset: Int64 = 0
        while offset < length {
            let chunk = try read(Int(min(Int64(DocumentBody.chunkSize), length - offset)), offset)
            guard !chunk.isEmpty else { return nil }
            offset += Int64(chunk.count)
            let isCompressed = chunk.withUnsafeBytes {
                stream.compress($0, isLast: offset >= length, into: &output, limit: limit)
            }
            guard isCompressed else { return nil }
            marks.append(Mark(output: Int64(output.count), document: offset))
        }
        return CompressedDocument(bytes: output, coding: coding, marks: marks)
    }

    private init(bytes: [UInt8], coding: Coding, marks: [Mark]) {
        self.bytes = bytes
        self.coding = coding
        self.marks = marks
    }

    /// The length of the document itself.
    var length: Int64 { marks.last?.document ?? 0 }

    /// The most document bytes that `compressed` bytes of output can hold: what zlib had been given by the time it
    /// wrote them, since no byte of its output can depend on later input.
    func documentBytes(in compressed: Int64) -> Int64 {
        guard compressed > 0 else { return 0 }
        let mark = marks.first { $0.output >= compressed } ?? marks.last
        return mark?.document ?? 0
    }
}

extension DocumentBody {
    /// Compresses the document; nil where that is not worth it. Blocks: thread pool only.
    func compressed(as coding: CompressedDocument.Coding) throws(DocumentFile.Failure) -> CompressedDocument? {
        guard let length else { return nil }
        return try CompressedDocument.make(length: length, as: coding) { count, offset throws(DocumentFile.Failure) in
            switch self {
            case .bytes(let bytes): return Array(bytes[Int(offset)..<Int(offset) + count])
            case .file(let file): return try file.read(count, at: offset)
            // Raster is compressed already, row by row.
            case .stream: return []
            }
        }
    }

    /// Whether to try compression: the document is long enough to matter, short enough for memory, and its format is
    /// not compressed already. What a receipt printer prints while it arrives is left alone.
    func isWorthCompressing(_ format: DocumentFormat) -> Bool {
        if case .stream = self { return false }
        return (CompressedDocument.minimumLength...CompressedDocument.maximumLength).contains(knownLength)
            && Self.uncompressedFormats.contains(format.mimeType)
    }

    private static let uncompressedFormats: Set = [
        "text/plain", "application/postscript", "application/vnd.hp-pcl", "application/vnd.hp-pclxl", "application/pcl",
        "image/pwg-raster", "image/urf",
    ]
}

/// A stream in one of the codings that is being compressed. Not for the cooperative pool: it computes for as long as it
/// is given bytes.
struct DeflateStream: ~Copyable {
    private static let outputChunkSize = 32 * 1024

    /// On the heap, since zlib remembers the address that it was set up with.
    private let stream: UnsafeMutablePointer<z_stream>

    /// Nil where zlib gets no memory.
    init?(_ coding: CompressedDocument.Coding) {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // self is set last: where zlib fails, no deinit may free what is freed here.
        let result =
            switch coding {
            case .gzip: czlib_gzip_init(stream, Z_BEST_SPEED)
            case .deflate: czlib_deflate_init(stream, Z_BEST_SPEED)
            }
        guard result == Z_OK else {
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
