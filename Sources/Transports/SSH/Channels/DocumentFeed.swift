import NIOCore
import NIOPosix

/// A document's octets in pieces, as they are wanted: from memory, or from a file that is read on the thread pool, one
/// piece ahead. Used on one event loop.
final class DocumentFeed {
    private static let pieceLength = 64 << 10

    let length: Int64
    /// Octets handed out.
    private(set) var offset: Int64 = 0
    private let source: DocumentSource
    private let threadPool: NIOThreadPool
    private let eventLoop: any EventLoop
    /// Called when there is more, or a failure to tell.
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

    /// What can be sent now; empty where the file is still being read.
    func piece() throws(SSHError) -> ByteBuffer {
        if let failure { throw failure }
        if current.readableBytes == 0, let next {
            current = next
            self.next = nil
        }
        if next == nil { fetch() }
        return current
    }

    /// The first octets of the piece went out.
    func take(_ count: Int) {
        current.moveReaderIndex(forwardBy: count)
        offset += Int64(count)
    }

    private func fetch() {
        let count = Int(min(Int64(Self.pieceLength), length - octetsRead))
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
                return (file, try file.read(count, at: offset))
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
                error as? SSHError
                ?? SSHError(.documentUnreadable, operation: "read the document", reason: "\(error)")
        }
        changed()
    }

    private func place(_ octets: ByteBuffer) {
        octetsRead += Int64(octets.readableBytes)
        if current.readableBytes == 0 { current = octets } else { next = octets }
    }
}
