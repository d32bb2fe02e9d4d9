internal import NIOCore

/// A document on its way into a new file: made, written with many writes under way, closed; removed again when something
/// goes wrong.
final class SFTPUpload: SFTPJob {
    private enum Phase {
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
    private let feed: DocumentFeed
    private let progress: (RemoteProgress) -> Void
    private let deliver: (Result<Void, SSHError>) -> Void
    private var phase = Phase.begin
    private var underWay = 0
    private var isDelivered = false
    private var isLookSent = false
    private var failure: SSHError?
    var isRetried = false
    /// Whether the file is there, made by us, and may have to be removed.
    private var isMade = false
    /// Told when the session ended with a part of it left there.
    private let leftBehind: () -> Void

    init(
        _ path: String, feed: DocumentFeed, progress: @escaping (RemoteProgress) -> Void, leftBehind: @escaping () -> Void,
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

    private func undone() {
        underWay -= 1
        guard case .undoing(let rest) = phase, rest.isEmpty else { return }
        phase = .over
        isMade = false
    }

    /// `reason`: instead of what the status of the creation says.
    private func refuse(_ reason: String?) {
        guard case .looking(let status) = phase else { return }
        phase = .over
        var error = status.error("SFTP open")
        if let reason { error.reason = reason }
        finish(.failure(error))
    }

    /// Tells why at once; closes and removes what is there.
    private func undo(_ error: SSHError?, _ handle: [UInt8], isClosed: Bool = false) {
        if let error {
            if failure == nil { failure = error }
            finish(.failure(error))
        }
        if case .undoing = phase { return }
        phase = .undoing((isClosed ? [] : [.close(handle: handle)]) + [.remove(path)])
    }

    /// The caller does not want it any more.
    func giveUp(_ error: SSHError) {
        failure = failure ?? error
        finish(.failure(error))
        switch phase {
        case .begin: phase = .over
        case .writing(let handle): undo(nil, handle)
        // With the answer, `failure` is looked at; a file that is complete by then is not wanted either.
        case .creating, .closing, .looking, .undoing, .over: break
        }
    }

    func failed(_ error: SSHError) {
        phase = .over
        finish(.failure(error.during("SFTP write")))
        if isMade { leftBehind() }
    }

    private func finish(_ result: Result<Void, SSHError>) {
        guard !isDelivered else { return }
        isDelivered = true
        deliver(result.mapError { error in
            var error = error
            error.octetsSent = feed.offset
            return error
        })
    }
}
