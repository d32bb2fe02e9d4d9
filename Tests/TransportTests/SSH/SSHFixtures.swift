import Foundation
import KioskPrintModel
import KioskSSH
import KioskTestSupport
import Logging
import NIOCore
import NIOPosix
import Synchronization

extension HostKeyPolicy {
    /// Accepts any key, for tests about something else.
    static var any: HostKeyPolicy { HostKeyPolicy { _, _ in } }
}

extension SSHDeadlines {
    /// For tests that are not about time: no deadline passes because other programs keep the machine busy.
    static var patient: Self {
        var deadlines = Self()
        (deadlines.connect, deadlines.handshake, deadlines.login) = (.seconds(120), .seconds(120), .seconds(120))
        (deadlines.response, deadlines.sftp, deadlines.keepAlive, deadlines.idle) = (
            .seconds(600), .seconds(600), .seconds(600), .seconds(3600)
        )
        return deadlines
    }
}

extension SSHServer {
    func endpoint(user: String? = nil, port: Int? = nil) -> SSHEndpoint {
        SSHEndpoint(host: "127.0.0.1", port: port ?? self.port, user: user ?? self.user)
    }

    /// Runs `work` with a host that logs in with a key of this server's, or with another login.
    func withHost<Value>(
        _ login: SSHLogin? = nil, policy: HostKeyPolicy = .any, deadlines: SSHDeadlines = .patient,
        clock: ManualHostClock? = nil, trace: ConnectionTrace = ConnectionTrace(), log: LogRecord = LogRecord(),
        _ work: (SSHHost) async throws -> Value
    ) async throws -> Value {
        let key = SSHLogin(privateKey: .init(path: try await makeKey(name: "id\(UInt32.random(in: 0...UInt32.max))")))
        let used = login ?? key
        return try await TransportTests.withHost(
            at: endpoint(), login: used, policy: policy, deadlines: deadlines, clock: clock, trace: trace,
            log: log, work)
    }
}

func withHost<Value>(
    at endpoint: SSHEndpoint, login: SSHLogin = SSHLogin(password: Secret("x")), policy: HostKeyPolicy = .any,
    deadlines: SSHDeadlines = .patient, clock: ManualHostClock? = nil, trace: ConnectionTrace = ConnectionTrace(),
    log: LogRecord = LogRecord(), _ work: (SSHHost) async throws -> Value
) async throws -> Value {
    let host = SSHHost(
        endpoint, policy: { () async throws(SSHError) in policy }, login: { () async throws(SSHError) in login },
        deadlines: deadlines, clock: clock ?? EventLoopClock(),
        eventLoop: clock?.eventLoop ?? MultiThreadedEventLoopGroup.singleton.next(), trace: trace,
        logger: log.logger)
    do {
        let value = try await work(host)
        await host.close()
        return value
    } catch {
        await host.close()
        throw error
    }
}

extension RemoteCommand {
    /// One that may take long to begin: a server's PAM takes many seconds over a wrong password on a busy machine.
    static func patient(_ line: String) -> RemoteCommand {
        var command = RemoteCommand(line: line)
        command.total = .seconds(600)
        return command
    }

    init(_ line: String, input: [UInt8], trailer: [UInt8] = []) {
        self.init(line: line)
        self.input = .document(.bytes(input), trailer: trailer)
    }
}

extension RemoteResult {
    var text: String { String(decoding: output, as: UTF8.self) }
    var errorText: String { String(decoding: errorOutput, as: UTF8.self) }
}

/// A recorder of a call's progress.
final class ProgressRecord: Sendable {
    private let steps = Mutex<[RemoteProgress]>([])

    func note(_ step: RemoteProgress) { steps.withLock { $0.append(step) } }
    var all: [RemoteProgress] { steps.withLock { $0 } }
}

/// The `SSHError` that `work` throws.
func sshError(_ work: () async throws -> Void) async throws -> SSHError {
    do {
        try await work()
    } catch let error as SSHError {
        return error
    }
    throw TestSupportError("nothing was thrown")
}

/// Cancels `work` from within its progress at the given step, and returns its error. However busy the machine is,
/// `work` is no further than that.
func cancelled(
    atStep step: Int,
    _ work: @escaping @Sendable (_ progress: @escaping @Sendable (RemoteProgress) -> Void) async throws -> Void
) async throws -> SSHError {
    let (begin, beginning) = AsyncStream<Void>.makeStream()
    let state = CancellationPoint(step: step)
    let task = Task {
        for await _ in begin {}
        return try await sshError { try await work(state.note) }
    }
    state.cancelsAtStep { task.cancel() }
    beginning.finish()
    return try await task.value
}

/// Calls a closure at one step of a task's progress.
private final class CancellationPoint: Sendable {
    private let state: Mutex<(stepsLeft: Int, cancel: (@Sendable () -> Void)?)>

    init(step: Int) { state = Mutex((step, nil)) }

    func cancelsAtStep(_ cancel: @escaping @Sendable () -> Void) { state.withLock { $0.cancel = cancel } }

    func note(_: RemoteProgress) {
        let cancel = state.withLock { state in
            state.stepsLeft -= 1
            return state.stepsLeft == 0 ? state.cancel : nil
        }
        cancel?()
    }
}

/// Cancels `work` once `condition` holds, and returns its error.
func cancelled(
    when condition: () async throws -> Bool, _ work: @escaping @Sendable () async throws -> Void
) async throws -> SSHError {
    let task = Task { try await sshError(work) }
    try await eventually("the moment to cancel") { try await condition() }
    task.cancel()
    return try await task.value
}

extension SSHServer {
    /// Ends the commands that wait for the file `go`.
    func releaseCommands() { _ = FileManager.default.createFile(atPath: "\(home)/go", contents: nil) }
}

/// A server that runs a test's script on each connection, without SSH. Listens until it is released.
final class ScriptedSSHServer: Sendable {
    private let channel: any Channel
    let port: Int

    init(_ script: @escaping @Sendable (any Channel) -> Void) async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                script(channel)
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    deinit { channel.close(promise: nil) }
}

extension Channel {
    func sendText(_ text: String) { writeAndFlush(ByteBuffer(string: text), promise: nil) }

    /// Sends the text again and again, as long as the peer reads.
    func repeatForever(_ text: String) {
        let promise = eventLoop.makePromise(of: Void.self)
        promise.futureResult.whenSuccess { self.repeatForever(text) }
        writeAndFlush(ByteBuffer(string: text), promise: promise)
    }
}
