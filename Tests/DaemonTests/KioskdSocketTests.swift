import Foundation
import Glibc
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskTestSupport
import Testing

/// The socket: who may connect, what it replaces, what it leaves behind.
@Suite struct KioskdSocketTests {
    /// Runs a daemon that must not start.
    private func refused(_ arguments: [String]) async throws -> ChildProcess.Result {
        try await ChildProcess.run(try BuiltProducts.path("kioskd"), arguments)
    }

    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    @Test func `the socket has its mode, the files in the state directory are the owner's alone`() async throws {
        let daemon = try await KioskdFixture(arguments: ["--socket-mode", "0600"])
        #expect(try mode(daemon.socket) == 0o600)
        for name in try daemon.folder.names() where name.hasPrefix("queue") || name == "documents" {
            #expect(try mode(daemon.folder.appending(name)) & 0o077 == 0, "\(name)")
        }
        #expect(try daemon.folder.names().filter { $0.hasPrefix(".") } == [])
    }

    @Test func `a folder that is made for the socket lets the group in and no others`() async throws {
        let folder = try TemporaryFolder()
        let socket = folder.appending("run/kiosk.sock")
        let daemon = try await KioskdFixture(arguments: ["--socket", socket])
        #expect(try mode(folder.appending("run")) == 0o750)
        #expect(try mode(socket) == 0o660)
        try await daemon.terminate()
        #expect(!FileManager.default.fileExists(atPath: socket))
    }

    @Test func `a second daemon on the same state directory is refused, and the first is named`() async throws {
        let daemon = try await KioskdFixture()
        let second = try await refused([
            "--state-dir", daemon.folder.path, "--socket", daemon.folder.appending("other.sock"),
        ])
        #expect(second.end == .exited(75))
        #expect(second.standardError.contains("process \(try daemon.process.processID)"))
        #expect(second.standardError.contains(daemon.folder.path))
        #expect(try await daemon.curl("/v1/health").status == 200)
    }

    @Test func `a second daemon on the same socket is refused, and the first goes on`() async throws {
        let daemon = try await KioskdFixture()
        let other = try TemporaryFolder()
        let second = try await refused(["--state-dir", other.path, "--socket", daemon.socket])
        #expect(second.end == .exited(75))
        #expect(second.standardError.contains(daemon.socket))
        #expect(second.standardError.contains("process \(try daemon.process.processID)"))
        #expect(try await daemon.curl("/v1/health").status == 200)
    }

    @Test func `a dead daemon's socket is replaced`() async throws {
        let daemon = try await KioskdFixture()
        try await daemon.kill()
        #expect(FileManager.default.fileExists(atPath: daemon.socket))
        try await daemon.start()
        #expect(try await daemon.curl("/v1/health").status == 200)
    }

    @Test func `another program's socket is not replaced while that listens`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("kioskd.sock")
        let other = try RawListener(path)
        let daemon = try await refused(["--state-dir", folder.path])
        #expect(daemon.end == .exited(75))
        #expect(daemon.standardError.contains(path))
        withExtendedLifetime(other) { #expect(FileManager.default.fileExists(atPath: path)) }
    }

    @Test func `what is not a socket is never removed`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("precious", to: "kioskd.sock")
        let daemon = try await refused(["--state-dir", folder.path])
        #expect(daemon.end == .exited(73))
        #expect(daemon.standardError.contains("is not a socket"))
        #expect(try folder.read("kioskd.sock") == Array("precious".utf8))
    }

    @Test func `a socket that someone else put there meanwhile stays`() async throws {
        let daemon = try await KioskdFixture()
        let theirs = try TemporaryFolder()
        _ = try RawListener(theirs.appending("s"))
        #expect(rename(theirs.appending("s"), daemon.socket) == 0)
        try await daemon.terminate()
        #expect(FileManager.default.fileExists(atPath: daemon.socket))
    }

    @Test func `a path that is too long is refused with its bound`() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await refused([
            "--state-dir", folder.path, "--socket", "/tmp/\(String(repeating: "x", count: 110))",
        ])
        #expect(daemon.end == .exited(64))
        #expect(daemon.standardError.contains("107"))
    }

    @Test(.enabled(if: geteuid() == 0)) func `a folder that anyone may write is refused`() async throws {
        let folder = try TemporaryFolder()
        #expect(chmod(folder.path, 0o777) == 0)
        let daemon = try await refused(["--state-dir", folder.path])
        #expect(daemon.end == .exited(77))
        #expect(daemon.standardError.contains("chmod o-w"))
    }

    @Test func `a group that does not exist is named`() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await refused(["--state-dir", folder.path, "--socket-group", "no-such-group"])
        #expect(daemon.end == .exited(64))
        #expect(daemon.standardError.contains("no-such-group"))
    }

    @Test(.enabled(if: geteuid() == 0)) func `the socket is given to a group`() async throws {
        let folder = try TemporaryFolder()
        let socket = folder.appending("run/kiosk.sock")
        let daemon = try await KioskdFixture(arguments: ["--socket-group", "daemon", "--socket", socket])
        #expect(try group(socket) == "daemon")
        #expect(try group(folder.appending("run")) == "daemon")
        #expect(try group(folder.path) != "daemon")
        try await daemon.terminate()
    }

    @Test(.enabled(if: geteuid() == 0)) func `a state directory that is made for the socket is the group's`()
        async throws
    {
        let parent = try TemporaryFolder()
        let state = parent.appending("state")
        let child = try ChildProcess(
            try BuiltProducts.path("kioskd"), ["--state-dir", state, "--socket-group", "daemon"])
        try await eventually("kioskd to listen") { child.standardError.contains("ready: listening") }
        #expect(try group(state) == "daemon")
        try await child.terminate()
    }

    @Test(.enabled(if: geteuid() == 0))
    func `a folder that was there keeps its group, and is refused when members cannot enter`() async throws {
        let folder = try TemporaryFolder()
        let before = try group(folder.path)
        let daemon = try await refused(["--state-dir", folder.path, "--socket-group", "daemon"])
        #expect(daemon.end == .exited(77))
        #expect(daemon.standardError.contains("chgrp"))
        #expect(try group(folder.path) == before)
    }

    private func group(_ path: String) throws -> String? {
        try FileManager.default.attributesOfItem(atPath: path)[.groupOwnerAccountName] as? String
    }

    @Test(.enabled(if: geteuid() == 0)) func `without permission it says for what`() async throws {
        let folder = try TemporaryFolder()
        #expect(chmod(folder.path, 0o755) == 0)
        let setpriv = try InstalledProgram.path("setpriv", package: "util-linux")
        let program = try BuiltProducts.path("kioskd")
        let daemon = try await ChildProcess.run(
            setpriv, ["--reuid", "65534", "--regid", "65534", "--clear-groups", program, "--state-dir", folder.path])
        // Where the build folder itself is closed to other users, the program cannot even be started.
        if !FileManager.default.isExecutableFile(atPath: program) { return }
        #expect(daemon.end == .exited(77) || daemon.end == .exited(127), "\(daemon.standardError)")
        if daemon.end == .exited(77) { #expect(daemon.standardError.contains(folder.path)) }
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `it ends when asked to, and takes its socket along`(signal: Int32) async throws {
        let daemon = try await KioskdFixture()
        try daemon.process.signal(signal)
        #expect(try await daemon.process.wait() == .exited(0))
        #expect(!FileManager.default.fileExists(atPath: daemon.socket))
        #expect(daemon.log.contains("stopped"))
    }

    /// What people and their tidying programs do to a socket.
    enum Loss: String, CaseIterable { case removed, replaced, withItsFolder }

    @Test(arguments: Loss.allCases)
    func `a socket that is lost is made again, and connections that were open stay`(loss: Loss) async throws {
        let folder = try TemporaryFolder("socket")
        let socket = folder.appending("run/kiosk.sock")
        let daemon = try await KioskdFixture(arguments: ["--socket", socket])
        let kept = try RawConnection(socket)
        let question = "GET /v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n"
        try await kept.send(question)
        try await kept.read(until: "200 OK")
        for _ in 0..<2 {
            switch loss {
            case .removed: #expect(unlink(socket) == 0)
            case .replaced:
                // Nobody listens there any more.
                let other = try RawListener(folder.appending("s"))
                #expect(rename(folder.appending("s"), socket) == 0)
                withExtendedLifetime(other) {}
            case .withItsFolder: try FileManager.default.removeItem(atPath: folder.appending("run"))
            }
            let client = KioskClient(socket: SocketLocation(path: socket))
            defer { client.close() }
            try await eventually("the socket to be made again") { (try? await client.health()) != nil }
            #expect(try mode(socket) == 0o660)
        }
        try await kept.send(question)
        try await kept.read(until: "200 OK")
        try await eventually("the loss in the log") {
            daemon.log.contains("the socket \(socket) is gone: it is made again")
        }
        let second = try await refused(["--state-dir", folder.appending("other"), "--socket", socket])
        #expect(second.end == .exited(75), "\(second.standardError)")
        try await daemon.terminate()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.appending("run")) == ["kiosk.sock.lock"])
    }

    @Test func `many starters at once leave one daemon`() async throws {
        let folder = try TemporaryFolder()
        let program = try BuiltProducts.path("kioskd")
        let starters = try (0..<6).map { _ in try ChildProcess(program, ["--state-dir", folder.path]) }
        try await eventually("one to be left") { starters.filter(\.isRunning).count == 1 }
        let left = try #require(starters.filter(\.isRunning).first)
        try await eventually("it to listen") { left.standardError.contains("ready") }
        let response = try await KioskClient(socket: SocketLocation(path: folder.appending("kioskd.sock"))).health()
        #expect(response.printersSaved == 0)
    }
}
