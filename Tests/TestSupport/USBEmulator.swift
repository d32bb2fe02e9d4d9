import Foundation
import Glibc

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
        let reply = try await ControlLine.ask(line, at: socket)
        guard reply == "ok" || reply.hasPrefix("ok ") else { throw TestSupportError("\"\(line)\": \(reply)") }
        return String(reply.dropFirst("ok ".count))
    }

    /// Adds a device that the same words as on the command line describe; the number that commands know it by.
    package func add(_ options: String) async throws -> Int {
        let reply = try await control("bus add \(options)")
        guard let device = Int(reply.dropFirst("device=".count)) else {
            throw TestSupportError("no device: \(reply)")
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

/// One line to a control socket and the reply to it.
private enum ControlLine {
    static func ask(_ line: String, at path: String) async throws -> String {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw TestSupportError.errno("socket", errno) }
        defer { close(descriptor) }
        guard try connect(descriptor, to: path) else { throw TestSupportError.errno("connecting to \(path)", errno) }
        let bytes = Array("\(line)\n".utf8)
        guard send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw TestSupportError.errno("sending to \(path)", errno)
        }
        var reply: [UInt8] = []
        try await eventually("the reply to \"\(line)\"", poll: .milliseconds(1)) {
            var piece = [UInt8](repeating: 0, count: 65_536)
            let count = recv(descriptor, &piece, piece.count, Int32(MSG_DONTWAIT))
            guard count != 0, count > 0 || errno == EAGAIN else {
                throw TestSupportError("no reply to \"\(line)\" came")
            }
            reply += piece.prefix(max(0, count))
            return reply.last == UInt8(ascii: "\n")
        }
        return String(decoding: reply.dropLast(), as: UTF8.self)
    }

    private static func connect(_ descriptor: Int32, to path: String) throws -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < room else { throw TestSupportError("\(path) is too long for a socket") }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }
}
