import KioskDurableFiles
import KioskPrintModel
import NIOCore
import NIOPosix

/// A reader of a document's octets in chunks: from memory, or from a file that is read on the thread pool, one chunk
/// ahead. Used on one event loop.
final class DocumentReader {
    private static let chunkLength = 64 << 10

    let length: Int64
    /// Octets that were consumed.
    private(set) var offset: Int64 = 0
    private let source: DocumentSource
    private let threadPool: NIOThreadPool
    private let eventLoop: any EventLoop
    /// Called when another chunk was read, or reading failed.
    private let changed: () -> Void
    private var file: DocumentFile?
    private var current = ByteBuffer()
    private var next: ByteBuffer?
    private var octetsRead: Int64 = 0
    private var isReading = false
    private var failure: SSHError?

    init(
        _ source: DocumentSource, threadPool: NIOThreadPool, eventLoop: any EventLoop, changed: @escaping () -> Void
    ) {
        self.source = source
        self.threadPool = threadPool
        self.eventLoop = eventLoop
        self.changed = changed
        switch source {
        case .bytes(let octets): length = Int64(octets.count)
        case .file(_, let length): self.length = max(0, length)
        }
    }

    var isAtEnd: Bool { offset == length }

    /// The octets to send next; empty while the file is being read.
    func nextChunk() throws(SSHError) -> ByteBuffer {
        if let failure { throw failure }
        if current.readableBytes == 0, let next {
            current = next
            self.next = nil
        }
        if next == nil { fetch() }
        return current
    }

    /// Removes octets that were sent from the front of the chunk.
    func consume(_ count: Int) {
        current.moveReaderIndex(forwardBy: count)
        offset += Int64(count)
    }

    private func fetch() {
        let count = Int(min(Int64(Self.chunkLength), length - octetsRead))
        switch source {
        case .bytes(let octets):
            guard count > 0 else { return }
            let start = Int(octetsRead)
            place(ByteBuffer(bytes: octets[start..<start + count]))
        case .file(let path, let length):
            guard !isReading, count > 0 else { return }
            isReading = true
            let (file, offset) = (file, octetsRead)
            let reading = threadPool.runIfActive(eventLoop: eventLoop) {
                let file = try file ?? DocumentFile(path: path, length: length)
                return (file, ByteBuffer(bytes: try file.read(count, at: offset)))
            }
            reading.assumeIsolated().whenComplete { [weak self] in self?.finishReading($0) }
        }
    }

    private func finishReading(_ result: Result<(DocumentFile, ByteBuffer), any Error>) {
        isReading = false
        switch result {
        case .success(let (file, octets)):
            self.file = file
            if octets.readableBytes > 0 { place(octets) }
        case .failure(let error):
            failure =
                (error as? DocumentFile.Failure).map(Self.error)
                ?? SSHError(.documentUnreadable, operation: "read the document", reason: "\(error)")
        }
        changed()
    }

    private func place(_ octets: ByteBuffer) {
        octetsRead += Int64(octets.readableBytes)
        if current.readableBytes == 0 { current = octets } else { next = octets }
    }

    private static func error(_ failure: DocumentFile.Failure) -> SSHError {
        let path = failure.path
        let what =
            switch failure.reason {
            case .cannotOpen: "\(path) cannot be opened"
            case .cannotRead: "\(path) cannot be read"
            case .notRegularFile: "\(path) is not a regular file"
            case .wrongLength(let stored, let found): "\(path) has \(found) octets, not \(stored)"
            case .cutOff(_, let found): "\(path) was cut off at \(found) octets"
            }
        let cause = failure.systemMessage.map { ": \($0)" } ?? ""
        return SSHError(
            .documentUnreadable, operation: "read the document", reason: what + cause,
            native: failure.errno.map { .errno($0) })
    }
}
