import Glibc
import KioskPrintModel
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// The HTTP client of one printer: sends requests over its kept connections, with the TLS and the login that it
/// demands. It also holds what was learnt about the printer.
final class PrinterLink: Sendable {
    let target: PrinterTarget
    let knowledge: PrinterKnowledge
    let security: TLSPolicy
    let connector: Connector
    let idleTimeout: IdleTimeout
    /// The printer's names in requests.
    let address: PrinterAddress
    private let credentials: (any CredentialSource)?
    private let executor: EventLoopTaskExecutor
    private let logins: LoginSession
    private let pool: ConnectionPool
    private let waits = PendingWaits()
    private let state = Mutex(State())

    private struct State {
        /// Closed with this one.
        var second: PrinterLink?
        var isClosed = false
    }

    /// One request that was sent, once or twice.
    private struct Sending {
        var result: Result<HTTPResponse, HTTPFailure>
        /// Whether it went over a connection that had served another request before.
        var wasKept = false
        var connection = LoginSession.ConnectionTraits()
        /// The login that it carried.
        var login: LoginState.Sent?

        init(_ cause: HTTPFailure.Cause) {
            result = .failure(HTTPFailure(cause: cause, nothingAccepted: true))
        }

        init(_ failure: HTTPFailure) {
            result = .failure(failure)
        }
    }

    init(
        _ target: PrinterTarget, connector: Connector, credentials: (any CredentialSource)?,
        idleTimeout: IdleTimeout, knowledge: PrinterKnowledge = PrinterKnowledge(), security: TLSPolicy? = nil
    ) {
        let security =
            security ?? TLSPolicy(target, credentials: credentials, threadPool: connector.threadPool)
        self.target = target
        self.knowledge = knowledge
        self.security = security
        self.connector = connector
        self.idleTimeout = idleTimeout
        address = connector.dialer == nil ? PrinterAddress(target.url) : .local
        self.credentials = credentials
        executor = connector.executor
        logins = LoginSession(target, credentials: credentials)
        // A dialer says with the first connection how many there may be.
        pool = ConnectionPool(
            limit: connector.dialer == nil ? Int.max : 1, security: security, eventLoop: connector.eventLoop)
    }

    var trace: PrinterTrace { connector.trace }

    private var isDialed: Bool { connector.dialer != nil }

    /// Runs work on the event loop that serves the printer's connections. Whatever blocks must run elsewhere: see
    /// `LoginSession.read`.
    func run<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value {
        try await withTaskExecutorPreference(executor) { try await work() }
    }

    /// Closes everything, and refuses all that comes later.
    func close() {
        let second = state.withLock { state in
            state.isClosed = true
            return state.second.take()
        }
        second?.close()
        waits.close()
        pool.close()
    }

    // Requests.

    /// Sends a request, with a login where the printer demands one, and returns the response.
    ///
    /// A 401 response proves that the printer did not act on the request (RFC 9110 §15.5), so it may go out again.
    func perform(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        var request = request
        var attempt = LoginAttempt()
        while true {
            let sending = await send(request)
            let response = try sending.result.get()
            if demandsUpgrade(response, sending, isDocument: request.document != nil) {
                trace.tell("\(request.number): HTTP 426; send it again over TLS")
                continue
            }
            if response.status == .expectationFailed, request.expectsContinue {
                // RFC 9110 §10.1.1: the same without it.
                trace.tell("\(request.number): HTTP 417; send it again without Expect")
                request.expectsContinue = false
                continue
            }
            guard response.status == .unauthorized else {
                // A printer that refuses for another reason may not have looked at the login.
                if response.isHTTPSuccess { logins.accepted(sending.login, nextNonce: response.nextNonce) }
                return response
            }
            let challenges = AuthenticationChallenge.parse(response.headers["www-authenticate"])
            trace.tell(
                "\(request.number): HTTP 401; the printer offers \(challenges.map(\.scheme).joined(separator: ", "))")
            do throws(LoginFailure.Reason) {
                let step = attempt.refused(sending.login, challenges: challenges)
                try await logins.prepare(step, after: sending.login, challenges, over: sending.connection)
            } catch {
                throw HTTPFailure(cause: .login(LoginFailure(error, challenges)))
            }
        }
    }

    /// Whether the response demands TLS on the same port (RFC 2817 §4.2); nothing that follows goes out in clear.
    private func demandsUpgrade(_ response: HTTPResponse, _ sending: Sending, isDocument: Bool) -> Bool {
        guard !sending.connection.isSecure, !isDialed else { return false }
        guard response.status == .upgradeRequired else {
            if response.isHTTPSuccess { security.servedInClear() }
            return false
        }
        guard response.headers[canonicalForm: "upgrade"].contains(where: { $0.lowercased().hasPrefix("tls/") }) else {
            return false
        }
        security.demanded(forDocument: isDocument)
        pool.closeIdle()
        return true
    }

    /// Performs one exchange, on a kept connection where one is idle.
    ///
    /// A kept connection may turn out to be closed. Then the request goes out once more on a new one, but only where
    /// the printer cannot have acted on the first, or where acting twice does no harm.
    private func send(_ request: HTTPRequest) async -> Sending {
        let first = await sendOnce(request)
        guard first.wasKept, case .failure(let failure) = first.result, failure.allowsRetry(of: request) else {
            return first
        }
        trace.tell("\(request.number): no response over the kept connection; send it again over a new one")
        pool.closeIdle()
        return await sendOnce(request)
    }

    private func sendOnce(_ request: HTTPRequest) async -> Sending {
        let isDocument = request.document != nil
        let kept: HTTPConnection?
        do {
            kept = try await pool.lease(isDocument: isDocument)
        } catch {
            return Sending(.cancelled)
        }
        let connection: HTTPConnection
        do {
            connection = try await activate(kept, isDocument: isDocument)
        } catch {
            pool.giveBack(nil, isDocument: isDocument)
            return Sending(HTTPFailure(connecting: error).showing(security.identity))
        }
        var sending = Sending(.cancelled)
        sending.wasKept = connection === kept
        sending.connection = LoginSession.ConnectionTraits(
            isSecure: connection.isSecure, isPrivate: connection.isPrivate,
            allowsLogin: request.carriesLogin && (connection.isPrivate || target.allowsPlainLogin))
        var request = request
        if sending.connection.allowsLogin {
            sending.login = logins.next(method: HTTPRequest.method, uri: request.path)
            request.authorization = sending.login?.field
        }
        if sending.wasKept { trace.tell("\(request.number) goes over a kept connection") }
        if let login = sending.login {
            trace.tell("\(request.number) carries a \(login.scheme) login")
        }
        sending.result = await connection.exchange(request)
            .mapError { $0.showing(security.identity) }
            .rejectingMismatch(with: request)
        if case .failure = sending.result { connection.close() }
        pool.giveBack(connection, isDocument: isDocument)
        return sending
    }

    // Connections.

    /// The connection for a lease: the kept one where it is still usable, or a new one.
    private func activate(_ kept: HTTPConnection?, isDocument: Bool) async throws -> HTTPConnection {
        let connection: HTTPConnection
        // A connection that was handed to a waiter may be in clear, and TLS may have been demanded since.
        if let kept, pool.isUsable(kept, isDocument: isDocument) {
            connection = kept
        } else {
            kept?.close()
            connection = try await open(forDocument: isDocument)
        }
        pool.activate(connection)
        return connection
    }

    private func open(forDocument isDocument: Bool) async throws -> HTTPConnection {
        if let dialer = connector.dialer { return try await open(through: dialer) }
        do {
            return try await open(forDocument: isDocument, allowsUnchecked: true)
        } catch is Connector.OutdatedTLSContext {
            return try await open(forDocument: isDocument, allowsUnchecked: false)
        }
    }

    private func open(forDocument isDocument: Bool, allowsUnchecked: Bool) async throws -> HTTPConnection {
        let way = try await security.next(
            forDocument: isDocument, on: executor.eventLoop, allowsUnchecked: allowsUnchecked)
        do {
            let opened = connector.connect(to: target.url, security: way, idleTimeout: idleTimeout)
            let connection = try await wait(for: opened) { $0.close() }
            if connection.isSecure { security.upgraded() }
            return connection
        } catch let failure as HTTPFailure {
            guard case .upgrade = way else { throw failure }
            security.upgradeRefused()
            throw security.explained(failure)
        }
    }

    private func open(through dialer: any PrinterDialer) async throws -> HTTPConnection {
        let dialed = try await dial(dialer)
        pool.allow(dialed.limit)
        return try await wait(for: connector.adopt(dialed, idleTimeout: idleTimeout)) { $0.close() }
    }

    /// Dials away from the event loop, and for no longer than any connection may take.
    private func dial(_ dialer: any PrinterDialer) async throws -> DialedConnection {
        let promise = executor.eventLoop.makePromise(of: DialedConnection.self)
        let dialing = promise.completeWithTask { [target] in try await dialer.dial(target) }
        let timer = executor.eventLoop.scheduleTask(in: connector.connectTimeout) { dialing.cancel() }
        defer {
            timer.cancel()
            dialing.cancel()
        }
        do {
            return try await wait(for: promise.futureResult) { Glibc.close($0.socket) }
        } catch let error as TransportError where error.code == .cancelled {
            throw HTTPFailure(cause: .timedOut(.connection), nothingAccepted: true)
        }
    }

    // Waits.

    /// Waits for some time; throws when the task is cancelled or the link closes.
    func pause(_ duration: Duration) async throws {
        let timer = executor.eventLoop.scheduleTask(in: TimeAmount(duration)) {}
        do {
            try await wait(for: timer.futureResult) {}
        } catch {
            timer.cancel()
            throw error
        }
    }

    /// Waits for a future; throws when the task is cancelled or the link closes. A value that arrives afterwards goes
    /// to `tooLate`.
    func wait<Value: Sendable>(
        for future: EventLoopFuture<Value>, tooLate: @escaping @Sendable (Value) -> Void
    ) async throws -> Value {
        try await waits.wait(for: future, tooLate: tooLate)
    }

    // A second link, for waits that must not delay other requests.

    /// Makes a link to the same printer with separate connections, which is closed with this one. There is one at a
    /// time.
    func makeSecondLink() -> PrinterLink {
        let second = PrinterLink(
            target, connector: connector, credentials: credentials, idleTimeout: idleTimeout, knowledge: knowledge,
            security: security)
        let isClosed = state.withLock { state in
            state.second = second
            return state.isClosed
        }
        if isClosed { second.close() }
        return second
    }

    /// Whether the printer serves one connection more than this link ever uses.
    var hasSpareConnection: Bool { pool.hasSpareConnection }

    /// Sets what to call, once, when all connections to the printer are in use; nil for nothing. Returns false, and
    /// keeps nothing, where they are in use already.
    @discardableResult
    func whenPoolIsFull(_ action: (@Sendable () -> Void)?) -> Bool { pool.whenFull(action) }

    /// Takes an idle connection, which is the caller's to use and close; closes the other idle ones.
    func takeIdleConnection() -> HTTPConnection? { pool.takeIdleConnection() }

    /// Ends all exchanges under way, as cancelled.
    func cancelExchanges() {
        waits.interruptAll()
        pool.closeAll()
    }
}

extension Result<HTTPResponse, HTTPFailure> {
    /// Turns a response to another request into a failure: the right one may still arrive, so the connection is of no
    /// more use.
    fileprivate func rejectingMismatch(with request: HTTPRequest) -> Self {
        switch self {
        case .success(let response):
            guard let id = response.mismatchedRequestID(for: request) else { return self }
            return .failure(
                HTTPFailure(cause: .mismatchedResponse(requestID: id), documentBytes: response.documentBytes))
        case .failure(var failure):
            if failure.earlySuccess?.mismatchedRequestID(for: request) != nil { failure.earlySuccess = nil }
            return .failure(failure)
        }
    }
}

extension HTTPFailure {
    /// Adds the name of the credentials whose client certificate was shown, where TLS failed.
    fileprivate func showing(_ identity: String?) -> HTTPFailure {
        guard case .tls(let error, _) = cause else { return self }
        var failure = self
        failure.cause = .tls(error, identity: identity)
        return failure
    }
}
