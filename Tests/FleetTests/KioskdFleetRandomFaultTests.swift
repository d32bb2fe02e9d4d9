import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

@testable import KioskFleet

/// A site and its hub through random faults: whatever happens, an office that repeats its jobs until they are reported
/// has each printed once, or is told that nobody knows.
@Suite struct KioskdFleetRandomFaultTests {
    private enum Fault: CaseIterable {
        case sendAgain, kioskKilled, kioskEnded, hubKilled, hubWiped, printerAway, printerBack, connectionsDropped
    }

    @Test(.timeLimit(.minutes(10)), arguments: 1...rounds(2, long: 1000))
    func `each job is printed once, or in doubt`(seed: Int) async throws {
        var random = SeededRandom(UInt64(seed))
        let office = try await FleetOffice(NATSServer.installed[seed % NATSServer.installed.count])
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture(printers: [printer.uri], arguments: office.options("kiosk-1"))
        var keys: [String] = []
        func send(_ count: Int) async throws {
            for _ in 0..<count {
                keys.append("order-\(keys.count + 1)")
                try await office.send(keys[keys.count - 1])
            }
        }
        for _ in 1...6 {
            try await send(Int.random(in: 1...4, using: &random))
            let fault = Fault.allCases.randomElement(using: &random) ?? .sendAgain
            switch fault {
            case .sendAgain: try await office.send(keys.randomElement(using: &random) ?? keys[0])
            case .kioskKilled:
                try await daemon.kill()
                try await daemon.start()
            case .kioskEnded:
                try await daemon.terminate()
                try await daemon.start()
            case .hubKilled: try await office.restartHub()
            case .hubWiped: try await office.wipeHub()
            case .printerAway: try await printer.perform(.goOffline(milliseconds: nil))
            case .printerBack: try await printer.perform(.goOnline)
            case .connectionsDropped: try await printer.perform(.dropConnections)
            }
        }
        try await printer.perform(.goOnline)
        var doubtful: Set<String> = []
        for key in keys {
            // What an office does until it has heard of a job: the hub may have lost it.
            try await office.send(key)
            try await eventually("a word on \(key) with seed \(seed): \(daemon.log.suffix(3000))") {
                let report = try await office.report(key)
                if report?.stage == .unconfirmed || report?.job?.isUnconfirmed == true { doubtful.insert(key) }
                return report?.stage == .unconfirmed || report?.stage == .ended
            }
        }
        let counts = try await office.printed(by: printer).reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
        for key in keys where !doubtful.contains(key) {
            #expect(counts[key] == 1, "\(key) with seed \(seed): \(daemon.log.suffix(3000))")
        }
        #expect(Set(counts.keys).isSubset(of: keys))
    }
}
