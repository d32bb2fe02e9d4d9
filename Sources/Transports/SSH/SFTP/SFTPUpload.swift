import NIOCore

/// An upload of a document into a new file: creates the file, writes it with many requests outstanding, and closes it.
/// Removes it again after a failure.
final class SFTPUpload: SFTPOperation {
    private enum Phase {
        case begin
        case creating
        /// The file could not be created with this status; an lstat request finds out whether it exists.
        case checkingExistence(SFTPStatus)
        case writing(handle: [UInt8])
        case closing
        /// It failed or was cancelled: the file is closed, then removed.
        case undoing([SFTPRequest])
        case over
    }

    /// Octets of one write: what every server takes (draft-ietf-secsh-filexfer-02 §3).
    private static let chunkLength = 32_000
    private static let maximumOutstanding = 32

    private let path: String
    private let reader: DocumentReader
    private let progress: (RemoteProgress) -> Void
    private let completion: (Result<Void, SSHError>) -> Void
    /// Called when the session ended and a part of the file remains.
    private let leftBehind: () -> Void
    private var phase = Phase.begin
    private var outstanding = 0
    private var isCompleted = false
    private var isLstatSent = false
    private var failure: SSHError?
    /// Whether we created the file, so that it may have to be removed.
    private var isCreated = false
    var isRetried = false

    init(
        _ path: String, reader: DocumentReader, progress: @escaping (RemoteProgress) -> Void,
        leftBehind: @escaping () -> Void,
        completion: @escaping (Result<Void, SSHError>) -> Void
    ) {
        self.leftBehind = leftBehind
        self.path = path
        self.reader = reader
        self.progress = progress
        self.completion = completion
    }

    var isUnsent: Bool { if case .begin = phase { true } else { false } }
    var isOver: Bool { if case .over = phase { true } else { false } }

    func nextRequest() -> SFTPRequest? {
        switch phase {
        case .begin:
            phase = .creating
            return .create(path)
        case .writing(let handle): return nextWrite(handle)
        case .undoing(var requests):
            // In order, and after all writes: each is answered before the next.
            guard outstanding == 0, !requests.isEmpty else { return nil }
            let first = requests.removeFirst()
            phase = .undoing(requests)
            outstanding += 1
            return first
        case .checkingExistence where !isLstatSent:
            isLstatSent = true
            return .lstat(path)
        case .creating, .checkingExistence, .closing, .over: return nil
        }
    }

    private func nextWrite(_ handle: [UInt8]) -> SFTPRequest? {
        if reader.isAtEnd {
            guard outstanding == 0 else { return nil }
            phase = .closing
            return .close(handle: handle)
        }
        guard outstanding < Self.maximumOutstanding else { return nil }
        do throws(SSHError) {
            let chunk = try reader.nextChunk()
            let count = min(chunk.readableBytes, Self.chunkLength)
            guard count > 0, let octets = chunk.getSlice(at: chunk.readerIndex, length: count) else { return nil }
            let offset = reader.offset
            reader.consume(count)
            outstanding += 1
            progress(.sending(octets: reader.offset, of: reader.length))
            return .write(handle: handle, offset: offset, octets: octets)
        } catch {
            undo(error, handle)
            return nextRequest()
        }
    }

    func received(_ response: SFTPResponse, to request: SFTPRequest) {
        switch (request, response) {
        case (.create, .handle(let handle)):
            isCreated = true
            guard failure == nil else { return undo(nil, handle) }
            phase = .writing(handle: handle)
            progress(.started)
        case (.create, .status(let status)): phase = isCompleted ? .over : .checkingExistence(status)
        case (.lstat, .attributes): creationFailed("a file of that name exists already")
        case (.lstat, .status): creationFailed(nil)
        case (.write(let handle, _, _), .status(let status)):
            outstanding -= 1
            if !status.isOK { undo(status.error("SFTP write"), handle) }
        case (.close(let handle), .status(let status)):
            if case .undoing = phase { return undoRequestCompleted() }
            if let failure { return undo(failure, handle, isClosed: true) }
            guard status.isOK else { return undo(status.error("SFTP close"), handle, isClosed: true) }
            phase = .over
            progress(.sent)
            finish(.success(()))
        case (.remove, .status): undoRequestCompleted()
        default: failed(SFTPResponse.malformed)
        }
    }

    /// Cancels the upload.
    func giveUp(_ error: SSHError) {
        failure = failure ?? error
        finish(.failure(error))
        switch phase {
        case .begin: phase = .over
        case .writing(let handle): undo(nil, handle)
        // The response finds `failure` set; a file that is complete by then is removed as well.
        case .creating, .closing, .checkingExistence, .undoing, .over: break
        }
    }

    func failed(_ error: SSHError) {
        phase = .over
        finish(.failure(error.during("SFTP write")))
        if isCreated { leftBehind() }
    }

    /// `reason` replaces the one in the status of the creation.
    private func creationFailed(_ reason: String?) {
        guard case .checkingExistence(let status) = phase else { return }
        phase = .over
        var error = status.error("SFTP open")
        if let reason { error.reason = reason }
        finish(.failure(error))
    }

    /// Reports the error at once, then closes and removes the file.
    private func undo(_ error: SSHError?, _ handle: [UInt8], isClosed: Bool = false) {
        if let error {
            if failure == nil { failure = error }
            finish(.failure(error))
        }
        if case .undoing = phase { return }
        phase = .undoing((isClosed ? [] : [.close(handle: handle)]) + [.remove(path)])
    }

    private func undoRequestCompleted() {
        outstanding -= 1
        guard case .undoing(let rest) = phase, rest.isEmpty else { return }
        phase = .over
        isCreated = false
    }

    private func finish(_ result: Result<Void, SSHError>) {
        guard !isCompleted else { return }
        isCompleted = true
        completion(
            result.mapError { error in
                var error = error
                error.octetsSent = reader.offset
                return error
            })
    }
}
