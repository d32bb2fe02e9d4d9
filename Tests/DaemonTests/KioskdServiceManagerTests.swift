import Foundation
import Glibc
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskServiceManager
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// What the daemon and the service manager that started it tell each other: notifications, the watchdog, and sockets.
@Suite struct KioskdServiceManagerTests {
    // MARK: Notifications

    @Test(arguments: [false, true])
    func `it is ready when it accepts connections, and not before`(isAbstract: Bool) async throws {
        let folder = try TemporaryFolder("notify")
        let manager = try NotificationReceiver(isAbstract ? "@\(folder.path)" : folder.appending("notify"))
        let stall = try folder.write("", to: "stall")
        let daemon = try ChildProcess(
            try BuiltProducts.path("kioskd"), ["--state-dir", folder.appending("state")],
            environment: ["NOTIFY_SOCKET": manager.name, "LD_PRELOAD": try Self.stallingDisk, "STALL_FILE": stall])
        try await eventually("the start to wait for the disk") {
            FileManager.default.fileExists(atPath: "\(stall).reached")
        }
        #expect(manager.count(of: "READY=1") == 0)
        #expect(!FileManager.default.fileExists(atPath: folder.appending("state/kioskd.sock")))
        try FileManager.default.removeItem(atPath: stall)
        try await manager.wait(for: "READY=1")
        let connection = try RawConnection(folder.appending("state/kioskd.sock"))
        try await connection.send("GET /v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try await connection.read(until: "200 OK")
        try await manager.wait(for: "STATUS=0 printers; 0 jobs")
        #expect(try await daemon.terminate() == .exited(0))
        #expect(manager.messages.last == "STOPPING=1")
        #expect(manager.count(of: "READY=1") == 1)
        #expect(manager.count(of: "WATCHDOG=1") == 0)
    }

    @Test func `the log says that the manager cannot be told`() async throws {
        let folder = try TemporaryFolder("notify")
        let daemon = try ChildProcess(
            try BuiltProducts.path("kioskd"), ["--state-dir", folder.appending("state")],
            environment: ["NOTIFY_SOCKET": folder.appending("nobody")])
        try await eventually("the log to say so") {
            daemon.standardError.contains("the service manager cannot be told READY=1: No such file or directory")
        }
        #expect(try await daemon.terminate() == .exited(0))
    }

    @Test func `a reload is announced, and over once the registry is in force`() async throws {
        let folder = try TemporaryFolder("notify")
        let manager = try NotificationReceiver(folder.appending("notify"))
        let daemon = try await KioskdFixture(
            registry: "version: 1\nprinters: []\nroles: {}\n", environment: ["NOTIFY_SOCKET": manager.name])
        try await manager.wait(for: "READY=1")
        let before = monotonicMicroseconds()
        try daemon.folder.write(
            KioskdFixture.registry(["ipp://localhost:\(try freePort())/ipp/print"]), to: "printers.yaml")
        try daemon.process.signal(SIGHUP)
        try await manager.wait(for: "READY=1", count: 2)
        #expect(try await daemon.curl("/v1/printers/till-1").status == 200)
        let announced = try #require(manager.messages.first { $0.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") })
        let time = try #require(announced.split(separator: "=").last.flatMap { UInt64($0) })
        #expect((before...monotonicMicroseconds()).contains(time))
        // One that is refused ends as well: the last good registry stays in force.
        try daemon.folder.write("printers: nonsense\n", to: "printers.yaml")
        try daemon.process.signal(SIGHUP)
        try await manager.wait(for: "READY=1", count: 3)
        #expect(try await daemon.curl("/v1/printers/till-1").status == 200)
    }

    /// Has each sync wait for as long as there is a file `STALL_FILE`.
    private static var stallingDisk: String {
        get throws {
            let library = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../CrashPoint/build/crash_point.so").standardized.path
            try #require(FileManager.default.fileExists(atPath: library), "run `make -C Tests/CrashPoint` first")
            return library
        }
    }

    // MARK: The watchdog

    /// How a daemon hangs.
    enum Hang: String, CaseIterable {
        /// The disk does not take what the queue's thread writes; all else goes on.
        case disk
        /// The whole process stands still.
        case process
    }

    @Test(arguments: Hang.allCases)
    func `where it hangs its signs of life stop, and the restart loses nothing and doubles nothing`(
        hang: Hang
    ) async throws {
        let watchdog = Duration.milliseconds(1500)
        let folder = try TemporaryFolder("notify")
        let manager = try NotificationReceiver(folder.appending("notify"))
        let stall = folder.appending("stall")
        var options = SimulatedPrinter.Options()
        options.port = try freePort()
        let printer = try await SimulatedPrinter.start(options)
        let daemon = try await KioskdFixture(
            registry: KioskdFixture.registry([printer.uri]),
            environment: [
                "NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "1500000", "LD_PRELOAD": try Self.stallingDisk,
                "STALL_FILE": stall,
            ])
        try await manager.wait(for: "WATCHDOG=1", count: 3)
        let query = { @Sendable (key: String) in ["-H", "Idempotency-Key: \(key)"] }
        let first = try await daemon.submit("TEA\n", "role=receipt&wait=300", query("first")).json(Job.self)
        #expect(first.state == .completed)

        var request: Task<Void, any Error>?
        switch hang {
        case .disk:
            try folder.write("", to: "stall")
            request = Task { _ = try await daemon.submit("COFFEE\n", "role=receipt", query("second")) }
            try await eventually("the queue's thread to wait for the disk") {
                FileManager.default.fileExists(atPath: "\(stall).reached")
            }
            #expect(try await daemon.curl("/v1/openapi.json").status == 200)
        case .process: try daemon.process.signal(SIGSTOP)
        }
        try await manager.waitForWatchdog(watchdog)
        try await daemon.kill()
        _ = await request?.result
        try? FileManager.default.removeItem(atPath: stall)

        let ready = manager.count(of: "READY=1")
        try await daemon.start()
        try await manager.wait(for: "READY=1", count: ready + 1)
        // The till does not know what became of its request, and sends it again.
        for (text, key) in [("TEA\n", "first"), ("COFFEE\n", "second")] {
            let job = try await daemon.submit(text, "role=receipt&wait=300", query(key)).json(Job.self)
            #expect(job.state == .completed, "\(job)")
            if key == "first" { #expect(job.id == first.id) }
        }
        let documents = try await printer.documents.map { String(decoding: try readFile($0.path), as: UTF8.self) }
        #expect(documents.sorted() == ["COFFEE\n", "TEA\n"])
        let seen = manager.count(of: "WATCHDOG=1")
        try await manager.wait(for: "WATCHDOG=1", count: seen + 2)
    }

    // MARK: Sockets

    private static let activator = "/usr/bin/systemd-socket-activate"

    @Test(arguments: ["http", "https"])
    func `it serves the sockets that systemd listens at, from the first connection on`(scheme: String) async throws {
        try #require(
            FileManager.default.isExecutableFile(atPath: Self.activator), "run `apt-get install systemd` first")
        let folder = try TemporaryFolder("socket")
        let (socket, port) = (folder.appending("kioskd.sock"), try freePort())
        let daemon = try ChildProcess(
            Self.activator,
            [
                "--listen=\(socket)", "--listen=127.0.0.1:\(port)", "--fdname=local:\(scheme)",
                try BuiltProducts.path("kioskd"), "--state-dir", folder.appending("state"), "--host-name", "till",
            ])
        try await eventually("systemd to listen") { daemon.standardError.contains("Listening on 127.0.0.1:\(port)") }
        #expect(!FileManager.default.fileExists(atPath: folder.appending("state")))
        // Its connection starts the daemon, and is served.
        let client = KioskClient(socket: SocketLocation(path: socket))
        defer { client.close() }
        #expect(try await client.health().printersSaved == 0)
        let curl = try InstalledProgram.path("curl", package: "curl")
        let answer = try await ChildProcess.run(
            curl,
            ["-sS", "--insecure", "--retry-connrefused", "--retry", "9", "-o", "/dev/null", "-w", "%{http_code}"]
                + ["\(scheme)://localhost:\(port)/v1/openapi.json", "--ipv4"])
        #expect(answer.standardOutput == "200", "\(answer.standardError)\(daemon.standardError)")
        let server = try await ChildProcess.run(
            curl, ["-sS", "--unix-socket", socket, "http://localhost/v1/server"])
        #expect(server.standardOutput.contains("\(scheme)://127.0.0.1:\(port)"), "\(server.standardOutput)")
        // Systemd does not notice that somebody removes the path.
        #expect(unlink(socket) == 0)
        try await eventually("the socket to be made again") { (try? isListening(atSocket: socket)) == true }
        let later = try await ChildProcess.run(
            curl, ["-sS", "--unix-socket", socket, "http://localhost/v1/health"])
        #expect(later.end.isSuccess && later.standardOutput.hasPrefix("{"), "\(later.standardOutput)")
        #expect(try await daemon.terminate() == .exited(0))
    }

    /// What lies at the path of a passed socket that was lost before the start.
    enum Remains: CaseIterable {
        case nothing
        /// The socket of an earlier daemon, which made its own and was killed.
        case deadSocket
    }

    @Test(arguments: Remains.allCases)
    func `a passed socket whose path was lost before the start has one made in its place`(
        remains: Remains
    ) async throws {
        try #require(
            FileManager.default.isExecutableFile(atPath: Self.activator), "run `apt-get install systemd` first")
        let folder = try TemporaryFolder("socket")
        let (socket, port) = (folder.appending("kioskd.sock"), try freePort())
        let daemon = try ChildProcess(
            Self.activator,
            [
                "--listen=\(socket)", "--listen=127.0.0.1:\(port)", "--fdname=local:http",
                try BuiltProducts.path("kioskd"), "--state-dir", folder.appending("state"),
            ])
        try await eventually("systemd to listen") { daemon.standardError.contains("Listening on 127.0.0.1:\(port)") }
        #expect(unlink(socket) == 0)
        if remains == .deadSocket {
            _ = try RawListener(socket)
            #expect(chmod(socket, 0o606) == 0)
        }
        let curl = try InstalledProgram.path("curl", package: "curl")
        let answer = try await ChildProcess.run(
            curl, ["-sS", "-o", "/dev/null", "-w", "%{http_code}", "http://127.0.0.1:\(port)/v1/openapi.json"])
        #expect(answer.standardOutput == "200", "\(answer.standardError)\(daemon.standardError)")
        try await eventually("the socket to be made") { (try? isListening(atSocket: socket)) == true }
        let health = try await ChildProcess.run(curl, ["-sS", "--unix-socket", socket, "http://localhost/v1/health"])
        #expect(health.end.isSuccess && health.standardOutput.hasPrefix("{"), "\(health.standardOutput)")
        let permissions = try FileManager.default.attributesOfItem(atPath: socket)[.posixPermissions] as? Int
        #expect(permissions == (remains == .deadSocket ? 0o606 : 0o660))
        #expect(try await daemon.terminate() == .exited(0))
    }

    @Test func `a daemon that starts anew in place keeps the socket that systemd listens at`() async throws {
        try #require(
            FileManager.default.isExecutableFile(atPath: Self.activator), "run `apt-get install systemd` first")
        let folder = try TemporaryFolder("socket")
        let (state, socket) = (folder.appending("state"), folder.appending("kioskd.sock"))
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: false)
        try folder.write(
            KioskdFixture.registry(["ipp://localhost:\(try freePort())/ipp/print"]), to: "state/printers.yaml")
        func start() async throws -> ChildProcess {
            let daemon = try ChildProcess(
                Self.activator, ["--listen=\(socket)", try BuiltProducts.path("kioskd"), "--state-dir", state])
            try await eventually("systemd to listen") { daemon.standardError.contains("Listening on \(socket)") }
            return daemon
        }
        let before = try await start()
        let client = KioskClient(socket: SocketLocation(path: socket))
        defer { client.close() }
        _ = try await client.submit(text: String(repeating: "x", count: 30_000), key: "long")
        #expect(try await before.terminate() == .exited(0))
        // A page within the document, which no start reads: the check of a queue that is in use finds it.
        let queue = folder.appending("state/queue.sqlite")
        let size = 8192
        let bytes = try readFile(queue)
        let page = try #require(
            (0..<bytes.count / size).first { page in
                bytes[(page * size + 4)..<(page + 1) * size].allSatisfy { $0 == UInt8(ascii: "x") }
            })
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: queue))
        try file.seek(toOffset: UInt64(page * size))
        try file.write(contentsOf: Data(count: size))
        try file.close()

        #expect(unlink(socket) == 0)
        let daemon = try await start()
        let passed = try inode(of: socket)
        #expect(try isListening(atSocket: socket))
        try await eventually("it to start anew and listen") {
            guard let restart = daemon.standardError.range(of: "kioskd starts anew") else { return false }
            return daemon.standardError[restart.upperBound...].contains("ready: listening at \(socket)")
        }
        let curl = try InstalledProgram.path("curl", package: "curl")
        let health = try await ChildProcess.run(curl, ["-sS", "--unix-socket", socket, "http://localhost/v1/health"])
        #expect(health.end.isSuccess && health.standardOutput.hasPrefix("{"), "\(health.standardOutput)")
        #expect(try inode(of: socket) == passed)
        #expect(try await daemon.terminate() == .exited(0))
    }

    private func inode(of path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int)
    }

    @Test func `a socket of the service manager stays where it is when the daemon ends`() async throws {
        try #require(
            FileManager.default.isExecutableFile(atPath: Self.activator), "run `apt-get install systemd` first")
        let folder = try TemporaryFolder("socket")
        let socket = folder.appending("kioskd.sock")
        let daemon = try ChildProcess(
            Self.activator,
            ["--listen=\(socket)", try BuiltProducts.path("kioskd"), "--state-dir", folder.appending("state")])
        try await eventually("systemd to listen") { daemon.standardError.contains("Listening on \(socket)") }
        // A connection that is kept open ends with the daemon.
        let connection = try RawConnection(socket)
        try await connection.send("GET /v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try await connection.read(until: "200 OK")
        #expect(daemon.standardError.contains("ready: listening at \(socket)"))
        #expect(try await daemon.terminate() == .exited(0))
        #expect(FileManager.default.fileExists(atPath: socket))
    }

    @Test(arguments: [
        ("exec 3</dev/null", "1", "descriptor 3 is not a socket"),
        (":", "many", "\"many\" is not a count of sockets"),
    ])
    func `what is not a listening socket is refused`(setup: String, count: String, reason: String) async throws {
        let folder = try TemporaryFolder("socket")
        let result = try await ChildProcess.run(
            "/bin/sh",
            ["-c", "\(setup); LISTEN_PID=$$ LISTEN_FDS=\(count) exec \"$@\"", "sh"]
                + [try BuiltProducts.path("kioskd"), "--state-dir", folder.path])
        #expect(result.end == .exited(64), "\(result.standardError)")
        #expect(result.standardError.contains(reason), "\(result.standardError)")
    }
}
