import Dispatch
import KioskAPI
import KioskBlockingClient
import KioskPrintModel

/// The clients of the API, so that each test of what they have in common runs against both.
enum APIClientKind: String, CaseIterable, Sendable {
    /// `KioskClient`.
    case concurrent
    /// `BlockingClient`, the one of kioskctl.
    case blocking

    func client(_ socket: SocketLocation, responseTimeout: Duration = .seconds(30)) -> any TestedAPIClient {
        client(.socket(socket), responseTimeout: responseTimeout)
    }

    func client(_ address: DaemonAddress, responseTimeout: Duration = .seconds(30)) -> any TestedAPIClient {
        switch self {
        case .concurrent:
            var options = KioskClient.Options()
            options.responseTimeout = responseTimeout
            options.eventTimeout = responseTimeout
            options.reconnectDelay = .milliseconds(1)
            return KioskClient(address: address, options: options)
        case .blocking:
            var options = BlockingClient.Options()
            options.responseTimeout = responseTimeout
            options.eventTimeout = responseTimeout
            options.reconnectDelay = .milliseconds(1)
            return BlockingClientOnQueue(BlockingClient(address: address, options: options))
        }
    }

    func client(_ server: ScriptedServer, responseTimeout: Duration = .seconds(30)) -> any TestedAPIClient {
        client(SocketLocation(path: server.path), responseTimeout: responseTimeout)
    }
}

/// What the clients have in common.
protocol TestedAPIClient: Sendable {
    func roles() async throws -> [Role]
    func submit(
        _ document: DocumentSource, _ parameters: SubmissionParameters, progress: @escaping @Sendable (Int64) -> Void
    ) async throws -> Job
    func reprint(_ id: Job.ID, _ parameters: ReprintParameters) async throws -> Job
    func job(_ id: Job.ID, wait: Duration) async throws -> Job
    /// Reads this many events.
    func readEvents(
        _ count: Int, after last: EngineEvent.ID?, interrupted: @escaping @Sendable (KioskClientError) -> Void
    ) async throws -> [EngineEvent]
    /// Reads a trace to its end.
    func readTrace(_ printer: PrinterID, for time: Duration) async throws -> [TraceEvent]
}

extension TestedAPIClient {
    func submit(_ document: DocumentSource, _ parameters: SubmissionParameters) async throws -> Job {
        try await submit(document, parameters) { _ in }
    }

    func submit(_ document: DocumentSource, to role: RoleName, wait: Duration = .zero) async throws -> Job {
        var parameters = SubmissionParameters()
        parameters.role = role
        parameters.wait = wait > .zero ? Int(wait.components.seconds) : nil
        return try await submit(document, parameters)
    }
}

extension KioskClient: TestedAPIClient {
    func readEvents(
        _ count: Int, after last: EngineEvent.ID?, interrupted: @escaping @Sendable (KioskClientError) -> Void
    ) async throws -> [EngineEvent] {
        var read: [EngineEvent] = []
        for try await event in events(after: last, interrupted: interrupted) {
            read.append(event)
            if read.count == count { break }
        }
        return read
    }

    func readTrace(_ printer: PrinterID, for time: Duration) async throws -> [TraceEvent] {
        try await trace(printer, for: time).reduce(into: []) { $0.append($1) }
    }
}

/// Runs the calls of a blocking client on a thread that may block.
///
/// Unchecked: the client is used on its serial queue alone.
private final class BlockingClientOnQueue: TestedAPIClient, @unchecked Sendable {
    private let client: BlockingClient
    private let queue = DispatchQueue(label: "blocking client")

    init(_ client: BlockingClient) { self.client = client }

    private func call<Value: Sendable>(
        _ work: @escaping @Sendable (BlockingClient) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try work(self.client) }) }
        }
    }

    func roles() async throws -> [Role] { try await call { try $0.perform(.roles()).roles } }

    func submit(
        _ document: DocumentSource, _ parameters: SubmissionParameters, progress: @escaping @Sendable (Int64) -> Void
    ) async throws -> Job {
        try await call { try $0.submit(document, parameters, progress: progress) }
    }

    func reprint(_ id: Job.ID, _ parameters: ReprintParameters) async throws -> Job {
        try await call { try $0.reprint(id, parameters) }
    }

    func job(_ id: Job.ID, wait: Duration) async throws -> Job { try await call { try $0.job(id, wait: wait) } }

    func readEvents(
        _ count: Int, after last: EngineEvent.ID?, interrupted: @escaping @Sendable (KioskClientError) -> Void
    ) async throws -> [EngineEvent] {
        try await call { client in
            var read: [EngineEvent] = []
            try client.events(after: last, interrupted: interrupted) { event in
                read.append(event)
                return read.count < count
            }
            return read
        }
    }

    func readTrace(_ printer: PrinterID, for time: Duration) async throws -> [TraceEvent] {
        try await call { client in
            var read: [TraceEvent] = []
            try client.trace(printer, for: time) { read.append($0) }
            return read
        }
    }
}
