import NIOCore

// Its end, good or bad.
extension SFTPUpload {
    func undone() {
        underWay -= 1
        guard case .undoing(let rest) = phase, rest.isEmpty else { return }
        phase = .over
        isMade = false
    }

    /// `reason`: instead of what the status of the creation says.
    func refuse(_ reason: String?) {
        guard case .looking(let status) = phase else { return }
        phase = .over
        var error = status.error("SFTP open")
        if let reason { error.reason = reason }
        finish(.failure(error))
    }

    /// Tells why at once; closes and removes what is there.
    func undo(_ error: SSHError?, _ handle: [UInt8], isClosed: Bool = false) {
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

    func finish(_ result: Result<Void, SSHError>) {
        guard !isDelivered else { return }
        isDelivered = true
        deliver(
            result.mapError { error in
                var error = error
                error.octetsSent = feed.offset
                return error
            })
    }
}
