import Foundation
import KioskPrintModel
import KioskTestSupport
import KioskUSB
import Synchronization

/// A bus with the emulated printers of one test. Printers of other suites may be on it too.
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

/// The changes of one printer that a bus has reported so far.
final class ChangeLog: Sendable {
    private let serial: String
    private let log = Mutex<(changes: [USBBusChange], hasEnded: Bool)>(([], false))

    init(_ changes: AsyncStream<USBBusChange>, of serial: String) {
        self.serial = serial
        Task { [self] in
            for await change in changes where change.printer.serial == serial {
                log.withLock { $0.changes.append(change) }
            }
            log.withLock { $0.hasEnded = true }
        }
    }

    var all: [USBBusChange] { log.withLock(\.changes) }
    var hasEnded: Bool { log.withLock(\.hasEnded) }

    /// The change with this number, from 0, once it was received.
    func change(_ number: Int) async throws -> USBBusChange {
        try await eventuallyValue("change \(number) of \(serial)") { all.count > number ? all[number] : nil }
    }
}

extension USBBusChange {
    var printer: USBPrinter {
        switch self {
        case .appeared(let printer), .left(let printer): printer
        }
    }

    var isAppearing: Bool {
        switch self {
        case .appeared: true
        case .left: false
        }
    }
}
