import PrintModel
import Synchronization

extension PrinterLink {
    /// One request that went out, once or twice.
    struct Sending {
        var result: Result<HTTPAnswer, HTTPFailure>
        /// Whether it went over a connection that had served another request before.
        var wasKept = false
        var wasSecure = false
        /// Whether nobody on the way could read it, or answer in the printer's place.
        var wasPrivate = false
        /// Whether that connection may carry logins.
        var mayLogIn = false
        /// The login that it carried.
        var login: LoginMemory.Sent?

        init(_ cause: HTTPFailure.Cause) {
            result = .failure(HTTPFailure(cause: cause, nothingTaken: true))
        }

        init(_ failure: HTTPFailure) {
            result = .failure(failure)
        }
    }

    /// One exchange, on a kept connection where there is one.
    ///
    /// A kept connection may turn out to be closed. Then the request goes out once more, on a new one, but only where
    /// the printer cannot have acted on the first, or where acting twice does no harm.
    func send(_ request: HTTPRequest) async -> Sending {
        let first = await attempt(request)
        guard first.wasKept, case .failure(let failure) = first.result, failure.allowsRepeating(request) else {
            return first
        }
        for connection in state.withLock({ $0.lanes.dropIdle() }) { connection.close() }
        return await attempt(request)
    }

    private func attempt(_ request: HTTPRequest) async -> Sending {
        let isDocument = request.document != nil
        let kept: HTTPConnection?
        do {
            kept = try await lease(isDocument: isDocument)
        } catch {
            return Sending(.cancelled)
        }
        let connection: HTTPConnection
        do {
            connection = try await enter(kept, isDocument: isDocument)
        } catch {
            giveBack(nil, isDocument: isDocument)
            return Sending(HTTPFailure(connecting: error).showing(security.identity))
        }
        var sending = Sending(.cancelled)
        sending.wasSecure = connection.isSecure
        sending.wasKept = connection === kept
        sending.wasPrivate = connection.isPrivate
        sending.mayLogIn = request.carriesLogin && (connection.isPrivate || target.allowsPlainLogin)
        var request = request
        if sending.mayLogIn {
            sending.login = logins.withLock { $0.next(method: HTTPRequest.method, uri: request.path) }
            request.authorization = sending.login?.field
        }
        sending.result = await connection.exchange(request).mapError { $0.showing(security.identity) }.refusingForeign(
            request)
        if case .failure = sending.result { connection.close() }
        giveBack(connection, isDocument: isDocument)
        return sending
    }
}

extension Result<HTTPAnswer, HTTPFailure> {
    /// Without an answer to another request: its own may still come, so that the connection is of no use any more.
    fileprivate func refusingForeign(_ request: HTTPRequest) -> Self {
        switch self {
        case .success(let answer):
            guard let id = answer.foreignRequestID(for: request) else { return self }
            return .failure(HTTPFailure(cause: .foreignAnswer(requestID: id), documentBytes: answer.documentBytes))
        case .failure(var failure):
            if failure.earlySuccess?.foreignRequestID(for: request) != nil { failure.earlySuccess = nil }
            return .failure(failure)
        }
    }
}

extension HTTPFailure {
    /// With the name of the credentials whose client certificate was shown, where it is one of TLS.
    fileprivate func showing(_ identity: String?) -> HTTPFailure {
        guard case .tls(let error, _) = cause else { return self }
        var failure = self
        failure.cause = .tls(error, identity: identity)
        return failure
    }
}
