import Foundation
import Synchronization

/// A network of the test's own, in a namespace: nothing that is sent in it leaves it. Its only computer has the address
/// 192.0.2.1, and whatever the test starts in it runs there. Needs root.
package final class TestNetwork: Sendable {
    package static let address = "192.0.2.1"

    private let folder: TemporaryFolder
    private let bus: MessageBus
    /// Keeps the namespace.
    private let keeper: ChildProcess
    private let peers = Mutex<[ChildProcess]>([])

    package init() async throws {
        folder = try TemporaryFolder("network")
        bus = try await MessageBus()
        let script = """
            ip link set lo up
            ip link add till0 type veth peer name wall0
            ip addr add \(Self.address)/24 brd + dev till0
            ip link set wall0 up
            ip link set till0 up
            mount -t tmpfs tmpfs /run
            echo ready
            exec cat
            """
        _ = try InstalledProgram.path("ip", package: "iproute2")
        keeper = try ChildProcess(
            try InstalledProgram.path("unshare", package: "util-linux"),
            ["--net", "--mount", "--propagation", "private", "sh", "-ec", script])
        try await keeper.waitForOutput("ready")
    }

    /// What stands before a command that runs in the network.
    package var command: [String] {
        get throws {
            [
                try InstalledProgram.path("nsenter", package: "util-linux"), "--net=/proc/\(keeper.processID)/ns/net",
                "--mount=/proc/\(keeper.processID)/ns/mnt", "--",
            ]
        }
    }

    /// What leads programs to the network's message bus.
    package var environment: [String: String] { bus.environment }

    /// Starts a program in the network; it ends with the network.
    @discardableResult
    package func start(_ program: String, _ arguments: [String]) throws -> ChildProcess {
        let command = try command + [program] + arguments
        let child = try ChildProcess(command[0], Array(command.dropFirst()), environment: environment)
        peers.withLock { $0.append(child) }
        return child
    }

    /// Gives the computer another address.
    package func addAddress(_ address: String) async throws {
        try await run(["ip", "addr", "add", "\(address)/24", "dev", "till0"])
    }

    /// Has the kernel know a hardware address of a host in the network.
    package func addNeighbor(_ address: String, _ hardwareAddress: String) async throws {
        try await run(
            ["ip", "neigh", "replace", address, "lladdr", hardwareAddress, "dev", "till0", "nud", "permanent"])
    }

    private func run(_ arguments: [String]) async throws {
        let command = try command + arguments
        let result = try await ChildProcess.run(command[0], Array(command.dropFirst()))
        guard result.end == .exited(0) else {
            throw TestSupportError("\(arguments.joined(separator: " ")): \(result.standardError)")
        }
    }

    /// Starts Avahi's daemon.
    package func startAvahi() async throws {
        let configuration = try folder.write("[server]\nhost-name=till\n", to: "avahi-daemon.conf")
        let daemon = try start(
            try InstalledProgram.path("avahi-daemon", package: "avahi-daemon"),
            ["--no-drop-root", "--no-chroot", "--no-rlimits", "--file", configuration])
        try await Self.wait(for: "Server startup complete", from: daemon)
    }

    /// Announces a service by DNS-SD.
    package func announce(_ name: String, _ type: String, port: Int, _ text: [String]) async throws {
        let publisher = try start(
            try InstalledProgram.path("avahi-publish", package: "avahi-utils"),
            ["--service", name, type, "\(port)"] + text)
        try await Self.wait(for: "Established under name", from: publisher)
    }

    /// Responds to each datagram at a port with these bytes.
    package func respond(atPort port: Int, with bytes: [UInt8]) async throws {
        let file = try folder.write(bytes, to: "response-\(port)")
        try start(
            try InstalledProgram.path("socat", package: "socat"),
            ["UDP4-RECVFROM:\(port),fork", "SYSTEM:cat \(file)"])
        let digits = String(port, radix: 16, uppercase: true)
        let hexadecimal = ":" + String(repeating: "0", count: 4 - digits.count) + digits + " "
        try await eventually("a responder at port \(port)") {
            let command = try command + ["/bin/cat", "/proc/net/udp"]
            return try await ChildProcess.run(command[0], Array(command.dropFirst())).standardOutput.contains(
                hexadecimal)
        }
    }

    private static func wait(for text: String, from child: ChildProcess) async throws {
        try await eventually("\"\(text)\" from \(child.program)") {
            guard child.isRunning else { throw TestSupportError("\(child.program) ended: \(child.standardError)") }
            return child.standardError.contains(text)
        }
    }
}
