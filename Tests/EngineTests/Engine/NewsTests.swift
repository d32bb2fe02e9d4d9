import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskEngine

/// What transports learn of printers without being asked.
@Suite struct NewsTests {
    private static let target = PrinterTarget(url: try! PrinterURL("ipp://192.0.2.1/ipp/till-1"))

    /// Long enough that only news can be the reason of a contact.
    private func kiosk(_ behaviour: ScriptedTransport.Behaviour) async throws -> TestKiosk {
        try await TestKiosk(prepare: { $0.set("till-1", behaviour) }) {
            $0.wantedContactInterval = .seconds(3600)
            $0.idleContactInterval = .seconds(3600)
        }
    }

    private func availability(_ kiosk: TestKiosk) async -> Availability? {
        await kiosk.engine.printers().first?.availability
    }

    @Test func `a printer that appears is contacted, and the job that waits for it prints`() async throws {
        let kiosk = try await kiosk(.isDown)
        let job = try await kiosk.submit("tea", role: "held")
        try await eventually("the printer is known to be away") { await availability(kiosk)?.state == .unreachable }
        kiosk.transport.set("till-1", .prints)
        kiosk.transport.tell(.appeared, of: Self.target)
        #expect(try await kiosk.settled(job).state == .completed)
        try await kiosk.stop()
    }

    @Test func `a printer that disappears is unreachable at once, and its reason is shown`() async throws {
        let kiosk = try await kiosk(.prints)
        try await eventually("the printer is ready") { await availability(kiosk)?.state == .ready }
        kiosk.transport.tell(.disappeared("it was unplugged"), of: Self.target)
        try await eventually("the printer is away") { await availability(kiosk)?.state == .unreachable }
        #expect(await availability(kiosk)?.message == "it was unplugged")
        try await kiosk.stop()
    }

    @Test func `what a printer says unasked becomes its availability and an event, and lets jobs go on`() async throws {
        let kiosk = try await kiosk(.prints)
        try await eventually("the printer is ready") { await availability(kiosk)?.state == .ready }
        let events = kiosk.engine.events()
        let open = Availability(.stopped, reasons: [StateReason(keyword: "cover-open", severity: .error)])
        kiosk.transport.tell(.changed(open), of: Self.target)
        for await event in events where event.printer?.availability.reasons.isEmpty == false {
            #expect(event.printer?.availability == open)
            break
        }
        let job = try await kiosk.submit("tea", role: "held")
        #expect(try await kiosk.engine.wait(for: job.id, timeout: .milliseconds(50)).state == .pending)
        kiosk.transport.tell(.changed(Availability(.ready)), of: Self.target)
        #expect(try await kiosk.settled(job).state == .completed)
        try await kiosk.stop()
    }

    @Test func `news of a printer as nobody has saved it changes nothing`() async throws {
        let kiosk = try await kiosk(.prints)
        try await eventually("the printer is ready") { await availability(kiosk)?.state == .ready }
        var other = Self.target
        other.trust = .none
        kiosk.transport.tell(.disappeared("elsewhere"), of: other)
        kiosk.transport.tell(.changed(Availability(.attention)), of: Self.target)
        try await eventually("the later news have come") { await availability(kiosk)?.state == .attention }
        try await kiosk.stop()
    }
}
