import Foundation

/// A USB bus of emulated printers (`Tests/USBEmulator`; its README lists settings and commands).
///
/// Programs see the bus when they are started with `environment`. A process that is running cannot be given one: a test
/// that calls libusb itself runs in a test process that was started in the emulator, and takes `surrounding()`.
package final class USBEmulator: Sendable {
    /// For the programs that shall see the bus.
    package let environment: [String: String]
    private let socket: String
    private let folder: TemporaryFolder
    private let child: ChildProcess?

    /// Starts one; `options` describe its devices as on the command line, and none gives a single TM-T20II.
    package init(_ options: [String] = []) async throws {
        folder = try TemporaryFolder("usb")
        // An ordinary user's program gets through to the socket and the paper.
        guard chmod(folder.path, 0o755) == 0 else { throw TestSupportError.errno("chmod", errno) }
        socket = folder.appending("control")
        let child = try ChildProcess(
            try Self.program(), ["--control", socket] + options, environment: ["TMPDIR": folder.path])
        // The last line that it prints.
        _ = try await child.lineBehind("USB_EMULATOR_CONTROL=")
        environment = Self.variables(in: child.standardOutput)
        self.child = child
    }

    private init(surrounding environment: [String: String], socket: String) throws {
        folder = try TemporaryFolder("usb")
        self.environment = environment
        self.socket = socket
        child = nil
    }

    /// The bus that this process was started in.
    package static func surrounding() throws -> USBEmulator {
        let own = ProcessInfo.processInfo.environment
        guard let socket = own["USB_EMULATOR_CONTROL"] else {
            throw TestSupportError(
                "this test runs inside the emulator: Tests/USBEmulator/build/usb-emulator -- swift test …")
        }
        let names = ["LD_PRELOAD", "UMOCKDEV_DIR", "USB_EMULATOR_CONTROL"]
        return try USBEmulator(surrounding: own.filter { names.contains($0.key) }, socket: socket)
    }

    /// Runs a program on a bus of its own, to its end; its exit status passes through. `options` may name a user.
    package static func run(
        _ options: [String] = [], program: String, _ arguments: [String] = [], environment: [String: String] = [:],
        deadline: Duration = .seconds(120)
    ) async throws -> ChildProcess.Result {
        try await ChildProcess.run(
            try Self.program(), options + ["--", program] + arguments, environment: environment, deadline: deadline)
    }

    /// Sends a line (`0 cover-open on`) and returns what stands behind `ok`; a refusal throws.
    @discardableResult
    package func control(_ line: String) async throws -> String {
        let answer = try await ControlLine.ask(line, at: socket)
        guard answer == "ok" || answer.hasPrefix("ok ") else { throw TestSupportError("\"\(line)\": \(answer)") }
        return String(answer.dropFirst("ok ".count))
    }

    /// Adds a device that the same words as on the command line describe; the number that commands know it by.
    package func add(_ options: String) async throws -> Int {
        let answer = try await control("bus add \(options)")
        guard let device = Int(answer.dropFirst("device=".count)) else {
            throw TestSupportError("no device: \(answer)")
        }
        return device
    }

    /// What a device, or an interface ("0.1"), counted: `printed`, `opens`, `driver` …
    package func statistics(_ address: String = "0") async throws -> [String: String] {
        Self.pairs(in: try await control("\(address) stats").split(separator: " "))
    }

    /// Lets an interface print into a new file; its path.
    package func usePaper(_ address: String = "0") async throws -> String {
        let path = folder.appending("paper-\(address)")
        try await control("\(address) paper '\(path)'")
        return path
    }

    /// The built program.
    private static func program() throws -> String {
        let path = path("build/usb-emulator")
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw TestSupportError("\(path) is missing: run `make -C Tests/USBEmulator` first")
        }
        return path
    }

    /// The path of something in the emulator's folder.
    package static func path(_ name: String) -> String {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return tests.appendingPathComponent("USBEmulator/\(name)").path
    }

    private static func variables(in output: String) -> [String: String] { pairs(in: output.split(separator: "\n")) }

    private static func pairs(in words: [Substring]) -> [String: String] {
        Dictionary(
            words.compactMap { word in
                word.firstIndex(of: "=").map { (String(word[..<$0]), String(word[word.index(after: $0)...])) }
            }, uniquingKeysWith: { $1 })
    }
}
