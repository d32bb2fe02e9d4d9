import KioskTestSupport
import Testing

@testable import KioskFleet
@testable import KioskFleetAgent

/// What an agent at a real hub says of itself.
@Suite struct FleetStateTests {
    private let folder: TemporaryFolder
    private let office: FleetOffice
    private let kiosk = ScriptedKiosk()

    init() async throws {
        folder = try TemporaryFolder("fleet")
        office = try await FleetOffice()
    }

    private func withAgent(
        _ node: String, _ state: FleetState, isPaired: Bool = false, _ body: () async throws -> Void
    ) async throws {
        try await office.withAgent(
            node, of: kiosk, records: folder.appending("\(node).sqlite"), isPaired: isPaired, state: state, body)
    }

    @Test func `the connection is told as it comes and goes, and since when`() async throws {
        let start = ContinuousClock.now
        let state = FleetState(start: start)
        #expect(state.connection == FleetState.Connection(isConnected: false, since: start))
        try await withAgent("kiosk-1", state) {
            try await eventually("the connection") { state.connection.isConnected }
            let first = state.connection.since
            #expect(first > start)
            try await office.server.kill()
            try await eventually("its end") { !state.connection.isConnected }
            let end = state.connection.since
            #expect(end > first)
            try await office.server.start()
            try await eventually("the next one") { state.connection.isConnected }
            #expect(state.connection.since > end)
        }
        #expect(!state.connection.isConnected)
    }

    @Test func `each kiosk of a pair knows which one has the lease`() async throws {
        let (first, second) = (FleetState(), FleetState())
        let (one, two) = (try NodeName("kiosk-1"), try NodeName("kiosk-2"))
        try await withAgent("kiosk-1", first, isPaired: true) {
            try await eventually("the lease") { first.lease == FleetState.Lease(holder: one, isOwn: true) }
            try await withAgent("kiosk-2", second, isPaired: true) {
                // Mostly the first has it, unless it was held up.
                let lease = try await eventuallyValue("a lease") { second.lease }
                #expect(lease.isOwn == (lease.holder == two))
            }
        }
        #expect(first.lease == nil && second.lease == nil)
        try await withAgent("kiosk-2", second, isPaired: true) {
            try await eventually("the takeover") { second.lease == FleetState.Lease(holder: two, isOwn: true) }
        }
    }

    @Test func `without a connection nobody is said to have the lease`() throws {
        let state = FleetState()
        state.setLease(FleetState.Lease(holder: try NodeName("kiosk-1"), isOwn: true))
        #expect(state.lease == nil)
    }
}
