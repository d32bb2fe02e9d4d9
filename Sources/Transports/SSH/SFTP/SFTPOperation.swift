import NIOCore

/// An operation over SFTP: supplies the requests to send, and receives the responses.
protocol SFTPOperation: AnyObject {
    /// Whether none of its requests was sent yet.
    var isUnsent: Bool { get }
    /// Whether it was started again already after a session broke.
    var isRetried: Bool { get set }
    var isOver: Bool { get }
    /// The request to send now; nil while it waits.
    func nextRequest() -> SFTPRequest?
    func received(_ response: SFTPResponse, to request: SFTPRequest)
    /// The session ended.
    func failed(_ error: SSHError)
}

/// One request that a status answers.
final class SFTPSingleRequest: SFTPOperation {
    private let request: SFTPRequest
    private let completion: (Result<Void, SSHError>) -> Void
    private(set) var isUnsent = true
    var isRetried = false
    private(set) var isOver = false

    init(_ request: SFTPRequest, completion: @escaping (Result<Void, SSHError>) -> Void) {
        self.request = request
        self.completion = completion
    }

    func nextRequest() -> SFTPRequest? {
        guard isUnsent, !isOver else { return nil }
        isUnsent = false
        return request
    }

    func received(_ response: SFTPResponse, to request: SFTPRequest) {
        guard case .status(let status) = response else { return failed(SFTPResponse.malformed) }
        finish(status.isOK ? .success(()) : .failure(status.error(request.operation)))
    }

    func failed(_ error: SSHError) { finish(.failure(error.during(request.operation))) }

    private func finish(_ result: Result<Void, SSHError>) {
        guard !isOver else { return }
        isOver = true
        completion(result)
    }
}
