import KioskFleetAgent
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskFleet

/// The agent at a real hub, for a kiosk that does what a test says.
@Suite struct FleetAgentTests {
    private let folder: TemporaryFolder
    private let office: FleetOffice
    private let kiosk = ScriptedKiosk()

    init() async throws {
        folder = try TemporaryFolder("fleet")
        office = try await FleetOffice()
    }

    private func withAgent(_ body: () async throws -> Void) async throws {
        try await office.withAgent("kiosk-1", of: kiosk, records: folder.appending("fleet.sqlite"), body)
    }

    @Test func `a job that the kiosk cannot take yet waits at the hub, and those behind it`() async throws {
        kiosk.refuse(times: 2)
        try await withAgent {
            try await office.send("first")
            try await office.send("second")
            try await office.report("second", .accepted)
            #expect(try await office.report("first")?.stage == .accepted)
        }
        #expect(kiosk.asked == ["first", "first", "first", "second"])
    }

    @Test func `another job under a key does not end what is said of the first`() async throws {
        try await withAgent {
            try await office.send("order")
            let first = try await office.report("order", .accepted)
            try await office.send("order", to: "label")
            try await eventually("the conflict") {
                try await office.report("order")?.error?.code == "idempotency-conflict"
            }
            let told = try #require(try await office.report("order"))
            #expect(told.stage == .accepted && told.job?.id == first.job?.id)
            try kiosk.end(try #require(first.job?.id))
            let end = try await office.report("order", .ended)
            #expect(end.error == nil && end.job?.role == "receipt")
            try await office.send("order", to: "kitchen")
            #expect(try await office.report("order", .refused).error?.code == "idempotency-conflict")
        }
        #expect(kiosk.asked == ["order"])
    }

    @Test func `a till's job under the number of a lost one is not taken for it`() async throws {
        try await withAgent {
            try await office.send("order")
            let first = try await office.report("order", .accepted)
            kiosk.loseQueue(thenMake: try #require(first.job?.id))
            try kiosk.end(try #require(first.job?.id))
            try await office.send("behind")
            try await office.report("behind", .accepted)
            #expect(try await office.report("order")?.stage == .accepted)
        }
        try await withAgent {
            let report = try await office.report("order", .unconfirmed)
            #expect(report.error?.code == "job-lost")
        }
    }
}
