import KioskIPP
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskUSB

/// The choice between IPP and raw printing for printers with IPP over USB interfaces.
@Suite("IPP or raw over USB", .timeLimit(.minutes(10)))
struct ForwardingOnUSBBusTests {
    private struct Bench {
        var bus: BusBench
        var dialer: IPPOverUSBDialer
        var forwarding: IPPForwarding
        var url: PrinterURL

        func target(interface: Int) throws -> PrinterTarget {
            PrinterTarget(url: try PrinterURL("\(url)&interface=\(interface)"))
        }
    }

    private func withPrinter(
        _ serial: String, _ printer: String, settings: USBSettings = USBSettings(),
        clock: any Clock<Duration> = ContinuousClock(),
        _ test: (Bench) async throws -> Void
    ) async throws {
        try await onBus(["--serial \(serial) \(printer)"]) { bus in
            let url = try #require(try await bus.printer(serial: serial).url)
            let dialer = IPPOverUSBDialer(bus.bus, settings: { $0.profile == "careful" ? settings : USBSettings() })
            let forwarding = IPPForwarding(IPPTransport(dialer: dialer), over: dialer, on: bus.bus, clock: clock)
            let result: Result<Void, any Error>
            do {
                try await test(Bench(bus: bus, dialer: dialer, forwarding: forwarding, url: url))
                result = .success(())
            } catch {
                result = .failure(error)
            }
            await forwarding.shutDown()
            try result.get()
        }
    }

    @Test func `What one interface answers says nothing of another that a URL names`() async throws {
        let eve = try await EvePrinter()
        let printer =
            "--interface 7/1/2 --alternate 7/1/4 --http 404 "
            + "--interface 7/1/4 --http 127.0.0.1:\(eve.port) --interface 7/1/2"
        try await withPrinter("FORWARD1", printer) { bench in
            let targets = try (0...2).map { try bench.target(interface: $0) }
            #expect(try await bench.forwarding.contact(targets[0]) == nil)
            #expect(try await bench.forwarding.contact(targets[1])?.description.name == "Test Printer")
            #expect(try await bench.forwarding.transport(for: targets[0]) == nil)
            #expect(try await bench.forwarding.transport(for: targets[1]) != nil)
            // It has no IPP, so that nobody has to ask.
            #expect(try await bench.forwarding.contact(targets[2]) == nil)
        }
    }

    @Test func `One that has no IPP yet is asked again later, and one that had it stays with it`() async throws {
        let (eve, clock) = (try await EvePrinter(), ManualClock())
        try await withPrinter("FORWARD5", "--interface 7/1/2 --alternate 7/1/4 --http 404", clock: clock) { bench in
            let target = PrinterTarget(url: bench.url)
            #expect(try await bench.forwarding.contact(target) == nil)
            // It does not answer at all, which says nothing new.
            try await bench.bus.control("http off")
            clock.advance(by: IPPForwarding.retryInterval)
            #expect(try await bench.forwarding.contact(target) == nil)
            try await bench.bus.control("http 127.0.0.1:\(eve.port)")
            #expect(try await bench.forwarding.contact(target) == nil)
            clock.advance(by: IPPForwarding.retryInterval)
            #expect(try await bench.forwarding.contact(target)?.description.name == "Test Printer")
            await bench.dialer.release(target.url)
            try await bench.bus.control("http 404")
            let error = try await #require(throws: TransportError.self) { try await bench.forwarding.contact(target) }
            #expect(error.code == .printerNotFound)
            #expect(try await bench.forwarding.transport(for: target) != nil)
        }
    }

    @Test func `Of two with one serial number none is driven by IPP under the URL of both`() async throws {
        let eve = try await EvePrinter()
        let printer = "--port 3 --interface 7/1/2 --alternate 7/1/4 --http 127.0.0.1:\(eve.port)"
        try await withPrinter("FORWARD9", printer) { bench in
            let target = PrinterTarget(url: bench.url)
            #expect(try await bench.forwarding.contact(target)?.description.name == "Test Printer")
            let second = try await bench.bus.emulator.add("--serial FORWARD9 --port 4 --interface 7/1/2 --http 404")
            try await eventually("the bus knows of it") {
                do {
                    _ = try await bench.forwarding.contact(target)
                    return false
                } catch let error as TransportError {
                    return error.code == .hostNotFound && error.message.contains("&port=1-4")
                }
            }
            _ = try await bench.bus.emulator.control("\(second) unplug")
            try await eventually("it is there again") { (try? await bench.forwarding.contact(target)) != nil }
        }
    }

    @Test func `One that was driven raw over the interface that both need is asked again all the same`() async throws {
        let (eve, clock) = (try await EvePrinter(), ManualClock())
        try await withPrinter("FORWARD6", "--interface 7/1/2 --alternate 7/1/4 --http 404", clock: clock) { bench in
            let target = PrinterTarget(url: bench.url)
            let transport = USBTransport(
                bus: bench.bus.bus, forwarding: bench.forwarding, settings: { _ in DeviceSettings() })
            let delivery = Delivery(
                jobID: "one", name: "one", ticket: Ticket(),
                document: PrintDocument(format: .escPOS, body: .bytes(Array("One\n".utf8))))
            #expect(try await transport.deliver(delivery, to: target) { _ in }.evidence == .processed)
            try await bench.bus.control("http 127.0.0.1:\(eve.port)")
            #expect(try await transport.contact(target).description.name == nil)
            clock.advance(by: IPPForwarding.retryInterval)
            #expect(try await transport.contact(target).description.name == "Test Printer")
            await transport.forget(target)
        }
    }

    /// A URL names an interface that is for IPP only, and it has none: then nothing else will do.
    @Test func `An interface without IPP that takes nothing else is said not to be a printer`() async throws {
        try await withPrinter("FORWARD2", "--interface 7/1/2 --interface 7/1/4 --http 404") { bench in
            let targets = try (0...1).map { try bench.target(interface: $0) }
            let error = try await #require(throws: TransportError.self) {
                try await bench.forwarding.contact(targets[1])
            }
            #expect(error.code == .printerNotFound)
            #expect(try await bench.forwarding.contact(targets[0]) == nil)
        }
    }

    @Test(arguments: [("careful", "0"), (nil, "1")] as [(String?, String)])
    func `A profile's word on resets holds for IPP as well`(profile: String?, resets: String) async throws {
        let eve = try await EvePrinter()
        let printer = "--interface 7/1/2 --alternate 7/1/4 --http 127.0.0.1:\(eve.port)"
        let settings = USBSettings(unidirectional: true, zeroLengthPacket: true, softReset: false)
        try await withPrinter("FORWARD3", printer, settings: settings) { bench in
            let target = PrinterTarget(url: bench.url, profile: profile)
            let transport = try #require(try await bench.forwarding.transport(for: target))
            try await bench.bus.control("credit 3000")
            let delivery = Delivery(
                jobID: "one", name: "one", ticket: Ticket(),
                document: PrintDocument(format: .escPOS, body: .bytes(someBytes(1_000_000))))
            let before = Int(try await bench.bus.statistics()["taken"] ?? "") ?? 0
            let job = Task { try await transport.deliver(delivery, to: target) { _ in } }
            try await eventually("it is on its way") {
                (Int(try await bench.bus.statistics()["taken"] ?? "") ?? 0) >= before + 2560
            }
            job.cancel()
            _ = await job.result
            try await bench.bus.control("credit off")
            #expect(try await transport.contact(target).description.name == "Test Printer")
            let statistics = try await bench.bus.statistics()
            #expect(statistics["soft-resets"] == resets)
            #expect(statistics["zero-packets"] == "0")
        }
    }

    @Test func `A job that IPP began is not given up because its printer is away`() async throws {
        try await withPrinter("FORWARD4", "--interface 7/1/2 --alternate 7/1/4 --http 404") { bench in
            let transport = USBTransport(
                bus: bench.bus.bus, forwarding: bench.forwarding, settings: { _ in DeviceSettings() })
            try await bench.bus.control("unplug")
            let target = PrinterTarget(url: bench.url)
            let job = RemoteJob(identifier: "ipp://localhost/jobs/7")
            let follow = try await #require(throws: TransportError.self) {
                try await transport.follow(job, on: target) { _ in }
            }
            #expect(follow.code == .hostNotFound)
            let cancel = try await #require(throws: TransportError.self) { try await transport.cancel(job, on: target) }
            #expect(cancel.code == .hostNotFound)
        }
    }
}
