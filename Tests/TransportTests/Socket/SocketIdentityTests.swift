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

        init(
            serial: String?, idleTimeout: Duration, hardwareAddress: @escaping @Sendable () -> String?
        ) async throws {
            printer = try await .start(Self.options(serial: serial, port: try freePort()))
            var deadlines = SocketTransport.Deadlines()
            deadlines.idleTimeout = idleTimeout
            transport = SocketTransport(
                settings: { _ in DeviceSettings(language: .escPOS) }, group: .singletonMultiThreadedEventLoopGroup,
                deadlines: deadlines, hardwareAddress: { _ in hardwareAddress() })
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

        func contact() async throws -> ContactReport { try await transport.contact(target) }

        /// Contacts the printer until that fails with this code.
        func refusal(_ code: TransportError.Code) async throws -> TransportError {
            try await eventuallyValue("\(code)") {
                do {
                    _ = try await contact()
                    return nil
                } catch let error as TransportError {
                    return error.code == code ? error : nil
                }
            }
        }

        /// A delivery of which nothing is sent.
        func refusedDelivery(_ id: String) async throws -> TransportError {
            let error = try await #require(throws: TransportError.self) { try await deliver(id) }
            #expect(error.bytesAccepted == 0, "\(error)")
            return error
        }

        /// Contacts the printer until it has found this out.
        func device() async throws -> DeviceIdentification {
            try await eventuallyValue("the device") { try await contact().description.learned?.device }
        }
    }

    private final class Address: Sendable {
        let text = Mutex<String?>("00:26:ab:11:22:33")
    }

    private func withShop(
        serial: String? = "A1", idleTimeout: Duration = .seconds(5),
        hardwareAddress: @escaping @Sendable () -> String? = { nil }, _ body: (Shop) async throws -> Void
    ) async throws {
        let shop = try await Shop(serial: serial, idleTimeout: idleTimeout, hardwareAddress: hardwareAddress)
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
            let device = try await shop.device()
            #expect(device.make == "SIMULATED" && device.model == "TM-SIM" && device.serialNumber == "A1")
            #expect(device.hardwareAddress == "00:26:ab:11:22:33")
            #expect(try await shop.transport.identity(of: shop.target) == JudgedIdentity(.device(device)))
            #expect(try await shop.deliver("k1").evidence > .sent)
        }
    }

    @Test func `another device at the address gets nothing, until it is the one that is pinned`() async throws {
        try await withShop { shop in
            _ = try await shop.device()
            try await shop.exchange(serial: "B2")
            let refused = try await shop.refusal(.identityChanged)
            #expect(refused.message.contains("B2") && refused.message.contains("A1"))
            #expect(try await shop.refusedDelivery("k1").code == .identityChanged)
            #expect(try await isUntouched(shop.printer))

            let shown = try #require(try await shop.transport.identity(of: shop.target))
            #expect(shown.refusal?.code == .identityChanged)
            shop.target.trust = .pinned([shown.identity.keyFingerprint])
            #expect(try await shop.device().serialNumber == "B2")
            #expect(try await shop.deliver("k2").evidence > .sent)

            try await shop.exchange(serial: "A1")
            _ = try await shop.refusal(.identityChanged)
            #expect(try await shop.refusedDelivery("k3").code == .identityChanged)
            #expect(try await isUntouched(shop.printer))
        }
    }

    @Test func `the device that an earlier run found is the only one that gets jobs`() async throws {
        var learned = LearnedBehavior()
        try await withShop { learned.device = try await $0.device() }
        try await withShop(serial: "A1") { shop in
            shop.transport.recall(learned, of: shop.target)
            let report = try await shop.deliver("k1")
            #expect(report.evidence > .sent)
        }
        try await withShop(serial: "B2") { shop in
            shop.transport.recall(learned, of: shop.target)
            let refused = try await shop.refusedDelivery("k1")
            #expect(refused.code == .identityChanged)
        }
    }

    @Test func `a device that does not report its serial number any more gets nothing, and is asked again`()
        async throws
    {
        try await withShop { shop in
            _ = try await shop.device()
            try await shop.exchange(serial: nil)
            let refused = try await shop.refusal(.printerBusy)
            #expect(refused.message.contains("serial number"), "\(refused)")
            #expect(try await shop.refusedDelivery("k1").code == .printerBusy)
            #expect(try await isUntouched(shop.printer))
            try await shop.exchange(serial: "A1")
            try await eventually("its answer") { (try? await shop.contact()) != nil }
            #expect(try await shop.deliver("k2").evidence > .sent)
        }
    }

    @Test func `a device without a serial number is known by its hardware address`() async throws {
        let address = Address()
        try await withShop(serial: nil, hardwareAddress: { address.text.withLock(\.self) }) { shop in
            let device = try await shop.device()
            #expect(device.hardwareAddress == "00:26:ab:11:22:33" && device.serialNumber == nil)
            address.text.withLock { $0 = nil }
            try await shop.exchange(serial: nil)
            try await eventually("the next connection") { (try? await shop.contact())?.availability.state == .ready }
            address.text.withLock { $0 = "00:26:ab:44:55:66" }
            try await shop.exchange(serial: nil)
            _ = try await shop.refusal(.identityChanged)
            #expect(try await shop.refusedDelivery("k1").code == .identityChanged)
            #expect(try await isUntouched(shop.printer))
        }
    }

    /// Also where each job has a connection of its own, and the printer must respond over it first.
    @Test(arguments: [(Trust.none, "A1"), (Trust.system, nil)])
    func `nothing is verified where the registry says so, and nothing tells a mute device from another`(
        trust: Trust, serial: String?
    ) async throws {
        try await withShop(serial: serial, idleTimeout: .milliseconds(1)) { shop in
            shop.target.trust = trust
            shop.transport.recall(LearnedBehavior(respondsToStatusRequests: true), of: shop.target)
            let report = try await shop.contact()
            #expect(report.description.learned?.device == nil)
            if trust == .system { #expect(try await shop.transport.identity(of: shop.target) == nil) }
            for number in 1...3 { #expect(try await shop.deliver("k\(number)").evidence > .sent) }
            try await shop.exchange(serial: serial.map { _ in "B2" })
            try await eventually("the next connection") { (try? await shop.contact())?.availability.state == .ready }
            #expect(try await shop.deliver("k4").evidence > .sent)
        }
    }

    @Test func `a printer without paper reports no serial number, and is asked once it has some`() async throws {
        try await withShop(hardwareAddress: { "00:26:ab:11:22:33" }) { shop in
            try await shop.printer.perform(.set(.paperOut, true))
            let report = try await shop.contact()
            #expect(report.availability.state == .stopped && report.description.learned?.device == nil)
            #expect(try await shop.refusedDelivery("k1").code == .printerNotAccepting)
            let error = try await #require(throws: TransportError.self) {
                try await shop.transport.identity(of: shop.target)
            }
            #expect(error.code == .printerNotAccepting && error.message.contains("serial number"))
            try await shop.printer.perform(.set(.paperOut, false))
            #expect(try await shop.device().serialNumber == "A1")
        }
    }

    @Test func `what a device leaves out for once stays known, and its address vouches for it meanwhile`() throws {
        func identity(_ ids: [EscPosIDRequest: String]?, _ address: String?) -> SocketIdentity {
            SocketIdentity(ids: ids, canReport: true, hardwareAddress: address)
        }
        let whole = try #require(identity([.serialNumber: "A1", .model: "TM"], "00:00:00:00:00:01").device)
        let mute = identity([:], "00:00:00:00:00:01")
        #expect(mute.verdict(by: .system, known: whole) == .trusted)
        #expect(mute.merged(with: whole) == whole)
        #expect(identity([:], "00:00:00:00:00:02").verdict(by: .system, known: whole) == .changed)
        #expect(identity([:], nil).verdict(by: .system, known: whole) == .unknown)
        #expect(identity(nil, nil).isIncomplete && !mute.isIncomplete)
        // The same number on another model, as of clones that all report one.
        #expect(identity([.serialNumber: "A1", .model: "TX"], nil).verdict(by: .system, known: whole) == .changed)
        // The network card was exchanged.
        #expect(identity([.serialNumber: "A1"], "00:00:00:00:00:02").verdict(by: .system, known: whole) == .trusted)
        // A pin of either proof.
        let byAddress = try #require(mute.device?.fingerprint)
        let both = identity([.serialNumber: "A1"], "00:00:00:00:00:01")
        #expect(both.verdict(by: .pinned([byAddress]), known: nil) == .trusted)
        #expect(identity([.serialNumber: "A1"], nil).verdict(by: .pinned([byAddress]), known: nil) == .changed)
        #expect(mute.verdict(by: .pinned([whole.fingerprint]), known: nil) == .unknown)
    }

    @Test(arguments: ["", "   ", "0000000000", "Stra\u{DF}e", "\u{1B}[31m"])
    func `a text that tells nothing, or is none, is no serial number`(text: String) {
        var parser = EscPosReplyParser()
        let replies = parser.feed([0x5F] + text.unicodeScalars.map { UInt8($0.value) } + [0])
        #expect(replies.compactMap(EscPosIDRequest.text).isEmpty)
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
