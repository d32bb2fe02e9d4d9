import Foundation
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport

/// A kioskd at a hub that is killed, stopped and cut off, whose disk is filled and whose clock is set.
final class FaultyKiosk {
    let node: String
    private let daemon: KioskdFixture
    /// To each of the hub's servers.
    private let ways: [TCPRelay]
    /// Its state is on it; nil where tests may not mount a file system: then the disk is never full.
    private let disk: SmallDisk?
    private var isDiskFull = false
    /// In days, against the machine's.
    private(set) var clockAhead = 0
    /// The last of what its former processes have logged.
    private var formerLogs: [String] = []

    init(_ node: String, of office: FleetOffice, _ printer: SimulatedPrinter, _ options: [String] = []) async throws {
        self.node = node
        var ways: [TCPRelay] = []
        for server in office.servers { ways.append(try await TCPRelay(to: server.port)) }
        self.ways = ways
        disk = SmallDisk.isPossible ? try SmallDisk(megabytes: 24) : nil
        // A job that waits across a start of kioskd expires by the wall clock: none is to expire within days.
        let registry = KioskdFixture.registry([printer.uri], more: "    expires-after: 7d\n")
        daemon = try await KioskdFixture(
            folder: try disk.map { try TemporaryFolder(at: "\($0.path)/state") }, registry: registry,
            arguments: office.options(node, hubs: ways.map { "nats://127.0.0.1:\($0.port)" }) + options)
    }

    // MARK: Its process

    func kill() async throws { try await daemon.kill() }

    func terminate() async throws { try await daemon.terminate() }

    /// Starts it anew. On a full disk it may refuse to run until there is room.
    func start() async throws {
        formerLogs.append(String(daemon.log.suffix(Self.logLength)))
        let day = 86_400
        do {
            try await daemon.start(environment: clockAhead == 0 ? [:] : WallClock.environment(ahead: clockAhead * day))
        } catch let error as TestSupportError {
            guard isDiskFull, daemon.log.contains("disk is full") || daemon.log.contains("No space left") else {
                throw error
            }
        }
    }

    /// Starts it anew with a wall clock that is so many days ahead of the machine's.
    func setClock(ahead days: Int) async throws {
        try await terminate()
        clockAhead = days
        try await start()
    }

    func stop(for pause: Duration) async throws {
        let process = try daemon.process
        process.signal(SIGSTOP)
        try await Task.sleep(for: pause)
        process.signal(SIGCONT)
    }

    // MARK: Its way to the hub

    func cutWay() async throws {
        for way in ways { try await way.cut() }
    }

    func healWay() async throws {
        for way in ways { try await way.heal() }
    }

    func breakWay() async throws {
        for way in ways { try await way.reset() }
    }

    // MARK: Its disk

    func fillDisk() throws {
        guard let disk else { return }
        isDiskFull = true
        try disk.fill()
    }

    func freeDisk() async throws {
        guard isDiskFull, let disk else { return }
        try disk.makeRoom()
        isDiskFull = false
        // As a service manager does with one that a full disk has ended.
        if try !daemon.process.isRunning { try await start() }
    }

    // MARK: The end

    /// Undoes all that lasts. The clock stays as it is.
    func heal() async throws {
        try await healWay()
        try await freeDisk()
        guard try daemon.process.isRunning else { throw TestSupportError("the kioskd \(node) has ended by itself") }
    }

    /// The names of the jobs that it has accepted.
    func acceptedNames() async throws -> [String] { try await daemon.client().jobs().jobs.compactMap(\.name) }

    var log: String {
        let former = formerLogs.map { "\($0)\n-- \(node) was started anew --\n" }.joined()
        return "-- \(node) --\n\(former)\(daemon.log.suffix(2 * Self.logLength))"
    }

    /// In characters, of a process that is no more.
    private static let logLength = 2000
}
