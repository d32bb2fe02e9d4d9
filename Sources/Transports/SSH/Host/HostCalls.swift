import NIOCore
import NIOPosix

/// The calls on one host: commands, uploads and single SFTP requests, each with its deadline and its cancellation.
///
/// Unchecked: its state is used on the host's event loop only.
final class HostCalls: @unchecked Sendable {
    /// How long the SFTP channel stays open without a request.
    private static let sftpKeepTime = TimeAmount.seconds(10)

    private let connection: HostConnection
    private let deadlines: SSHDeadlines
    private let clock: any HostClock
    private let eventLoop: any EventLoop
    private let threadPool: NIOThreadPool
    /// The SFTP channel that all SFTP calls share, opened when one needs it. The connection holds it while it is in
    /// use.
    private weak var sftp: SFTPClient?

    init(
        on connection: HostConnection, deadlines: SSHDeadlines, clock: any HostClock, eventLoop: any EventLoop,
        threadPool: NIOThreadPool
    ) {
        self.connection = connection
        self.deadlines = deadlines
        self.clock = clock
        self.eventLoop = eventLoop
        self.threadPool = threadPool
    }

    func run(
        _ command: RemoteCommand, progress: @escaping (RemoteProgress) -> Void, _ cancellation: CallCancellation,
        _ completion: @escaping (Result<RemoteResult, SSHError>) -> Void
    ) {
        let connection = connection
        var reader: DocumentReader?
        if case .document(let source, _) = command.input { reader = makeReader(source) }
        var timer: HostTimer?
        let execution = CommandExecution(command, clock: clock, reader: reader, progress: progress) { result in
            timer?.cancel()
            cancellation.callEnded()
            completion(result)
        }
        let call = HostCall(execution, kind: command.kind)
        let isWanted = cancellation.callBegins { [weak connection] error in
            execution.giveUp(error.during("exec"))
            connection?.callsChanged()
        }
        guard isWanted else { return }
        timer = clock.schedule(in: TimeAmount(command.total), on: eventLoop) { [weak connection] in
            execution.giveUp(
                SSHError(.timedOut, operation: "exec", reason: "it did not end within \(command.total)"))
            connection?.callsChanged()
        }
        connection.submit(call)
    }

    func upload(
        _ document: DocumentSource, to path: String, progress: @escaping (RemoteProgress) -> Void,
        _ cancellation: CallCancellation, _ completion: @escaping (Result<Void, SSHError>) -> Void
    ) {
        let connection = connection
        var timer: HostTimer?
        let upload = SFTPUpload(
            path, reader: makeReader(document), progress: progress,
            leftBehind: { [weak self] in self?.removeLater(path) }
        ) { result in
            timer?.cancel()
            cancellation.callEnded()
            completion(result)
        }
        let isWanted = cancellation.callBegins { [weak connection] error in
            upload.giveUp(error.during("SFTP write"))
            connection?.callsChanged()
        }
        guard isWanted else { return }
        // Once it has begun, each of its requests has a deadline.
        timer = scheduleDeadline { if upload.isUnsent { upload.giveUp($0.during("SFTP open")) } }
        submit(upload)
    }

    /// Sends one SFTP request that a status answers.
    func send(
        _ request: SFTPRequest, _ cancellation: CallCancellation,
        _ completion: @escaping (Result<Void, SSHError>) -> Void
    ) {
        let connection = connection
        var timer: HostTimer?
        let operation = SFTPSingleRequest(request) { result in
            timer?.cancel()
            cancellation.callEnded()
            completion(result)
        }
        let isWanted = cancellation.callBegins { [weak connection] error in
            operation.failed(error)
            connection?.callsChanged()
        }
        guard isWanted else { return }
        timer = scheduleDeadline { operation.failed($0) }
        submit(operation)
    }

    /// Ends all calls and closes the connection.
    func close(_ promise: EventLoopPromise<Void>) { connection.close(promise) }

    private func makeReader(_ source: DocumentSource) -> DocumentReader {
        let connection = connection
        return DocumentReader(source, threadPool: threadPool, eventLoop: eventLoop) { [weak connection] in
            connection?.pump()
        }
    }

    /// Gives an SFTP call up after its deadline; `giveUp` does nothing if it is over by then.
    private func scheduleDeadline(_ giveUp: @escaping (SSHError) -> Void) -> HostTimer {
        let connection = connection
        return clock.schedule(in: TimeAmount(deadlines.sftp), on: eventLoop) { [weak connection, deadlines] in
            giveUp(SSHError(.timedOut, operation: "", reason: "it had no response within \(deadlines.sftp)"))
            connection?.callsChanged()
        }
    }

    /// Removes the part of an upload whose connection broke.
    private func removeLater(_ path: String) {
        if connection.isClosing { return }
        submit(SFTPSingleRequest(.remove(path)) { _ in })
    }

    private func submit(_ operation: any SFTPOperation) {
        if let sftp, sftp.isAccepting {
            sftp.add(operation)
            return connection.callsChanged()
        }
        let client = SFTPClient(
            clock: clock, responseTime: TimeAmount(deadlines.response), keepTime: Self.sftpKeepTime
        ) { [weak self] operation in
            guard let self else { return operation.failed(SSHError.cancelled) }
            // Not from within the end of the old session.
            eventLoop.assumeIsolated().execute { self.submit(operation) }
        }
        sftp = client
        client.add(operation)
        connection.submit(HostCall(client, kind: .delivery))
    }
}

/// Cancels a call at its caller's request. Unchecked: its members are used on the host's event loop only.
final class CallCancellation: @unchecked Sendable {
    private var handler: ((SSHError) -> Void)?
    private var isCancelled = false

    /// Makes a call cancellable. Returns false if it was cancelled already, after ending it.
    func callBegins(_ handler: @escaping (SSHError) -> Void) -> Bool {
        if isCancelled {
            handler(.cancelled)
            return false
        }
        self.handler = handler
        return true
    }

    func callEnded() { handler = nil }

    func cancel() {
        isCancelled = true
        handler?(.cancelled)
        handler = nil
    }
}
