import Foundation
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskTestSupport
import Testing

/// USB printers whose cables are pulled and whose covers are opened, and a daemon that is killed, at any moment.
@Suite(.serialized, .timeLimit(.minutes(20))) struct CableTests {
    private static let seeds = Array(0..<KioskTestSupport.rounds(2, long: 20))
    private static let rounds = 20
    private static let batch = 4

    /// What goes wrong at the printer, and what ends it. It may have unplugged itself, or not have come so far.
    private enum Fault: CaseIterable {
        case unplug, powerOff, unplugAmid, stall, cover, slow, late, replugs

        func begin(at offset: Int) -> [String] {
            switch self {
            case .unplug, .replugs: ["unplug"]
            case .powerOff, .unplugAmid: ["unplug-at \(offset)"]
            case .stall: ["stall-out \(offset)"]
            case .cover: ["cover-open on"]
            case .slow: ["speed 30000"]
            case .late: ["delay 5"]
            }
        }

        /// `port`: one that is free.
        func end(at port: Int) -> [String] {
            switch self {
            case .unplug: ["plug"]
            case .powerOff: ["unplug-at off", "power-off", "plug"]
            case .unplugAmid: ["unplug-at off", "unplug", "plug"]
            case .stall: ["stall-out off"]
            case .cover: ["cover-open off"]
            case .slow: ["speed 0"]
            case .late: ["delay 0"]
            case .replugs: ["plug", "unplug", "plug \(port)", "unplug", "plug"]
            }
        }
    }

    /// Two receipt printers, a daemon, and what was sent to it.
    private final class Bench {
        let usb: USBEmulator
        let daemon: KioskdFixture
        var ledger = Ledger()
        private let papers: [String]

        init() async throws {
            let serials = ["T1", "T2"]
            usb = try await USBEmulator(serials.flatMap { ["--device", "--serial", $0] })
            papers = [try await usb.usePaper("0"), try await usb.usePaper("1")]
            ledger.format = .escPOS
            let profiles = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
                "../../profiles")
            let roles = ["order": "hold", "coupon": "drop"]
                .map { "  \($0):\n    printers: [till-1, till-2]\n    unconfirmed: \($1)\n" }
            daemon = try await KioskdFixture(
                registry: KioskdFixture.registry(
                    serials.map { "usb://EPSON/TM-T20II?serial=\($0)" }, more: roles.joined()),
                arguments: ["--profiles", profiles.standardized.path], usb: usb)
        }

        /// As often as a fault may be over already.
        func perform(_ commands: [String], on printer: Int) async throws {
            for command in commands {
                let isPlugged = try await usb.statistics("\(printer)")["plugged"] == "1"
                if command.hasPrefix("plug") && isPlugged || ["unplug", "power-off"].contains(command) && !isPlugged {
                    continue
                }
                try await usb.control("\(printer) \(command)")
            }
        }

        func send(_ count: Int, name: String) async throws {
            let client = daemon.client()
            defer { client.close() }
            for number in 0..<count {
                let key = "\(name)-\(number)"
                let text = "<\(key)>\n" + String(repeating: "one coffee\n", count: 40 * (number + 1)) + "</\(key)>\n"
                try await ledger.send(
                    .init(text: text, role: ["receipt", "order", "coupon"][number % 3], key: key), by: client)
            }
        }

        /// How often each text is on paper whole.
        func copies() throws -> [String: Int] {
            var copies: [String: Int] = [:]
            for path in papers {
                let paper = String(decoding: try readFile(path), as: Unicode.ASCII.self)
                for sent in ledger.acknowledged.keys {
                    let count = paper.components(separatedBy: sent.text).count - 1
                    if count > 0 { copies[sent.text, default: 0] += count }
                }
            }
            return copies
        }
    }

    @Test(arguments: seeds)
    func `whatever is pulled, the ledger agrees with the paper`(seed: Int) async throws {
        var random = SeededRandom(UInt64(seed))
        let bench = try await Bench()
        var (faults, kills) = (0, 0)
        for round in 0..<Self.rounds {
            let printer = Int.random(in: 0...1, using: &random)
            let fault = Int.random(in: 0..<4, using: &random) == 0 ? nil : Fault.allCases.randomElement(using: &random)
            let killAfter = Int.random(in: 0..<3, using: &random) == 0 ? Int.random(in: 0...60, using: &random) : nil
            if let fault {
                faults += 1
                try await bench.perform(fault.begin(at: Int.random(in: 0...3000, using: &random)), on: printer)
            }
            let killing = Task { [daemon = bench.daemon] in
                guard let killAfter else { return }
                try await Task.sleep(for: .milliseconds(killAfter))
                try await daemon.kill()
            }
            try await bench.send(Self.batch, name: "\(seed)-\(round)")
            try await killing.value
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...60, using: &random)))
            if let fault { try await bench.perform(fault.end(at: 5 + printer), on: printer) }
            if killAfter != nil {
                kills += 1
                try await bench.daemon.start()
            }
        }
        let client = bench.daemon.client()
        defer { client.close() }
        try await bench.ledger.sendAgain(by: client)
        let report = try await bench.ledger.check(
            against: {
                for printer in 0...1 {
                    try await eventually("printer \(printer) is done") {
                        try await bench.usb.statistics("\(printer)")["waiting"] == "0"
                    }
                }
                return try bench.copies()
            }, by: client, doubts: faults + 2 * kills)
        print("cables, seed \(seed): \(report), \(faults) faults, \(kills) kills")
    }
}
