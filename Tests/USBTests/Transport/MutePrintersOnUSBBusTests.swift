import KioskPrintModel
import KioskTestSupport
import KioskUSB
import Synchronization
import Testing

/// Printers that have no way to answer: only the port status of the printer class tells of them.
@Suite("Mute printers over USB", .serialized, .timeLimit(.minutes(10)))
struct MutePrintersOnUSBBusTests {
    private static let mute = "--interface 7/1/1 --language none"

    @Test func `What the port says is how the printer is`() async throws {
        try await TransportBench.run("MUTE1", Self.mute, settings: DeviceSettings()) { bench in
            #expect(try await bench.transport.contact(bench.target).availability == Availability(.ready))
            #expect(try await bench.deliver("One\n").evidence == .sent)
            try await bench.control("paper-out on")
            let availability = try await bench.transport.contact(bench.target).availability
            #expect(availability.state == .stopped)
            #expect(availability.reasons.map(\.keyword).contains("media-empty"))
            #expect(try await bench.failure { try await bench.deliver("Two\n") }.code == .printerNotAccepting)
            try await bench.control("paper-out off")
            #expect(try await bench.deliver("Three\n").evidence == .sent)
            try await eventually { try bench.printed() == Array("One\nThree\n".utf8) }
        }
    }

    @Test func `Paper that runs out in a job stops it, and new paper lets it go on`() async throws {
        try await TransportBench.run("MUTE2", "\(Self.mute) --speed 10000", settings: DeviceSettings()) { bench in
            let steps = Mutex<[DeliveryProgress]>([])
            let text = String(repeating: "0123456789", count: 3000)
            let delivery = Task { try await bench.deliver(text) { step in steps.withLock { $0.append(step) } } }
            try await eventually { try await bench.accepted() > 5000 }
            try await bench.control("paper-out on")
            try await eventually("it is told") {
                steps.withLock { $0.contains { if case .stopped = $0 { true } else { false } } }
            }
            try await bench.control("paper-out off")
            try await bench.control("speed 0")
            #expect(try await delivery.value.evidence == .sent)
            try await eventually { try bench.printed() == Array(text.utf8) }
        }
    }

    @Test func `An unplug is told also while nothing is printed`() async throws {
        try await TransportBench.run("MUTE3", Self.mute, settings: DeviceSettings()) { bench in
            let news = NewsLog(bench.transport)
            _ = try await bench.transport.contact(bench.target)
            try await bench.control("unplug")
            try await eventually("it is told") { news.hasDisappeared }
            try await bench.control("plug")
            try await eventually("it is told") { news.all.contains(.appeared) }
            #expect(try await bench.deliver("One\n").evidence == .sent)
        }
    }

    @Test func `A printer that ignores the question for its port prints all the same`() async throws {
        let options = "\(Self.mute) --ignore-control port-status"
        try await TransportBench.run("MUTE4", options, settings: DeviceSettings()) { bench in
            let report = try await bench.transport.contact(bench.target)
            #expect(report.availability.state == .ready)
            #expect(try await bench.deliver("One\n").evidence == .sent)
        }
    }

    @Test func `One that may not be asked anything is sent nothing but the documents`() async throws {
        let settings = DeviceSettings(language: .escPOS, completion: DeviceSettings.Completion.none, status: .never)
        try await TransportBench.run("MUTE5", settings: settings) { bench in
            _ = try await bench.transport.contact(bench.target)
            let reports = [try await bench.deliver("One\n"), try await bench.deliver("Two\n")]
            #expect(reports.map(\.evidence) == [.sent, .sent])
            try await eventually { try bench.printed() == Array("One\nTwo\n".utf8) }
        }
    }
}
