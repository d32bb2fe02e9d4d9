import KioskPrintModel
import KioskTestSupport
import KioskUSB
import Testing

/// A thousand jobs with faults at random, each accounted for on the emulated paper.
@Suite("Random faults over USB", .serialized, .timeLimit(.minutes(10)))
struct RandomFaultsOnUSBBusTests {
    private enum Fault: CaseIterable {
        case none, unplug, powerOff, stall, cancel, coverOpen, unplugBetween
    }

    private struct Outcome {
        var document: String
        var isConfirmed: Bool
        /// Bytes that may be on paper.
        var atMost: Int
    }

    private static let star =
        "--language star --manufacturer Star --model TSP143 --device-id 'MFG:Star;CMD:STAR;MDL:TSP143;'"

    @Test(arguments: [
        ("RANDOM1", "", "usb://EPSON/TM-T20II", TransportBench.epson, 1000),
        ("RANDOM2", "", "usb://EPSON/TM-T20II", DeviceSettings(), 200),
        ("RANDOM3", star, "usb://Star/TSP143", DeviceSettings(), 200),
        ("RANDOM4", "--packet 64 --in-limit 1 --lead 500", "usb://EPSON/TM-T20II", TransportBench.epson, 200),
    ])
    func `No job is lost, and none is printed twice, whatever happens`(
        serial: String, options: String, url: String, settings: DeviceSettings, count: Int
    ) async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededRandom(seed)
        try await TransportBench.run(
            serial, "--speed 1000000 \(options)", settings: settings, url: "\(url)?serial=\(serial)"
        ) { bench in
            var outcomes: [Outcome] = []
            for number in 0..<count {
                let document = AccountedPaper.document(number, length: Int.random(in: 0...3000, using: &random))
                let fault = Bool.random(using: &random) ? .none : Fault.allCases.randomElement(using: &random) ?? .none
                outcomes.append(
                    try await Self.print(document, fault, at: Int.random(in: 0...3500, using: &random), bench))
            }
            try await eventually("the printer is done") { try await bench.statistics()["waiting"] == "0" }
            try Self.check(outcomes, AccountedPaper(try bench.printed()), seed)
        }
    }

    /// Prints like the engine: repeats a job only while the printer cannot have accepted anything of it.
    private static func print(
        _ document: String, _ fault: Fault, at offset: Int, _ bench: TransportBench
    ) async throws -> Outcome {
        try await prepare(fault, at: offset, bench)
        for number in 0..<20 {
            let result = await attempt(document, number == 0 ? fault : .none, at: offset, bench)
            try await repair(fault, bench)
            switch result {
            case .success(let report):
                return Outcome(
                    document: document, isConfirmed: report.evidence >= .processed, atMost: document.utf8.count)
            case .failure(let error):
                if error.bytesAccepted > 0 || error.code == .cancelled {
                    return Outcome(document: document, isConfirmed: false, atMost: Int(error.bytesAccepted))
                }
            }
        }
        throw TestSupportError("\(fault) at \(offset) is never over")
    }

    private static func prepare(_ fault: Fault, at offset: Int, _ bench: TransportBench) async throws {
        switch fault {
        case .none, .cancel, .coverOpen: break
        case .unplug, .powerOff: try await bench.control("unplug-at \(offset)")
        case .stall: try await bench.control("stall-out \(offset)")
        case .unplugBetween: try await bench.control("unplug")
        }
    }

    private static func attempt(
        _ document: String, _ fault: Fault, at offset: Int, _ bench: TransportBench
    ) async -> Result<JobReport, TransportError> {
        let job = Task { try await bench.deliver(document) }
        do {
            switch fault {
            case .cancel:
                for _ in 0..<offset % 50 { await Task.yield() }
                job.cancel()
            case .coverOpen:
                try await bench.control("cover-open on")
                try await bench.control("cover-open off")
            case .none, .unplug, .powerOff, .stall, .unplugBetween: break
            }
            return .success(try await job.value)
        } catch {
            return .failure(
                error as? TransportError
                    ?? TransportError(.protocolViolation, operation: "test", message: "\(error)", bytesAccepted: .max))
        }
    }

    private static func repair(_ fault: Fault, _ bench: TransportBench) async throws {
        switch fault {
        case .none, .cancel, .coverOpen: return
        case .stall: try await bench.control("stall-out off")
        case .unplug, .powerOff, .unplugBetween:
            try await bench.control("unplug-at off")
            if fault == .powerOff { _ = try? await bench.control("power-off") }
            if try await bench.statistics()["plugged"] != "1" { try await bench.control("plug") }
        }
    }

    private static func check(_ outcomes: [Outcome], _ paper: AccountedPaper, _ seed: UInt64) throws {
        var rest = paper.pieces[...]
        for (number, outcome) in outcomes.enumerated() {
            let piece = rest.first
            if outcome.isConfirmed {
                guard piece == outcome.document else {
                    throw TestSupportError(
                        "job \(number) is confirmed and not on paper, but \(piece ?? "nothing"); seed \(seed)")
                }
                rest.removeFirst()
            } else if let piece, outcome.atMost > 0, outcome.document.hasPrefix(piece) {
                guard piece.utf8.count <= outcome.atMost else {
                    throw TestSupportError(
                        "job \(number) has \(piece.utf8.count) bytes on paper, \(outcome.atMost) at most; seed \(seed)")
                }
                rest.removeFirst()
            }
        }
        #expect(rest.isEmpty, "something else is on paper; seed \(seed)")
        #expect(outcomes.count { $0.isConfirmed } > outcomes.count / 2, "seed \(seed)")
        #expect(outcomes.count { !$0.isConfirmed && $0.atMost > 0 } > outcomes.count / 50)
    }
}

/// The printed output of many jobs, split into the jobs. Every document is `{`, letters that name the job, a body and
/// `}`; no command has any of the letters.
struct AccountedPaper {
    /// In their order; each begins with `{`.
    let pieces: [String]

    private static let alphabet = Array("bcefghijklmnopqs".utf8)

    init(_ bytes: [UInt8]) {
        let text = bytes.filter { Self.alphabet.contains($0) || $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }
        pieces = String(decoding: text, as: UTF8.self).split(separator: "{", omittingEmptySubsequences: false)
            .dropFirst().map { "{\($0)" }
    }

    static func document(_ number: Int, length: Int) -> String {
        let name = [12, 8, 4, 0].map { alphabet[number >> $0 & 15] }
        let body = (0..<length).map { alphabet[($0 &* 7 &+ number) % alphabet.count] }
        return "{\(String(decoding: name + body, as: UTF8.self))}"
    }
}
