import Foundation
import KioskTestSupport
import Testing

/// The emulated USB bus, on which other tests rely.
@Suite struct USBEmulatorTests {
    /// The checks of the emulator: C programs with the real libusb. Each names a failed expectation with file and line.
    @Test(arguments: try USBEmulatorTests.checks())
    func `the real libusb finds on it what real devices do`(check: String) async throws {
        let result = try await ChildProcess.run(USBEmulator.path("check/run"), [check], deadline: .seconds(300))
        #expect(result.end.isSuccess, "\(result.standardOutput)\(result.standardError)")
    }

    @Test func `no check is forgotten`() throws {
        #expect(try Self.checks().count >= 13)
    }

    @Test func `a program's exit status passes through, and its signals end it`() async throws {
        #expect(try await USBEmulator.run(program: "/bin/sh", ["-c", "exit 7"]).end == .exited(7))
        #expect(try await USBEmulator.run(program: "/bin/sh", ["-c", "kill -9 $$"]).end == .exited(128 + 9))
        #expect(try await USBEmulator.run(program: "/nowhere/to/be/found").end == .exited(127))
    }

    @Test func `a wrong option is refused with a reason`() async throws {
        let result = try await USBEmulator.run(["--speeed", "1"], program: "/bin/true")
        #expect(result.end == .exited(64))
        #expect(result.standardError.contains("there is no setting speeed"))
    }

    @Test func `a bus is there for whatever is started with its environment`() async throws {
        let emulator = try await USBEmulator(["--serial", "A1"])
        let paper = try await emulator.usePaper()
        #expect(try await emulator.add("--serial 'B 2' --interface 7/1/4") == 1)
        let names = try await ChildProcess.run("/bin/ls", ["/sys/bus/usb/devices"], environment: emulator.environment)
        #expect(names.standardOutput.split(separator: "\n") == ["1-1", "1-1:1.0", "1-2", "1-2:1.0", "usb1"])
        let serial = try await ChildProcess.run(
            "/bin/cat", ["/sys/bus/usb/devices/1-2/serial"], environment: emulator.environment)
        #expect(serial.standardOutput == "B 2\n")
        #expect(try readFile(paper) == [])
        #expect(try await emulator.statistics()["plugged"] == "1")
        try await emulator.control("0 unplug")
        #expect(try await emulator.statistics()["plugged"] == "0")
        await #expect(throws: TestSupportError.self) { try await emulator.control("0 unplug") }
    }

    private static func checks() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: USBEmulator.path("check"))
            .filter { $0.hasPrefix("check_") && $0.hasSuffix(".c") }
            .map { String($0.dropFirst("check_".count).dropLast(".c".count)) }
            .sorted()
    }
}

/// A test process that runs on the emulated bus: `Scripts/test` starts suites named `…OnUSBBusTests` this way.
@Suite struct USBEmulatorOnUSBBusTests {
    @Test func `this process sees devices as they come and go`() async throws {
        let emulator = try USBEmulator.surrounding()
        let port = 20 + Int.random(in: 0..<200)
        let device = try await emulator.add("--serial 'here we are' --port \(port)")
        let serial = "/sys/bus/usb/devices/1-\(port)/serial"
        #expect(try readFile(serial) == Array("here we are\n".utf8))
        try await emulator.control("\(device) unplug")
        #expect(throws: (any Error).self) { try readFile(serial) }
    }
}
