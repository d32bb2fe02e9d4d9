import NIOCore
import PrintModel

extension DocumentBody {
    /// The document compressed, where that is worth it. Blocks: thread pool only.
    func compressed() throws(DocumentFailure) -> CompressedDocument? {
        try CompressedDocument.make(length: length) { count, offset throws(DocumentFailure) in
            switch self {
            case .bytes(let bytes): return Array(bytes[Int(offset)..<Int(offset) + count])
            case .file(let file):
                let buffer = try file.read(count, at: offset, allocator: ByteBufferAllocator())
                return Array(buffer.readableBytesView)
            }
        }
    }

    /// Whether to try: long enough to matter, short enough to be held, and of a format that is not compressed already.
    /// What a receipt printer prints while it arrives is left alone.
    func isWorthCompressing(_ format: DocumentFormat) -> Bool {
        (CompressedDocument.shortest...CompressedDocument.longest).contains(length)
            && Self.loose.contains(format.mimeType)
    }

    private static let loose: Set = [
        "text/plain", "application/postscript", "application/vnd.hp-pcl", "application/vnd.hp-pclxl", "application/pcl",
        "image/pwg-raster", "image/urf",
    ]
}
