import KioskPrintModel
import KioskTestSupport
import KioskUSB
import Testing

@Suite("The trace of the USB transport", .serialized, .timeLimit(.minutes(10)))
struct TracingOnUSBBusTests {
    @Test func `A printer is found, claimed, printed on and released, and its unplugging is told`() async throws {
        let url = try PrinterURL("usb://EPSON/TM-T20II?serial=TRACE1")
        let record = TraceRecord(of: url)
        try await TransportBench.run("TRACE1", trace: record.trace) { bench in
            #expect(try await bench.deliver("Card 4111 1111 1111 1111\n").evidence == .printed)
            #expect(record.has("found EPSON TM-T20II at port "))
            #expect(record.has("claimed interface 0, alternate setting 0"))
            #expect(record.has("→ 3 bytes: 1d 61 0f"))
            #expect(record.has("printed: confirmed by process-id "))
            #expect(!record.has("4111") && !record.has("34 31 31 31"))
            try await bench.control("unplug")
            // Its transfers may end before the bus tells that it left, or never.
            try await eventually("the device is gone") { record.has("removed from port ") }
            try await eventually("it is released") { record.has("released interface 0") }
            let error = try await bench.failure { try await bench.deliver("Two\n") }
            #expect(error.code == .hostNotFound)
            #expect(record.has("the printer is not opened: find: "))
        }
        #expect(record.all.allSatisfy { $0.printer == url && $0.source == .usb })
    }

    @Test func `The port's status is told with its byte`() async throws {
        let record = TraceRecord()
        let mute = "--interface 7/1/1 --language none"
        try await TransportBench.run("TRACE2", mute, settings: DeviceSettings(), trace: record.trace) { bench in
            _ = try await bench.transport.contact(bench.target)
            #expect(record.has("GET_PORT_STATUS: 18"))
            #expect(try await bench.deliver("One\n").evidence == .sent)
            #expect(record.messages.contains("→ 4 bytes"))
            #expect(record.messages.contains("sent: not confirmed"))
        }
    }
}
