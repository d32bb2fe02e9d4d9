import Foundation
import KioskIPP
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Logging
import Synchronization
import Testing

@testable import KioskUSB

/// The IPP client over real libusb, to Debian's ippeveprinter behind the endpoints of an emulated printer.
@Suite("IPP over USB, on the bus", .timeLimit(.minutes(10)))
struct IPPOverUSBOnUSBBusTests {
    private let receipt = [UInt8]("\u{1B}@Coffee 2.50\n".utf8)

    /// A printer with interfaces of IPP over USB, the first of which is a plain one as well.
    private static func words(_ serial: String, _ port: String, http: String, interfaces: Int) -> String {
        "--serial \(serial) --port \(port) --interface 7/1/2 --alternate 7/1/4 --http \(http)"
            + String(repeating: " --interface 7/1/4 --http \(http)", count: interfaces - 1)
    }

    private struct Bench {
        var bus: BusBench
        var dialer: IPPOverUSBDialer
        var transport: IPPTransport
        var target: PrinterTarget

        func deliver(
            _ id: String, _ bytes: [UInt8], progress: @escaping @Sendable (DeliveryProgress) -> Void = { _ in }
        ) async throws -> JobReport {
            let delivery = Delivery(
                jobID: id, name: "Receipt", user: "till", ticket: Ticket(),
                document: PrintDocument(format: .escPOS, body: .bytes(bytes)))
            let accepted = try await transport.deliver(delivery, to: target, progress: progress)
            guard let job = accepted.remoteJob else { return accepted }
            return try await transport.follow(job, on: target) { _ in }
        }
    }

    private func withPrinter(
        _ serial: String, _ port: String, http: String, interfaces: Int = 2, trace: WireTrace = WireTrace(),
        _ test: (Bench) async throws -> Void
    ) async throws {
        try await onBus([Self.words(serial, port, http: http, interfaces: interfaces)]) { bus in
            let url = try #require(try await bus.printer(serial: serial).url)
            let dialer = IPPOverUSBDialer(bus.bus, trace: trace)
            let transport = IPPTransport(dialer: dialer)
            let result: Result<Void, any Error>
            do {
                try await test(Bench(bus: bus, dialer: dialer, transport: transport, target: PrinterTarget(url: url)))
                result = .success(())
            } catch {
                result = .failure(error)
            }
            await transport.shutDown()
            await dialer.release(url)
            try result.get()
        }
    }

    @Test func `A receipt arrives byte for byte and ends as printed`() async throws {
        let eve = try await EvePrinter()
        try await withPrinter("IPP1", "9.1", http: "127.0.0.1:\(eve.port)") { bench in
            let contact = try await bench.transport.contact(bench.target)
            #expect(contact.description.name == "Test Printer")
            let report = try await bench.deliver("k1", receipt)
            #expect(report.state == .completed)
            #expect(report.evidence == .printed)
        }
        #expect(try readFile(try #require(try eve.keptFiles().first)) == receipt)
    }

    @Test func `A trace tells the interfaces, and of what goes over them only the length`() async throws {
        let eve = try await EvePrinter()
        let record = TraceRecord()
        try await withPrinter("IPP10", "9.10", http: "127.0.0.1:\(eve.port)", trace: record.trace) { bench in
            let state = try await bench.deliver("k1", receipt).state
            #expect(state == .completed)
        }
        let told = record.messages
        #expect(record.has("claimed interface "))
        #expect(record.has("connected to IPP over USB interface "))
        #expect(told.contains { $0.hasPrefix("→ ") && $0.hasSuffix(" bytes of HTTP") })
        #expect(told.contains { $0.hasPrefix("← ") && $0.hasSuffix(" bytes of HTTP") })
        #expect(record.has("ended between two HTTP exchanges"))
        #expect(record.has("released interface "))
        #expect(!record.has("Coffee"))
    }

    @Test func `A long document goes over one interface while questions go over the other`() async throws {
        let eve = try await EvePrinter()
        let document = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try await withPrinter("IPP2", "9.2", http: "127.0.0.1:\(eve.port)") { bench in
            _ = try await bench.transport.contact(bench.target)
            // Takes a megabyte, and then nothing.
            try await bench.bus.control("credit 1000000")
            try await bench.bus.emulator.control("\(bench.bus.devices[0]).1 credit 1000000")
            async let report = bench.deliver("k1", document)
            try await eventually("one interface to be full") {
                let first = try await bench.bus.statistics()["taken"] ?? "0"
                let second = try await bench.bus.emulator.statistics("\(bench.bus.devices[0]).1")["taken"] ?? "0"
                return max(Int(first) ?? 0, Int(second) ?? 0) > 900_000
            }
            _ = try await bench.transport.contact(bench.target)
            try await bench.bus.control("credit off")
            try await bench.bus.emulator.control("\(bench.bus.devices[0]).1 credit off")
            #expect(try await report.evidence == .printed)
        }
        #expect(try readFile(try #require(try eve.keptFiles().first)) == document)
    }

    @Test func `After an exchange that was cancelled in the middle the next one is clean`() async throws {
        let eve = try await EvePrinter()
        let document = [UInt8](repeating: 0x41, count: 3_000_000)
        try await withPrinter("IPP3", "9.3", http: "127.0.0.1:\(eve.port)") { bench in
            _ = try await bench.transport.contact(bench.target)
            for interface in 0...1 {
                try await bench.bus.emulator.control("\(bench.bus.devices[0]).\(interface) credit 500000")
            }
            let isSending = Atomic(false)
            let delivery = Task {
                try await bench.deliver("k1", document) {
                    if case .sending(let bytes, _) = $0, bytes > 400_000 { isSending.store(true, ordering: .releasing) }
                }
            }
            try await eventually("the document to be on its way") { isSending.load(ordering: .acquiring) }
            delivery.cancel()
            let error = await #expect(throws: TransportError.self) { try await delivery.value }
            #expect(error?.code == .cancelled)
            #expect(error?.bytesAccepted ?? 0 > 0)
            for interface in 0...1 {
                try await bench.bus.emulator.control("\(bench.bus.devices[0]).\(interface) credit off")
            }
            try await eventually("the printer to be rid of the broken job") {
                guard let report = try? await bench.deliver("k2", receipt) else { return false }
                return report.evidence == .printed
            }
        }
        #expect(try readFile(try #require(try eve.keptFiles().last)) == receipt)
    }

    @Test func `Unplugged in the middle of an exchange, it prints when it is back`() async throws {
        let eve = try await EvePrinter()
        let document = [UInt8](repeating: 0x41, count: 3_000_000)
        try await withPrinter("IPP4", "9.4", http: "127.0.0.1:\(eve.port)") { bench in
            _ = try await bench.transport.contact(bench.target)
            for interface in 0...1 {
                try await bench.bus.emulator.control("\(bench.bus.devices[0]).\(interface) unplug-at 500000")
            }
            let error = try await #require(throws: TransportError.self) { try await bench.deliver("k1", document) }
            #expect(error.code == .connectionLost || error.code == .hostNotFound)
            #expect(error.bytesAccepted > 0)
            let away = try await #require(throws: TransportError.self) {
                try await bench.transport.contact(bench.target)
            }
            #expect(away.code == .hostNotFound)
            #expect(away.message.contains("kioskctl discover --usb"))
            for interface in 0...1 {
                try await bench.bus.emulator.control("\(bench.bus.devices[0]).\(interface) unplug-at off")
            }
            try await bench.bus.control("plug")
            try await eventually("the printer to print again") {
                guard let report = try? await bench.deliver("k2", receipt) else { return false }
                return report.evidence == .printed
            }
        }
    }

    @Test func `A printer whose HTTP has no IPP is found to have none`() async throws {
        try await withPrinter("IPP5", "9.5", http: "404") { bench in
            let error = try await #require(throws: TransportError.self) {
                try await bench.transport.contact(bench.target)
            }
            #expect(error.code == .printerNotFound)
            #expect(error.underlying == .httpStatus(404))
        }
    }

    @Test func `What was released is free again`() async throws {
        let eve = try await EvePrinter()
        try await withPrinter("IPP6", "9.6", http: "127.0.0.1:\(eve.port)") { bench in
            _ = try await bench.transport.contact(bench.target)
            await bench.dialer.release(bench.target.url)
            let raw = try await bench.bus.open(serial: "IPP6")
            #expect(raw.alternate.kind == .bidirectional)
            await raw.close()
            _ = try await bench.transport.contact(bench.target)
        }
    }

    @Test func `A printer without IPP behind its HTTP is driven raw for as long as it is plugged in`() async throws {
        try await withPrinter("IPP7", "9.7", http: "404") { bench in
            let eve = try await EvePrinter()
            let forwarding = IPPForwarding(bench.transport, over: bench.dialer, on: bench.bus.bus)
            let printer = try await bench.bus.printer(serial: "IPP7")
            #expect(try await forwarding.contact(bench.target) == nil)
            let raw = try await bench.bus.open(serial: "IPP7")
            await raw.close()
            for interface in 0...1 {
                try await bench.bus.emulator.control("\(bench.bus.devices[0]).\(interface) http 127.0.0.1:\(eve.port)")
            }
            #expect(try await forwarding.transport(for: bench.target) == nil)
            #expect(await forwarding.left(printer).isEmpty)
            try await bench.bus.control("unplug")
            try await bench.bus.control("plug")
            let back = try await eventuallyValue("the printer at its new address") {
                try await bench.bus.bus.printers().first { $0.serial == "IPP7" && $0.address != printer.address }
            }
            #expect(try await forwarding.transport(for: bench.target) != nil)
            #expect(try await forwarding.contact(bench.target)?.description.name == "Test Printer")
            #expect(await forwarding.left(back) == [bench.target.url])
            #expect(await forwarding.formerTransport(for: bench.target) != nil)
        }
    }

    @Test(arguments: [1, 2, 3]) func `Many at once share as many interfaces as there are`(interfaces: Int) async throws
    {
        let printer = try await SimulatedPrinter.start()
        try await withPrinter(
            "IPP8\(interfaces)", "9.8.\(interfaces)", http: "127.0.0.1:\(printer.port)", interfaces: interfaces
        ) { bench in
            try await withThrowingTaskGroup { group in
                for number in 0..<6 {
                    group.addTask {
                        _ = try await bench.transport.contact(bench.target)
                        #expect(try await bench.deliver("k\(number)", receipt).state == .completed)
                    }
                }
                try await group.waitForAll()
            }
            // A connection that is closed, and the next one at once.
            for number in 6..<10 {
                await bench.transport.forget(bench.target)
                #expect(try await bench.deliver("k\(number)", receipt).state == .completed)
            }
        }
        #expect(try await printer.documents.count == 10)
        try await printer.stop()
    }

    @Test func `A cancelled exchange on the only interface is out of the next one's way`() async throws {
        let eve = try await EvePrinter()
        try await withPrinter("IPP9", "9.9", http: "127.0.0.1:\(eve.port)", interfaces: 1) { bench in
            _ = try await bench.transport.contact(bench.target)
            for round in 0..<5 {
                try await bench.bus.control("credit 3000")
                let isSending = Atomic(false)
                let question = Task {
                    try await bench.deliver("k\(round)", [UInt8](repeating: 0x41, count: 1_000_000)) {
                        if case .sending = $0 { isSending.store(true, ordering: .releasing) }
                    }
                }
                try await eventually("the document to be on its way") { isSending.load(ordering: .acquiring) }
                question.cancel()
                _ = await question.result
                try await bench.bus.control("credit off")
                #expect(try await bench.transport.contact(bench.target).description.name == "Test Printer")
            }
        }
    }
}
