import DurableFiles
import PrintModel

/// A gzip-compressed document, and a map from counts of its compressed bytes to counts of the document's own.
struct CompressedDocument: Sendable {
    let bytes: [UInt8]
    /// One mark after each compressed chunk, in ascending order.
    private let marks: [Mark]

    /// The length of the output and of the document up to the same point.
    private struct Mark: Sendable {
        let output: Int64
        let document: Int64
    }

    /// Shorter documents are sent before a printer has decompressed them.
    fileprivate static let minimumLength: Int64 = 32 * 1024
    /// Longer documents would take too much memory for what they save.
    fileprivate static let maximumLength: Int64 = 16 << 20
    private static let maximumOutput = 4 << 20
    /// gzip's header, which holds nothing of the document.
    private static let headerLength: Int64 = 10

    /// Compresses a document; returns nil where that saves less than a quarter or the result is too long. `read`
    /// returns as many of the document's bytes as asked for, from an offset on. Blocks: thread pool only.
    static func make(
        length: Int64, read: (_ count: Int, _ offset: Int64) throws(DocumentFile.Failure) -> [UInt8]
    ) throws(DocumentFile.Failure) -> CompressedDocument? {
        guard var stream = GzipStream() else { return nil }
        let limit = min(maximumOutput, Int(clamping: length - length / 4))
        var output: [UInt8] = []
        var marks = [Mark(output: headerLength, document: 0)]
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
        return CompressedDocument(bytes: output, marks: marks)
    }

    private init(bytes: [UInt8], marks: [Mark]) {
        self.bytes = bytes
        self.marks = marks
    }

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
    func compressed() throws(DocumentFile.Failure) -> CompressedDocument? {
        try CompressedDocument.make(length: length) { count, offset throws(DocumentFile.Failure) in
            switch self {
            case .bytes(let bytes): return Array(bytes[Int(offset)..<Int(offset) + count])
            case .file(let file): return try file.read(count, at: offset)
            }
        }
    }

    /// Whether to try compression: the document is long enough to matter, short enough for memory, and its format is
    /// not compressed already. What a receipt printer prints while it arrives is left alone.
    func isWorthCompressing(_ format: DocumentFormat) -> Bool {
        (CompressedDocument.minimumLength...CompressedDocument.maximumLength).contains(length)
            && Self.uncompressedFormats.contains(format.mimeType)
    }

    private static let uncompressedFormats: Set = [
        "text/plain", "application/postscript", "application/vnd.hp-pcl", "application/vnd.hp-pclxl", "application/pcl",
        "image/pwg-raster", "image/urf",
    ]
}
