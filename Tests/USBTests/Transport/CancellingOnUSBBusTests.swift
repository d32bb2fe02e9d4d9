import KioskPrintModel
import KioskTestSupport
import KioskUSB
import Synchronization
import Testing

/// A job that is cancelled at every stage of its way, and what the printer is like afterwards.
@Suite("Cancelling over USB", .serialized, .timeLimit(.minutes(10)))
struct CancellingOnUSBBusTests {
    enum Stage: CaseIterable {
        case beforeOpening, opening, asking, atFirstPiece, amid, confirming, stopped

        /// The emulator options of the printer for this stage.
        var printer: String {
            switch self {
            case .opening: "--ignore-control device-id"
            case .amid, .stopped: "--speed 20000"
            case .confirming: "--speed 50"
            case .beforeOpening, .asking, .atFirstPiece: ""
            }
        }
    }

    /// A picture of 36 KB. A receipt sent after a part of it would vanish in it.
    private static let picture: [UInt8] =
        [0x1D, 0x76, 0x30, 0, 72, 0, 0xF4, 0x01] + [UInt8](repeating: 0xFF, count: 36_000)
    private static let text = Array(String(repeating: "cancelled\n", count: 40).utf8)

    @Test(arguments: Stage.allCases, [DeviceSettings.Recovery.clearBuffers, .padding])
    func `A job that is cancelled at any stage leaves the next receipt clean`(
        stage: Stage, recovery: DeviceSettings.Recovery
    ) async throws {
        var settings = TransportBench.epson
        settings.recovery = recovery
        try await TransportBench.run("CANCEL-\(stage)-\(recovery)", stage.printer, settings: settings) { bench in
            let document = stage == .confirming ? Self.text : Self.picture
            let delivery = bench.delivery(document)
            let error = try await Self.cancel(delivery, at: stage, bench)
            #expect(error.code == .cancelled)
            #expect(Self.accepted(stage, document.count).contains(error.bytesAccepted), "\(error.bytesAccepted)")
            try await Self.repair(bench)
            #expect(try await bench.deliver("Next receipt\n").evidence == .printed)
            #expect(try bench.count(of: "Next receipt\n") == 1)
            // A document that the printer has completely is printed.
            #expect(try bench.count(of: String(decoding: Self.text, as: UTF8.self)) == (stage == .confirming ? 1 : 0))
            if error.bytesAccepted == 0 { #expect(try await bench.statistics()["soft-resets"] == "0") }
        }
    }

    @Test func `What a cancelled job left in a printer that was then closed is cleaned up by whoever opens it next`()
        async throws
    {
        var settings = TransportBench.epson
        settings.recovery = .padding
        try await TransportBench.run("CANCEL-CLOSED", settings: settings) { bench in
            _ = try await bench.transport.contact(bench.target)
            try await bench.control("credit 6000")
            let error = try await bench.cancel(bench.delivery(Self.picture), after: 5000)
            #expect(error.bytesAccepted > 0)
            await bench.transport.forget(bench.target)
            try await bench.control("credit off")
            #expect(try await bench.deliver("Next receipt\n").evidence == .printed)
            #expect(try bench.count(of: "Next receipt\n") == 1)
        }
    }

    private static func accepted(_ stage: Stage, _ length: Int) -> ClosedRange<Int64> {
        switch stage {
        case .beforeOpening, .opening, .asking, .atFirstPiece: 0...0
        case .amid, .stopped: 6000...36_000
        case .confirming: Int64(length)...Int64(length)
        }
    }

    /// Starts a delivery, and cancels it at this stage.
    private static func cancel(
        _ delivery: Delivery, at stage: Stage, _ bench: TransportBench
    ) async throws -> TransportError {
        if stage != .opening, stage != .asking, stage != .beforeOpening {
            _ = try await bench.transport.contact(bench.target)
        }
        if stage == .asking || stage == .atFirstPiece { try await bench.control("credit 0") }
        let (before, steps) = (try await bench.accepted(), Steps())
        let running = Task {
            if stage == .beforeOpening { try? await Task.sleep(for: .seconds(3600)) }
            return try await bench.transport.deliver(delivery, to: bench.target) { steps.add($0) }
        }
        switch stage {
        case .beforeOpening: break
        case .opening: try await eventually("it is asked who it is") { try await bench.pending() == 1 }
        // The listening transfer is one.
        case .asking, .atFirstPiece: try await eventually("it is to take something") { try await bench.pending() >= 2 }
        case .amid: try await eventually("it is amid") { try await bench.accepted() >= before + 6000 }
        case .confirming: try await eventually("it has all") { steps.all.contains(.printing) }
        case .stopped:
            try await eventually("it is amid") { try await bench.accepted() >= before + 6000 }
            try await bench.control("cover-open on")
            try await eventually("it stands still") {
                steps.all.contains { if case .stopped = $0 { true } else { false } }
            }
        }
        running.cancel()
        return try await bench.failure { try await running.value }
    }

    private static func repair(_ bench: TransportBench) async throws {
        for setting in ["ignore-control off", "credit off", "cover-open off", "speed 0"] {
            try await bench.control(setting)
        }
    }

    /// The progress of a delivery.
    private final class Steps: Sendable {
        private let steps = Mutex<[DeliveryProgress]>([])
        var all: [DeliveryProgress] { steps.withLock(\.self) }
        func add(_ step: DeliveryProgress) { steps.withLock { $0.append(step) } }
    }
}
