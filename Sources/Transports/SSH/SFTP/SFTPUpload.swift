import NIOCore

/// A document on its way into a new file: made, written with many writes under way, closed; removed again when
/// something goes wrong.
final class SFTPUpload: SFTPJob {
    enum Phase {
        case begin
        case creating
        /// The file could not be made; whether because it is there already is asked.
        case looking(SFTPStatus)
        case writing(handle: [UInt8])
        case closing
        /// It failed, or nobody wants it any more: closed, then removed.
        case undoing([SFTPRequest])
        case over
    }

    /// Octets of one write: what every server takes (draft-ietf-secsh-filexfer-02 §3).
    private static let pieceLength = 32_000
    private static let mostUnderWay = 32

    let path: String
    let feed: DocumentFeed
    private let progress: (RemoteProgress) -> Void
    let deliver: (Result<Void, SSHError>) -> Void
    var phase = Phase.begin
    var underWay = 0
    var isDelivered = false
    private var isLookSent = false
    var failure: SSHError?
    var isRetried = false
    /// Whether the file is there, made by us, and may have to be removed.
    var isMade = false
    /// Told when the session ended with a part of it left there.
    let leftBehind: () -> Void

    init(
        _ path: String, feed: DocumentFeed, progress: @escaping (RemoteProgress) -> Void,
        leftBehind: @escaping () -> Void,
        deliver: @escaping (Result<Void, SSHError>) -> Void
    ) {
        self.leftBehind = leftBehind
        self.path = path
        self.feed = feed
        self.progress = progress
        self.deliver = deliver
    }

    var isUntouched: Bool { if case .begin = phase { true } else { false } }
    var isOver: Bool { if case .over = phase { true } else { false } }

    func nextRequest() -> SFTPRequest? {
        switch phase {
        case .begin:
            phase = .creating
            return .create(path)
        case .writing(let handle): return nextWrite(handle)
        case .undoing(var requests):
            // In order, and after all writes: each is answered before the next.
            guard underWay == 0, !requests.isEmpty else { return nil }
            let first = requests.removeFirst()
            phase = .undoing(requests)
            underWay += 1
            return first
        case .looking where !isLookSent:
            isLookSent = true
            return .look(path)
        case .creating, .looking, .closing, .over: return nil
        }
    }

    private func nextWrite(_ handle: [UInt8]) -> SFTPRequest? {
        if feed.isAtEnd {
            guard underWay == 0 else { return nil }
            phase = .closing
            return .close(handle: handle)
        }
        guard underWay < Self.mostUnderWay else { return nil }
        do throws(SSHError) {
            let piece = try feed.piece()
            let count = min(piece.readableBytes, Self.pieceLength)
            guard count > 0, let octets = piece.getSlice(at: piece.readerIndex, length: count) else { return nil }
            let offset = feed.offset
            feed.take(count)
            underWay += 1
            progress(.sending(octets: feed.offset, of: feed.length))
            return .write(handle: handle, offset: offset, octets: octets)
        } catch {
            undo(error, handle)
            return nextRequest()
        }
    }

    func answered(_ request: SFTPRequest, _ reply: SFTPReply) {
        switch (request, reply) {
        case (.create, .handle(let handle)):
            isMade = true
            guard failure == nil else { return undo(nil, handle) }
            phase = .writing(handle: handle)
            progress(.started)
        case (.create, .status(let status)): phase = isDelivered ? .over : .looking(status)
        case (.look, .attributes): refuse("a file of that name exists already")
        case (.look, .status): refuse(nil)
        case (.write(let handle, _, _), .status(let status)):
            underWay -= 1
            if !status.isGood { undo(status.error("SFTP write"), handle) }
        case (.close(let handle), .status(let status)):
            if case .undoing = phase { return undone() }
            if let failure { return undo(failure, handle, isClosed: true) }
            guard status.isGood else { return undo(status.error("SFTP close"), handle, isClosed: true) }
            phase = .over
            progress(.sent)
            finish(.success(()))
        case (.remove, .status): undone()
        default: failed(SFTPReply.broken)
        }
    }
}
