package import Logging
package import NIOCore
import NIOPosix
package import PrintModel

/// A host that is logged in to with one login: one warm session, which all callers share. It is made at the first call,
/// made again when it broke, and closed when nothing was asked for a while.
package final class SSHHost: RemoteHost {
    private let eventLoop: any EventLoop
    private let core: HostCore

    /// `policy` and `login` are asked before each connection: what stands there then counts. `clock` is what its
    /// deadlines go by once it is logged in.
    package init(
        _ endpoint: SSHEndpoint, policy: @escaping @Sendable () async throws(SSHError) -> HostKeyPolicy,
        login: @escaping @Sendable () async throws(SSHError) -> SSHLogin, deadlines: SSHDeadlines = SSHDeadlines(),
        clock: any HostClock = EventLoopClock(), eventLoop: any EventLoop, logger: Logger
    ) {
        self.eventLoop = eventLoop
        core = HostCore(
            endpoint, policy: policy, login: login, deadlines: deadlines, clock: clock, eventLoop: eventLoop,
            threadPool: .singleton, logger: logger)
    }

    package func run(
        _ command: RemoteCommand, progress: @escaping @Sendable (RemoteProgress) -> Void
    ) async throws -> RemoteResult {
        try await call { core, ticket, deliver in core.run(command, progress: progress, ticket, deliver) }
    }

    package func upload(
        _ document: DocumentSource, to path: String, progress: @escaping @Sendable (RemoteProgress) -> Void
    ) async throws {
        try await call { core, ticket, deliver in core.upload(document, to: path, progress: progress, ticket, deliver) }
    }

    package func rename(_ path: String, to newPath: String) async throws {
        try await call { core, ticket, deliver in core.ask(.rename(path, newPath), ticket, deliver) }
    }

    package func remove(_ path: String) async throws {
        try await call { core, ticket, deliver in core.ask(.remove(path), ticket, deliver) }
    }

    /// Ends every call with `.cancelled`, and hangs up. The next call connects anew.
    package func close() async {
        let closed = eventLoop.makePromise(of: Void.self)
        eventLoop.execute { [core] in core.close(closed) }
        try? await closed.futureResult.get()
    }

    /// Runs a call on the event loop; cancelling the task ends the wait at once.
    func call<Value: Sendable>(
        _ begin: @escaping @Sendable (HostCore, CallTicket, @escaping (Result<Value, SSHError>) -> Void) -> Void
    ) async throws -> Value {
        let ticket = CallTicket()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
                eventLoop.execute { [core] in
                    begin(core, ticket) { continuation.resume(with: $0.mapError { $0 as any Error }) }
                }
            }
        } onCancel: {
            eventLoop.execute { ticket.giveUp(.cancelled) }
        }
    }
}

extension CallTicket {
    func giveUp(_ error: SSHError) {
        isCancelled = true
        cancel?(error)
        cancel = nil
    }
}

extension SSHError {
    static var cancelled: SSHError { SSHError(.cancelled, operation: "", reason: "cancelled") }
}

// The first contact.
extension SSHHost {
    /// What a server shows of itself before anybody logs in.
    package struct ShownHostKey: Sendable {
        package var key: HostKey
        /// The public key as it is on the wire.
        package var octets: [UInt8]
        /// Why the policy does not accept it; nil where it does.
        package var refusal: SSHError?
    }

    /// Connects, learns the host key, and hangs up. Where the policy names alternatives and the first key is not known,
    /// the server's other keys are asked for; when none of them is known either, the first is shown.
    package static func hostKey(
        of endpoint: SSHEndpoint, policy: HostKeyPolicy, deadlines: SSHDeadlines = SSHDeadlines(),
        eventLoop: any EventLoop
    ) async throws(SSHError) -> ShownHostKey {
        let attempt = ConnectionAttempt(endpoint, deadlines: deadlines, eventLoop: eventLoop, threadPool: .singleton)
        do {
            let shaken = try await withTaskCancellationHandler {
                try await eventLoop.flatSubmit { attempt.shakeHands(judgedBy: policy) }.get()
            } onCancel: {
                eventLoop.execute { attempt.abandon(.cancelled) }
            }
            eventLoop.execute { attempt.abandon(.cancelled) }
            return ShownHostKey(key: shaken.key, octets: shaken.octets, refusal: shaken.refusal)
        } catch {
            eventLoop.execute { attempt.abandon(.cancelled) }
            throw SSHError(connecting: error)
        }
    }
}
