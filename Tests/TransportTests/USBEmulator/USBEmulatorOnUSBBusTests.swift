import TestSupport
import Testing

/// A test process that runs on the emulated bus itself: suites named `…OnUSBBusTests` are started so by `Scripts/test`.
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
