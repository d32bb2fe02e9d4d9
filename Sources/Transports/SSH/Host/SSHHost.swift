package import KioskPrintModel
package import Logging
package import NIOCore
import NIOPosix

/// A user at a host, and where the host is reached.
package struct SSHEndpoint: Hashable, Sendable {
    /// A name, or an address without brackets.
    package var host: String
    package var port: Int
    package var user: String

    package init(host: String, port: Int = 22, user: String) {
        self.host = host
        self.port = port
        self.user = user
    }
}

/// A host reached with one login: one warm session that all callers share. It is made at the first call, made again
/// after a failure, and closed when it was unused for a while.
package final class SSHHost: RemoteHost {
    private let eventLoop: any EventLoop
    private let calls: HostCalls

    /// `policy` and `login` are evaluated before each connection, so that changes take effect. `clock` measures the
    /// deadlines after the login.
    package init(
        _ endpoint: SSHEndpoint, policy: @escaping @Sendable () async throws(SSHError) -> HostKeyPolicy,
        login: @escaping @Sendable () async throws(SSHError) -> SSHLogin, deadlines: SSHDeadlines = SSHDeadlines(),
        clock: any HostClock = EventLoopClock(), eventLoop: any EventLoop, trace: ConnectionTrace = ConnectionTrace(),
        logger: Logger
    ) {
        self.eventLoop = eventLoop
        let connection = HostConnection(
            endpoint, policy: policy, login: login, deadlines: deadlines, clock: clock, eventLoop: eventLoop,
            threadPool: .singleton, trace: trace, logger: logger)
        calls = HostCalls(
            on: connection, deadlines: deadlines, clock: clock, eventLoop: eventLoop, threadPool: .singleton)
    }

    package func run(
        _ command: RemoteCommand, progress: @escaping @Sendable (RemoteProgress) -> Void
    ) async throws -> RemoteResult {
        try await call { calls, cancellation, completion in
            calls.run(command, progress: progress, cancellation, completion)
        }
    }

    package func upload(
        _ document: DocumentSource, to path: String, progress: @escaping @Sendable (RemoteProgress) -> Void
    ) async throws {
        try await call { calls, cancellation, completion in
            calls.upload(document, to: path, progress: progress, cancellation, completion)
        }
    }

    package func rename(_ path: String, to newPath: String) async throws {
        try await call { calls, cancellation, completion in
            calls.send(.rename(path, newPath), cancellation, completion)
        }
    }

    package func remove(_ path: String) async throws {
        try await call { calls, cancellation, completion in calls.send(.remove(path), cancellation, completion) }
    }

    /// Ends every call with `.cancelled`, and closes the connection. The next call connects again.
    package func close() async {
        let closed = eventLoop.makePromise(of: Void.self)
        eventLoop.execute { [calls] in calls.close(closed) }
        try? await closed.futureResult.get()
    }

    /// Runs a call on the event loop. Cancelling the task ends the wait at once.
    private func call<Value: Sendable>(
        _ begin: @escaping @Sendable (HostCalls, CallCancellation, @escaping (Result<Value, SSHError>) -> Void) -> Void
    ) async throws -> Value {
        let cancellation = CallCancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
                eventLoop.execute { [calls] in
                    begin(calls, cancellation) { continuation.resume(with: $0.mapError { $0 as any Error }) }
                }
            }
        } onCancel: {
            eventLoop.execute { cancellation.cancel() }
        }
    }
}

// MARK: - Host keys without a login

extension SSHHost {
    /// The host key that a server shows before anybody logs in.
    package struct ShownHostKey: Sendable {
        package var key: HostKey
        /// The public key in its wire format.
        package var octets: [UInt8]
        /// Why the policy does not accept it; nil where it does.
        package var refusal: SSHError?
    }

    /// Connects, learns the host key, and closes the connection. If the policy names alternatives and the first key is
    /// not known, the server's other keys are requested; if none of them is known either, the first is returned.
    package static func hostKey(
        of endpoint: SSHEndpoint, policy: HostKeyPolicy, deadlines: SSHDeadlines = SSHDeadlines(),
        eventLoop: any EventLoop, trace: ConnectionTrace = ConnectionTrace()
    ) async throws(SSHError) -> ShownHostKey {
        let attempt = ConnectionAttempt(
            endpoint, deadlines: deadlines, eventLoop: eventLoop, threadPool: .singleton, trace: trace)
        do {
            let handshake = try await withTaskCancellationHandler {
                try await eventLoop.flatSubmit { attempt.performHandshake(checkedBy: policy) }.get()
            } onCancel: {
                eventLoop.execute { attempt.abandon(.cancelled) }
            }
            eventLoop.execute { attempt.abandon(.cancelled) }
            return ShownHostKey(key: handshake.key, octets: handshake.octets, refusal: handshake.refusal)
        } catch {
            eventLoop.execute { attempt.abandon(.cancelled) }
            throw SSHError(connecting: error)
        }
    }
}
