/// Where a document's bytes come from while it is sent.
enum DocumentBody: Sendable {
    case bytes([UInt8])
    case file(DocumentFile)

    var length: Int64 {
        switch self {
        case .bytes(let bytes): Int64(bytes.count)
        case .file(let file): file.length
        }
    }

    /// How much is read and written at once: what a 200 MB document may cost in memory is a small multiple of it.
    static let chunkSize = 64 * 1024
}
