import Glibc
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

@testable import KioskFleet

/// Two kioskds of a site with one printer, at a real hub.
@Suite struct KioskdFleetPairTests {
    private func kiosk(
        _ office: FleetOffice, _ printer: SimulatedPrinter, _ node: String
    ) async throws -> KioskdFixture {
        try await KioskdFixture(printers: [printer.uri], arguments: office.options(node) + ["--fleet-pair"])
    }

    /// Starts both, and returns the one that takes the site's jobs first.
    private func pair(
        _ office: FleetOffice, _ printer: SimulatedPrinter
    ) async throws -> (holder: KioskdFixture, other: KioskdFixture) {
        let first = try await kiosk(office, printer, "kiosk-1")
        try await office.send("begin")
        try await office.report("begin", .ended)
        return (first, try await kiosk(office, printer, "kiosk-2"))
    }

    @Test(arguments: NATSServer.installed)
    func `one is killed amid the queue, and all is printed once`(version: NATSServer.Version) async throws {
        let office = try await FleetOffice(version)
        let printer = try await SimulatedPrinter.start()
        let (holder, other) = try await pair(office, printer)
        try await printer.perform(.goOffline(milliseconds: nil))
        let keys = (1...6).map { "order-\($0)" }
        for key in keys { try await office.send(key) }
        #expect(try await office.report(keys[0], .accepted).node.text == "kiosk-1")
        try await holder.kill()
        try await printer.perform(.goOnline)
        for key in keys.dropFirst() {
            #expect(try await office.report(key, .ended).node.text == "kiosk-2", "\(other.log)")
        }
        #expect(try await office.report(keys[0], .unconfirmed).error?.code == "kiosk-silent")
        try await holder.start()
        #expect(try await office.report(keys[0], .ended).node.text == "kiosk-1", "\(holder.log)")
        let printed = try await office.printed(by: printer)
        #expect(printed == ["begin"] + keys.dropFirst() + [keys[0]])
    }

    @Test func `one that is stopped for a while prints nothing again`() async throws {
        let office = try await FleetOffice()
        let printer = try await SimulatedPrinter.start()
        let (holder, other) = try await pair(office, printer)
        var keys: [String] = []
        for round in 1...3 {
            try kill(holder.process.processID, SIGSTOP)
            for number in 1...3 {
                keys.append("order-\(round)-\(number)")
                try await office.send(keys[keys.count - 1])
            }
            // The other takes over, or the first has had the first of them.
            try await office.report(keys[keys.count - 1], .ended)
            try kill(holder.process.processID, SIGCONT)
            keys.append("order-\(round)-last")
            try await office.send(keys[keys.count - 1])
            try await office.report(keys[keys.count - 1], .ended)
        }
        for key in keys { try await office.report(key, .ended) }
        #expect(try await office.printed(by: printer).sorted() == (["begin"] + keys).sorted(), "\(other.log)")
    }

    private enum Fault: CaseIterable {
        case killed, ended, stopped, hubKilled, sentAgain, printerAway, printerBack, connectionsDropped
    }

    @Test(.timeLimit(.minutes(10)), arguments: 1...rounds(2, long: 1000))
    func `through random faults each job is printed once, or in doubt`(seed: Int) async throws {
        var random = SeededRandom(UInt64(seed))
        let office = try await FleetOffice(NATSServer.installed[seed % NATSServer.installed.count])
        let printer = try await SimulatedPrinter.start()
        let (first, second) = try await pair(office, printer)
        var keys: [String] = []
        for _ in 1...6 {
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                keys.append("order-\(keys.count + 1)")
                try await office.send(keys[keys.count - 1])
            }
            let kiosk = Bool.random(using: &random) ? first : second
            switch Fault.allCases.randomElement(using: &random) ?? .killed {
            case .killed:
                try await kiosk.kill()
                try await kiosk.start()
            case .ended:
                try await kiosk.terminate()
                try await kiosk.start()
            case .stopped:
                try kill(kiosk.process.processID, SIGSTOP)
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...5000, using: &random)))
                try kill(kiosk.process.processID, SIGCONT)
            case .hubKilled: try await office.restartHub()
            case .sentAgain: try await office.send(keys.randomElement(using: &random) ?? keys[0])
            case .printerAway: try await printer.perform(.goOffline(milliseconds: nil))
            case .printerBack: try await printer.perform(.goOnline)
            case .connectionsDropped: try await printer.perform(.dropConnections)
            }
        }
        try await printer.perform(.goOnline)
        var doubtful: Set<String> = []
        for key in keys {
            try await office.send(key)
            var last: FleetReport?
            do {
                try await eventually("a word on \(key)") {
                    last = try await office.report(key)
                    if last?.stage == .unconfirmed || last?.job?.isUnconfirmed == true { doubtful.insert(key) }
                    return last?.stage == .unconfirmed || last?.stage == .ended
                }
            } catch {
                Issue.record(
                    "\(error); seed \(seed), \(String(describing: last)): \(first.log.suffix(5000)) \(second.log.suffix(5000))"
                )
                return
            }
        }
        let counts = try await office.printed(by: printer).reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
        for key in keys {
            let count = counts[key] ?? 0
            #expect(
                count == 1 || doubtful.contains(key),
                "\(key) \(count) times with seed \(seed): \(first.log.suffix(3000)) \(second.log.suffix(3000))")
        }
        #expect(Set(counts.keys).isSubset(of: keys + ["begin"]))
    }
}
