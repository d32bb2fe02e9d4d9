import KioskPrintModel
import KioskTestSupport
import KioskUSB
import Synchronization
import Testing

@Suite("Printing over USB", .serialized, .timeLimit(.minutes(10)))
struct PrintingOnUSBBusTests {
    @Test func `A contact tells what the printer is and how it does`() async throws {
        try await TransportBench.run("TALK1") { bench in
            let report = try await bench.transport.contact(bench.target)
            #expect(report.availability == Availability(.ready))
            #expect(report.description.makeAndModel == "EPSON TM-T20II")
            #expect(report.description.jobTypes == [.receipt, .roll])
            #expect(report.description.formats == [.escPOS, .octetStream])
            #expect(report.description.deviceID?.contains("CMD:ESC/POS") == true)
        }
    }

    @Test func `A printer that confirms by id has printed`() async throws {
        try await TransportBench.run("TALK2") { bench in
            let report = try await bench.deliver("Two coffees\n")
            #expect(report.state == .completed)
            #expect(report.evidence == .printed)
            #expect(try bench.printed().starts(with: [0x1D, 0x61, 0x0F] + Array("Two coffees\n".utf8)))
            for number in 0..<20 { #expect(try await bench.deliver("Receipt \(number).\n").evidence == .printed) }
            for number in 0..<20 { #expect(try bench.count(of: "Receipt \(number).\n") == 1) }
            #expect(try await bench.statistics()["claims"] == "1")
        }
    }

    @Test func `Without a profile every ESC/POS printer says that it has worked through the data`() async throws {
        try await TransportBench.run("TALK3", settings: DeviceSettings()) { bench in
            let reports = [try await bench.deliver("One\n"), try await bench.deliver("Two\n")]
            #expect(reports.map(\.evidence) == [.processed, .processed])
        }
    }

    @Test func `A Star printer counts`() async throws {
        let star = "--language star --manufacturer Star --model TSP143 --device-id 'MFG:Star;CMD:STAR;MDL:TSP143;'"
        try await TransportBench.run("TALK4", star, settings: DeviceSettings(), url: "usb://Star/TSP143?serial=TALK4") {
            bench in
            #expect(try await bench.transport.contact(bench.target).availability.state == .ready)
            #expect(try await bench.deliver("One\n").evidence == .printed)
            #expect(try await bench.deliver("Two\n").evidence == .printed)
            try await bench.control("speed 2000")
            #expect(try await bench.deliver(String(repeating: "x", count: 1000)).evidence == .printed)
        }
    }

    @Test func `A printer of unknown language is sent the document and nothing else`() async throws {
        let label = "--language none --model GK420 --manufacturer Zebra --device-id 'MFG:Zebra;CMD:EPL;MDL:GK420;'"
        try await TransportBench.run("TALK5", label, settings: DeviceSettings(), url: "usb://Zebra/GK420?serial=TALK5")
        { bench in
            #expect(try await bench.transport.contact(bench.target).availability.state == .ready)
            #expect(try await bench.deliver("N\nP1\n").evidence == .sent)
            try await eventually { try bench.printed() == Array("N\nP1\n".utf8) }
        }
    }

    @Test func `Ten megabytes come out byte for byte`() async throws {
        try await TransportBench.run(
            "TALK6", settings: DeviceSettings(completion: DeviceSettings.Completion.none, status: .never)
        ) { bench in
            var random = SystemRandomNumberGenerator()
            let bytes = (0..<1_250_000).flatMap { _ in withUnsafeBytes(of: random.next()) { $0.map { $0 | 0x20 } } }
            #expect(try await bench.deliver(bytes).evidence == .sent)
            try await eventually("all is on paper") { try await bench.statistics()["printed"] == "\(bytes.count)" }
            #expect(try bench.printed() == bytes)
        }
    }

    @Test func `A slow printer is waited for, and progress is told in order`() async throws {
        try await TransportBench.run("TALK7", "--speed 20000") { bench in
            let steps = Mutex<[DeliveryProgress]>([])
            let text = String(repeating: "0123456789", count: 2000)
            let report = try await bench.deliver(text) { step in steps.withLock { $0.append(step) } }
            #expect(report.evidence == .printed)
            let seen = steps.withLock(\.self)
            #expect(seen.first == .connecting)
            #expect(seen.last == .printing)
            #expect(try bench.count(of: text) == 1)
        }
    }

    @Test func `A job between two others finds both printed before and after it`() async throws {
        try await TransportBench.run("TALK8") { bench in
            async let first = bench.deliver("First\n")
            async let second = bench.deliver("Second\n")
            async let third = bench.deliver("Third\n")
            for report in try await [first, second, third] { #expect(report.evidence == .printed) }
            for text in ["First\n", "Second\n", "Third\n"] { #expect(try bench.count(of: text) == 1) }
        }
    }

    @Test func `Copies are sent one behind the other, and what a raw document cannot have is refused`() async throws {
        try await TransportBench.run("TALK9") { bench in
            var delivery = bench.delivery(Array("Three times\n".utf8))
            delivery.ticket.copies = 3
            #expect(try await bench.transport.deliver(delivery, to: bench.target) { _ in }.evidence == .printed)
            #expect(try bench.count(of: "Three times\n") == 3)
            delivery.ticket.sides = .twoSidedLongEdge
            let error = try await bench.failure { [delivery] in
                try await bench.transport.deliver(delivery, to: bench.target) { _ in }
            }
            #expect(error.code == .jobRefused)
            #expect(error.bytesAccepted == 0)
            #expect(error.message.contains("sides"))
        }
    }
}
