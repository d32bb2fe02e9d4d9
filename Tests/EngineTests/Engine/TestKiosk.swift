import Foundation
import KioskPrintModel
import KioskPrinterRegistry
import KioskTestSupport
import Logging
import Testing

@testable import KioskEngine

/// An engine on a folder of its own, with scripted printers `till-1` and `till-2`; it can be stopped and started again.
final class TestKiosk {
    let folder: TemporaryFolder
    let transport = ScriptedTransport()
    let trace = WireTrace()
    private(set) var engine: PrintEngine
    private var running: Task<Void, any Error>

    static let registry = """
        version: 1
        printers:
          - id: till-1
            url: ipp://192.0.2.1/ipp/till-1
          - id: till-2
            url: ipp://192.0.2.2/ipp/till-2
        roles:
          receipt:
            printers: [till-1, till-2]
          held:
            printers: [till-1]
            unconfirmed: hold
          dropped:
            printers: [till-1]
            unconfirmed: drop
          empty:
            printers: []
        """

    init(
        registry: String = TestKiosk.registry, credentials: (any CredentialSource)? = nil,
        preparation: (any DocumentPreparation)? = nil, observer: (any EngineObserver)? = nil,
        clock: EngineClock = .system,
        prepare: (ScriptedTransport) -> Void = { _ in }, configure: (inout EngineConfiguration) -> Void = { _ in }
    ) async throws {
        folder = try TemporaryFolder()
        self.credentials = credentials
        self.preparation = preparation
        self.observer = observer
        self.clock = clock
        try Data(registry.utf8).write(to: URL(fileURLWithPath: folder.path + "/printers.yaml"))
        prepare(transport)
        var configuration = EngineConfiguration(stateDirectory: folder.path + "/state")
        configuration.wantedContactInterval = .milliseconds(20)
        configuration.reprintDelay = .milliseconds(20)
        // A printer that is well is never passed over for being slow, however busy this machine is.
        configuration.failoverTimeout = .seconds(3600)
        configure(&configuration)
        self.configuration = configuration
        engine = try await Self.start(
            configuration, folder, transport, credentials, preparation, trace, observer, clock)
        running = Task { [engine] in try await engine.run() }
    }

    private let configuration: EngineConfiguration
    private let credentials: (any CredentialSource)?
    private let preparation: (any DocumentPreparation)?
    private let observer: (any EngineObserver)?
    private let clock: EngineClock

    private static func start(
        _ configuration: EngineConfiguration, _ folder: TemporaryFolder, _ transport: ScriptedTransport,
        _ credentials: (any CredentialSource)?, _ preparation: (any DocumentPreparation)?, _ trace: WireTrace,
        _ observer: (any EngineObserver)?, _ clock: EngineClock
    ) async throws -> PrintEngine {
        let store = await RegistryStore(path: folder.path + "/printers.yaml")
        return try await PrintEngine(
            configuration: configuration, registry: store, transports: [transport],
            credentials: credentials, preparation: preparation, trace: trace, observer: observer,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, clock: clock
        )
    }

    func stop() async throws {
        running.cancel()
        try await running.value
    }

    /// Why the engine ended by itself.
    func ended() async -> EngineError? {
        guard case .failure(let error as EngineError) = await running.result else { return nil }
        return error
    }

    /// What a second process on the same folder would get.
    func secondEngine() async throws -> PrintEngine {
        try await Self.start(configuration, folder, transport, credentials, preparation, trace, observer, clock)
    }

    func restart() async throws {
        try await stop()
        try await start()
    }

    /// After `stop`.
    func start() async throws {
        engine = try await secondEngine()
        running = Task { [engine] in try await engine.run() }
    }

    func submit(
        _ text: String, role: String = "receipt", _ change: (inout JobRequest) -> Void = { _ in }
    ) async throws -> Job {
        var request = JobRequest(role: .test(role), name: text, format: .plainText)
        change(&request)
        return try await engine.submit(request, bytes: Array(text.utf8))
    }

    /// Changes the registry's file, and has it read.
    func edit(_ text: String, into other: String) async throws {
        try folder.write(Self.registry.replacingOccurrences(of: text, with: other), to: "printers.yaml")
        try await engine.registryStore.reload()
        // The engine hears of it by itself, but not before the test goes on.
        await engine.applyRegistry()
    }

    /// The job once it is settled.
    func settled(_ job: Job) async throws -> Job { try await engine.wait(for: job.id, timeout: .seconds(20)) }
}

/// Why a job was not taken; nil where it was.
func refusal(_ body: () async throws -> Job) async -> EngineError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? EngineError
    }
}
