import PrintModel

/// What is told of bytes that were sent, in bytes of the job's own document: a document that was prepared for its
/// printer has another length.
struct DocumentScale: Hashable, Sendable {
    private let length: Int64
    private let sentLength: Int64

    init(of length: Int64, sentAs sentLength: Int64) {
        self.length = length
        self.sentLength = sentLength
    }

    /// None stays none and all stays all; whatever lies between stays between.
    func documentBytes(_ sent: Int64) -> Int64 {
        guard length != sentLength, sent > 0 else { return sent }
        guard sent < sentLength else { return length }
        return max(1, min(length - 1, Int64(Double(sent) / Double(sentLength) * Double(length))))
    }

    func progress(_ progress: DeliveryProgress) -> DeliveryProgress {
        switch progress {
        case .uploading(let bytes, _): .uploading(bytes: documentBytes(bytes), of: length)
        case .sending(let bytes, _): .sending(bytes: documentBytes(bytes), of: length)
        default: progress
        }
    }

    func error(_ error: TransportError) -> TransportError {
        var error = error
        error.bytesAccepted = documentBytes(error.bytesAccepted)
        return error
    }
}
