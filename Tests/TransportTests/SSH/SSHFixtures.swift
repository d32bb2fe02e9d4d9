import Foundation
import Logging
import NIOCore
import NIOPosix
import PrintModel
import SSH
import Synchronization
import TestSupport

extension HostKeyPolicy {
    /// Any key: for tests that are about something else.
    static var any: HostKeyPolicy { HostKeyPolicy { _, _ in } }
}

extension SSHDeadlines {
    /// For tests that are not about time: nothing is given up because other programs keep the machine busy.
    static var patient: Self {
        var deadlines = Self()
        (deadlines.connect, deadlines.handshake, deadlines.login) = (.seconds(120), .seconds(120), .seconds(120))
        (deadlines.answer, deadlines.sftp, deadlines.keepAlive, deadlines.idle) = (
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
        clock: ManualHostClock? = nil, log: LogRecord = LogRecord(), _ work: (SSHHost) async throws -> Value
    ) async throws -> Value {
        let key = SSHLogin(privateKey: .init(path: try await makeKey(name: "id\(UInt32.random(in: 0...UInt32.max))")))
        let used = login ?? key
        return try await TransportTests.withHost(
            at: endpoint(), login: used, policy: policy, deadlines: deadlines, clock: clock, log: log, work)
    }
}

func withHost<Value>(
    at endpoint: SSHEndpoint, login: SSHLogin = SSHLogin(password: Secret("x")), policy: HostKeyPolicy = .any,
    deadlines: SSHDeadlines = .patient, clock: ManualHostClock? = nil, log: LogRecord = LogRecord(),
    _ work: (SSHHost) async throws -> Value
) async throws -> Value {
    let host = SSHHost(
        endpoint, policy: { () async throws(SSHError) in policy }, login: { () async throws(SSHError) in login },
        deadlines: deadlines, clock: clock ?? EventLoopClock(),
        eventLoop: clock?.eventLoop ?? MultiThreadedEventLoopGroup.singleton.next(),
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
    init(_ line: String, input: [UInt8], trailer: [UInt8] = []) {
        self.init(line: line)
        self.input = .document(.bytes(input), trailer: trailer)
    }
}

extension RemoteResult {
    var text: String { String(decoding: output, as: UTF8.self) }
    var errorText: String { String(decoding: errorOutput, as: UTF8.self) }
}

/// What a call told of its progress.
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
    /// Ends the wait of those commands that look for it.
    func letGo() { _ = FileManager.default.createFile(atPath: "\(home)/go", contents: nil) }
}
