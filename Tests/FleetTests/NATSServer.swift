import Foundation
import KioskFleet
import KioskTestSupport
import Synchronization

/// A `nats-server` of one node on loopback, with JetStream in a folder of its own: Debian's (2.9), or a current one
/// from upstream (`Scripts/bootstrap test`).
final class NATSServer: Sendable {
    enum Version: String, Sendable, CaseIterable {
        case debian, current
    }

    let port: Int
    var url: String { "nats://127.0.0.1:\(port)" }
    private let program: String
    private let folder: TemporaryFolder
    private let running = Mutex<ChildProcess?>(nil)

    /// The versions that are there.
    static var installed: [Version] {
        Version.allCases.filter { FileManager.default.isExecutableFile(atPath: path(of: $0)) }
    }

    private static func path(of version: Version) -> String {
        switch version {
        case .debian: "/usr/sbin/nats-server"
        case .current:
            URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appending(path: "../../.build/peers/nats/nats-server").standardized.path
        }
    }

    /// Starts one, and returns once it takes connections. `more` is added to its configuration.
    ///
    /// A login may take its time: within two seconds, as by itself, a client of a busy machine cannot always answer.
    init(_ version: Version, more: String = "") async throws {
        program = Self.path(of: version)
        folder = try TemporaryFolder("nats")
        port = try freePort()
        try folder.write(
            """
            host: 127.0.0.1
            port: \(port)
            jetstream { store_dir: "\(folder.appending("store"))", max_mem: 64MB, max_file: 512MB }
            \(more.contains("authorization") ? "" : "authorization { timeout: 300 }")
            \(more)
            """, to: "server.conf")
        try await start()
    }

    func start() async throws {
        let child = try ChildProcess(program, ["-c", folder.appending("server.conf")])
        running.withLock { $0 = child }
        try await eventually("nats-server to be ready") {
            guard child.isRunning else { throw TestSupportError("nats-server ended: \(child.standardError)") }
            return child.standardError.contains("Server is ready")
        }
    }

    /// Ends it as a crash would.
    func kill() async throws {
        guard let child = running.withLock({ $0 }) else { throw TestSupportError("nats-server is not running") }
        child.kill()
        try await child.wait()
    }

    /// Keeps it from all that it does, its connections open.
    func suspend() throws {
        guard let child = running.withLock({ $0 }) else { throw TestSupportError("nats-server is not running") }
        child.signal(SIGSTOP)
    }

    /// A server that has just started may refuse a valid login while it reads its accounts.
    func waitUntilItLetsIn(_ options: NATSLink.Options) async throws {
        try await eventually("the hub to let \(options.authentication) in") {
            do {
                try await NATSLink.connectOnce(options).close()
                return true
            } catch is FleetError { return false }
        }
    }

    /// Takes all away that it has stored; it must not run.
    func removeStore() throws { try FileManager.default.removeItem(atPath: folder.appending("store")) }

    var log: String { running.withLock { $0?.standardError } ?? "" }
}

extension NATSLink.Options {
    /// Those of a test's own link: a login may take its time.
    static func test(_ servers: [String], as name: String = "test") -> Self {
        var options = Self(servers: servers, clientName: name)
        (options.connectTimeout, options.writeTimeout) = (.seconds(300), .seconds(300))
        return options
    }
}
