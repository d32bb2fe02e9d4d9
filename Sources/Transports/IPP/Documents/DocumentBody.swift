import DurableFiles

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
