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
}
