import Foundation
import Glibc
package import KioskAPI
package import KioskPrintModel
package import KioskTestSupport
import Synchronization

/// The built `kioskd` on a temporary folder of its own, and the real clients that talk to it.
package final class KioskdFixture: Sendable {
    package let folder: TemporaryFolder
    private let arguments: [String]
    private let environment: [String: String]
    /// The bus that it sees; it goes with the fixture.
    private let usb: USBEmulator?
    /// The network that it is in; nil: the computer's.
    private let network: TestNetwork?
    private let user: User?
    /// The program to run; nil: the built one.
    private let program: String?
    private let running = Mutex<ChildProcess?>(nil)

    /// Whom it runs as, with one group only; it owns the folder.
    package struct User: Sendable {
        package var name: String
        package var group: String

        package init(name: String, group: String) { (self.name, self.group) = (name, group) }
    }

    /// Starts a daemon, and returns once it listens. `registry` is its `printers.yaml`.
    package init(
        folder: TemporaryFolder? = nil, registry: String? = nil, arguments: [String] = [],
        environment: [String: String] = [:],
        user: User? = nil, usb: USBEmulator? = nil, network: TestNetwork? = nil, program: String? = nil
    ) async throws {
        self.program = program
        // What the test says itself goes before the network's message bus.
        self.environment = (network?.environment ?? [:]).merging(environment) { $1 }
            .merging(usb?.environment ?? [:]) { $1 }
        self.network = network
        self.usb = usb
        self.user = user
        self.folder = try folder ?? TemporaryFolder("kioskd")
        self.arguments = arguments
        if let registry { try self.folder.write(registry, to: "printers.yaml") }
        if let user {
            let given = try await ChildProcess.run(
                "/bin/chown", ["-R", "\(user.name):\(user.group)", self.folder.path])
            guard given.end.isSuccess else { throw TestSupportError("chown: \(given.standardError)") }
        }
        try await start()
    }

    /// A registry with one role over printers of these URLs, `till-1`, `till-2` and so on.
    package static func registry(_ urls: [String], role: String = "receipt", more: String = "") -> String {
        let printers = urls.enumerated().map { "  - { id: till-\($0 + 1), url: \"\($1)\" }\n" }.joined()
        let names = urls.indices.map { "till-\($0 + 1)" }.joined(separator: ", ")
        return "version: 1\nprinters:\n\(printers)roles:\n  \(role):\n    printers: [\(names)]\n\(more)"
    }

    package convenience init(
        printers urls: [String], role: String = "receipt", more: String = "", arguments: [String] = [],
        usb: USBEmulator? = nil
    ) async throws {
        try await self.init(registry: Self.registry(urls, role: role, more: more), arguments: arguments, usb: usb)
    }

    package var socket: String { folder.appending("kioskd.sock") }
    package var registryPath: String { folder.appending("printers.yaml") }
    package var process: ChildProcess {
        get throws {
            guard let child = running.withLock({ $0 }) else { throw TestSupportError("kioskd is not running") }
            return child
        }
    }
    package var log: String { running.withLock { $0?.standardError } ?? "" }

    /// `more` counts for this run alone; what is preloaded goes before what is preloaded anyway.
    package func start(environment more: [String: String] = [:]) async throws {
        let environment = environment.merging(more) { $0.isEmpty ? $1 : "\($1):\($0)" }
        var command =
            [try program ?? BuiltProducts.path("kioskd"), "--state-dir", folder.path, "--log-level", "debug"]
            + arguments
        if let user {
            command =
                ["/usr/bin/setpriv", "--reuid", user.name, "--regid", user.group, "--clear-groups", "--"] + command
        }
        if let network { command = try network.command + command }
        let child = try ChildProcess(command[0], Array(command.dropFirst()), environment: environment)
        running.withLock { $0 = child }
        try await eventually("kioskd to listen", poll: .milliseconds(2)) {
            guard child.isRunning else { throw TestSupportError("kioskd ended: \(child.standardError)") }
            return child.standardError.contains("ready: listening")
        }
    }

    /// Ends it as a crash would.
    package func kill() async throws {
        let child = try process
        child.kill()
        try await child.wait()
    }

    @discardableResult
    package func terminate() async throws -> ChildProcess.End { try await process.terminate() }

    /// Its resident set in bytes, the program's pages among them.
    package func residentMemory() throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(process.processID)/smaps_rollup", encoding: .utf8)
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("Rss:") }),
            let kilobytes = Int(line.filter(\.isNumber))
        else { throw TestSupportError("smaps_rollup says: \(text)") }
        return kilobytes * 1024
    }

    /// A client with connections of its own.
    package func client() -> KioskClient { KioskClient(socket: SocketLocation(path: socket)) }

    package func kioskctl(
        _ arguments: String..., input: String = "", deadline: Duration = .seconds(600)
    ) async throws -> ChildProcess.Result {
        try await ChildProcess.run(
            try BuiltProducts.path("kioskctl"), arguments, environment: ["KIOSKD_SOCKET": socket], input: input,
            deadline: deadline)
    }
}

extension KioskClient {
    /// Submits a text, plain where nothing else is said.
    package func submit(
        text: String, to role: String = "receipt", key: String? = nil, format: DocumentFormat = .plainText
    ) async throws -> Job {
        var parameters = SubmissionParameters()
        parameters.role = RoleName(rawValue: role)
        parameters.format = format
        parameters.idempotencyKey = key
        return try await submit(.bytes(Array(text.utf8)), parameters)
    }
}
