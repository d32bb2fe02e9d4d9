import Foundation
import PrintModel
import TestSupport
import USB

/// A bus of ours beside the emulator's printers of one test. Other suites' printers may be on it too.
struct BusBench: Sendable {
    let bus: USBBus
    let emulator: USBEmulator
    /// The emulator's numbers of the printers.
    let devices: [Int]

    func printer(serial: String) async throws -> USBPrinter {
        try await eventuallyValue("the printer \(serial)") { try await bus.printers().first { $0.serial == serial } }
    }

    func open(
        serial: String, for use: USBPrinter.Use = .raw, settings: USBSettings = USBSettings()
    ) async throws -> USBConnection {
        guard let url = try await printer(serial: serial).url else { throw TestSupportError("it has no URL") }
        return try await bus.open(url, for: use, settings: settings)
    }

    @discardableResult
    func control(_ command: String, device: Int = 0) async throws -> String {
        try await emulator.control("\(devices[device]) \(command)")
    }

    func statistics(device: Int = 0) async throws -> [String: String] {
        try await emulator.statistics("\(devices[device])")
    }
    func usePaper(device: Int = 0) async throws -> String { try await emulator.usePaper("\(devices[device])") }
}

/// Plugs printers in, and unplugs them when the test is over.
func onBus(
    _ printers: [String], vendorPrinters: Set<USBModel> = [], clock: any Clock<Duration> = ContinuousClock(),
    _ test: (BusBench) async throws -> Void
) async throws {
    let emulator = try USBEmulator.surrounding()
    var devices: [Int] = []
    for printer in printers { devices.append(try await emulator.add(printer)) }
    let bus = USBBus(vendorPrinters: vendorPrinters, clock: clock)
    let result: Result<Void, any Error>
    do {
        try await test(BusBench(bus: bus, emulator: emulator, devices: devices))
        result = .success(())
    } catch {
        result = .failure(error)
    }
    await bus.shutDown()
    for device in devices { _ = try? await emulator.control("\(device) unplug") }
    try result.get()
}

func fileText(_ path: String) throws -> String {
    String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
}
