import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import NIOPosix
import Synchronization
import Testing

@testable import KioskDevicePrinting
@testable import KioskSocket

/// Which device stands at a raw printer's address: another one than before gets nothing.
@Suite struct SocketIdentityTests {
    private static let receipt = Array("TOTAL 12,50\n".utf8)

    /// An address at which printers are exchanged.
    private final class Shop {
        private(set) var printer: SimulatedRawPrinter
        let transport: SocketTransport
        var target: PrinterTarget

        init(serial: String?, settings: DeviceSettings, hardwareAddress: @escaping @Sendable () -> String?) async throws
        {
            printer = try await .start(Self.options(serial: serial, port: try freePort()))
            transport = SocketTransport(
                settings: { _ in settings }, group: .singletonMultiThreadedEventLoopGroup,
                deadlines: SocketTransport.Deadlines(), hardwareAddress: { _ in hardwareAddress() })
            target = PrinterTarget(url: try PrinterURL(printer.uri))
        }

        private static func options(serial: String?, port: Int) -> SimulatedRawPrinter.Options {
            var options = SimulatedRawPrinter.Options()
            (options.names.serial, options.port) = (serial, port)
            return options
        }

        /// Puts another printer in the place of the present one.
        func exchange(serial: String?) async throws {
            let port = printer.port
            try await printer.stop()
            // A child that is just being started holds the old listener for a moment.
            printer = try await eventuallyValue("the port") {
                try? await .start(Self.options(serial: serial, port: port))
            }
        }

        func deliver(_ id: String) async throws -> JobReport {
            try await transport.deliver(.receipt(id, SocketIdentityTests.receipt), to: target) { _ in }
        }

        /// Contacts the printer until its connection of before is known to be over.
        func contact() async throws -> ContactReport {
            while true {
                do {
                    return try await transport.contact(target)
                } catch let error as TransportError where error.code == .connectionLost {
                    continue
                }
            }
        }

        func refusal(_ body: () async throws -> Void) async throws -> TransportError {
            try await eventuallyValue("a refusal") {
                do {
                    try await body()
                    throw TestSupportError("it was not refused")
                } catch let error as TransportError {
                    // Of the connection to the printer that was there before.
                    return [.connectionLost, .outcomeUnknown].contains(error.code) ? nil : error
                }
            }
        }
    }

    private final class Address: Sendable {
        let text = Mutex<String?>("00:26:ab:11:22:33")
    }

    private func withShop(
        serial: String? = "A1", settings: DeviceSettings = DeviceSettings(language: .escPOS),
        hardwareAddress: @escaping @Sendable () -> String? = { nil }, _ body: (Shop) async throws -> Void
    ) async throws {
        let shop = try await Shop(serial: serial, settings: settings, hardwareAddress: hardwareAddress)
        do {
            try await body(shop)
        } catch {
            await shop.transport.shutDown()
            try await shop.printer.stop()
            throw error
        }
        await shop.transport.shutDown()
        try await shop.printer.stop()
    }

    private func isUntouched(_ printer: SimulatedRawPrinter) async throws -> Bool {
        !String(decoding: try await printer.paper, as: UTF8.self).contains("TOTAL")
    }

    @Test func `the first contact finds out the maker, the model and the serial number`() async throws {
        try await withShop(hardwareAddress: { "00:26:ab:11:22:33" }) { shop in
            let device = try #require(try await shop.contact().description.learned?.device)
            #expect(device.make == "SIMULATED" && device.model == "TM-SIM" && device.serialNumber == "A1")
            #expect(device.hardwareAddress == "00:26:ab:11:22:33")
            #expect(try await shop.transport.identity(of: shop.target) == JudgedIdentity(.device(device)))
            #expect(try await shop.deliver("k1").evidence > .sent)
        }
    }

    @Test func `another device at the address gets nothing, until it is the one that is pinned`() async throws {
        try await withShop { shop in
            _ = try await shop.contact()
            try await shop.exchange(serial: "B2")
            let refused = try await shop.refusal { _ = try await shop.deliver("k1") }
            #expect(refused.code == .identityChanged && refused.bytesAccepted == 0, "\(refused)")
            #expect(refused.message.contains("B2") && refused.message.contains("A1"))
            #expect(try await shop.refusal { _ = try await shop.contact() }.code == .identityChanged)
            #expect(try await isUntouched(shop.printer))

            let shown = try #require(try await shop.transport.identity(of: shop.target))
            #expect(shown.refusal?.code == .identityChanged)
            shop.target.trust = .pinned([shown.identity.keyFingerprint])
            #expect(try await shop.contact().description.learned?.device?.serialNumber == "B2")
            #expect(try await shop.deliver("k2").evidence > .sent)

            try await shop.exchange(serial: "A1")
            #expect(try await shop.refusal { _ = try await shop.deliver("k3") }.code == .identityChanged)
            #expect(try await isUntouched(shop.printer))
        }
    }

    @Test func `the device that an earlier run found is the only one that gets jobs`() async throws {
        var learned: LearnedBehavior?
        try await withShop { learned = try await $0.contact().description.learned }
        for (serial, isRefused) in [("A1", false), ("B2", true)] {
            try await withShop(serial: serial) { shop in
                shop.transport.recall(try #require(learned), of: shop.target)
                if isRefused {
                    #expect(try await shop.refusal { _ = try await shop.deliver("k1") }.code == .identityChanged)
                } else {
                    #expect(try await shop.deliver("k1").evidence > .sent)
                }
            }
        }
    }

    @Test func `a device that no longer says its serial number gets nothing, and is asked again`() async throws {
        try await withShop { shop in
            _ = try await shop.contact()
            try await shop.exchange(serial: nil)
            #expect(try await shop.refusal { _ = try await shop.deliver("k1") }.code == .printerBusy)
            #expect(try await isUntouched(shop.printer))
            try await shop.exchange(serial: "A1")
            let report = try await eventuallyValue("the receipt") {
                do { return try await shop.deliver("k2") } catch is TransportError { return JobReport?.none }
            }
            #expect(report.evidence > .sent)
        }
    }

    @Test func `a device without a serial number is known by its hardware address`() async throws {
        let address = Address()
        try await withShop(serial: nil, hardwareAddress: { address.text.withLock(\.self) }) { shop in
            let device = try await shop.contact().description.learned?.device
            #expect(device?.hardwareAddress == "00:26:ab:11:22:33" && device?.serialNumber == nil)
            try await shop.exchange(serial: nil)
            #expect(try await shop.contact().availability.state == .ready)
            address.text.withLock { $0 = "00:26:ab:44:55:66" }
            try await shop.exchange(serial: nil)
            let refused = try await shop.refusal { _ = try await shop.deliver("k1") }
            #expect(refused.code == .identityChanged, "\(refused)")
            #expect(try await isUntouched(shop.printer))
        }
    }

    @Test func `nothing is verified where the registry says so, and nothing tells a mute device from another`() async throws
    {
        try await withShop { shop in
            shop.target.trust = Trust.none
            #expect(try await shop.contact().description.learned?.device == nil)
            try await shop.exchange(serial: "B2")
            #expect(try await shop.contact().availability.state == .ready)
        }
        try await withShop(serial: nil) { shop in
            let report = try await shop.contact()
            #expect(report.description.learned?.device == nil)
            #expect(try await shop.transport.identity(of: shop.target) == nil)
            #expect(try await shop.deliver("k1").evidence > .sent)
        }
    }

    @Test func `a printer without paper says nothing of itself, and is asked once it has some`() async throws {
        try await withShop { shop in
            try await shop.printer.perform(.set(.paperOut, true))
            let report = try await shop.contact()
            #expect(report.availability.state == .stopped && report.description.learned?.device == nil)
            let error = try await shop.refusal { _ = try await shop.deliver("k1") }
            #expect(error.code == .printerNotAccepting, "\(error)")
            try await shop.printer.perform(.set(.paperOut, false))
            let device = try await eventuallyValue("the device") {
                try await shop.contact().description.learned?.device
            }
            #expect(device.serialNumber == "A1")
        }
    }

    // MARK: The kernel's table

    @Test(arguments: [
        ("192.0.2.7", "00:26:ab:11:22:33"), ("192.0.2.8", nil), ("192.0.2.9", nil), ("192.0.2.1", nil),
        ("192.0.2.10", nil), ("", nil), ("192.0.2.11", nil),
    ])
    func `a hardware address is that of a neighbor that has answered`(address: String, expected: String?) {
        let table = """
            IP address       HW type     Flags       HW address            Mask     Device
            192.0.2.7        0x1         0x2         00:26:AB:11:22:33     *        eth0
            192.0.2.8        0x1         0x0         00:00:00:00:00:00     *        eth0
            192.0.2.9        0x1         0x2         00:26:ab:11:22        *        eth0
            192.0.2.10       0x20        0x2         00:26:ab:11:22:33     *        ib0
            192.0.2.11       0x1         x           zz
            192.0.2.11
            """
        #expect(Neighbors.hardwareAddress(of: address, in: table) == expected)
    }
}
