import NIOCore

/// One thing to do over SFTP. It asks for requests to be sent, and is given their answers.
protocol SFTPJob: AnyObject {
    /// Whether nothing of it was sent yet.
    var isUntouched: Bool { get }
    /// Whether a broken session already made it begin anew.
    var isRetried: Bool { get set }
    var isOver: Bool { get }
    /// What to send now; nil where it waits.
    func nextRequest() -> SFTPRequest?
    func answered(_ request: SFTPRequest, _ reply: SFTPReply)
    /// The session is gone.
    func failed(_ error: SSHError)
}

/// One request, and its answer.
final class SFTPQuestion: SFTPJob {
    private let request: SFTPRequest
    private let operation: String
    private let deliver: (Result<Void, SSHError>) -> Void
    private(set) var isUntouched = true
    var isRetried = false
    private(set) var isOver = false

    init(_ request: SFTPRequest, operation: String, deliver: @escaping (Result<Void, SSHError>) -> Void) {
        self.request = request
        self.operation = operation
        self.deliver = deliver
    }

    func nextRequest() -> SFTPRequest? {
        guard isUntouched, !isOver else { return nil }
        isUntouched = false
        return request
    }

    func answered(_ request: SFTPRequest, _ reply: SFTPReply) {
        guard case .status(let status) = reply else { return failed(SFTPReply.broken) }
        finish(status.isGood ? .success(()) : .failure(status.error(operation)))
    }

    func failed(_ error: SSHError) { finish(.failure(error.during(operation))) }

    private func finish(_ result: Result<Void, SSHError>) {
        guard !isOver else { return }
        isOver = true
        deliver(result)
    }
}
