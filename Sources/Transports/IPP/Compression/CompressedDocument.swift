/// A document as it goes over the wire compressed, and what a count of its compressed bytes says of its own.
struct CompressedDocument: Sendable {
    let bytes: [UInt8]
    /// After each piece that was compressed: how long the output was, and the document up to there. Ascending.
    private let marks: [Mark]

    struct Mark: Hashable, Sendable {
        let output: Int64
        let document: Int64
    }

    /// Shorter documents are sent before a printer has unpacked them.
    static let shortest: Int64 = 32 * 1024
    /// Longer ones would fill the memory before they are worth it.
    static let longest: Int64 = 16 << 20
    private static let longestOutput = 4 << 20
    /// gzip's header, which tells nothing of the document.
    private static let headerLength: Int64 = 10

    /// Compresses a document; nil where that saves less than a quarter, or makes more than fits. `read` gives the
    /// document's bytes from an offset on, as many as asked for. Blocks: thread pool only.
    static func make(
        length: Int64, read: (_ count: Int, _ offset: Int64) throws(DocumentFailure) -> [UInt8]
    ) throws(DocumentFailure) -> CompressedDocument? {
        guard var stream = GzipStream() else { return nil }
        let limit = min(longestOutput, Int(clamping: length - length / 4))
        var output: [UInt8] = []
        var marks = [Mark(output: headerLength, document: 0)]
        var offset: Int64 = 0
        while offset < length {
            let piece = try read(Int(min(Int64(DocumentBody.chunkSize), length - offset)), offset)
            guard !piece.isEmpty else { return nil }
            offset += Int64(piece.count)
            let isTaken = piece.withUnsafeBytes {
                stream.take($0, isLast: offset >= length, into: &output, limit: limit)
            }
            guard isTaken else { return nil }
            marks.append(Mark(output: Int64(output.count), document: offset))
        }
        return CompressedDocument(bytes: output, marks: marks)
    }

    init(bytes: [UInt8], marks: [Mark]) {
        self.bytes = bytes
        self.marks = marks
    }

    /// How much of the document can be in so many compressed bytes, at most: what zlib had been given by the time it
    /// had put them out, since no byte of its output can tell of input that came later.
    func documentBytes(in compressed: Int64) -> Int64 {
        guard compressed > 0 else { return 0 }
        let mark = marks.first { $0.output >= compressed } ?? marks.last
        return mark?.document ?? 0
    }
}
