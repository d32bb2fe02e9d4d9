import KioskDevicePrinting
import KioskPrintModel
import Testing

/// The meaning of status bits, as IPP keywords.
@Suite struct DeviceConditionTests {
    @Test(
        arguments: [
            ([0x10, 0x00, 0x00, 0x0F], .ready, []),
            ([0x38, 0x00, 0x00, 0x0F], .stopped, ["cover-open-error"]),
            ([0x18, 0x00, 0x0C, 0x0F], .stopped, ["media-empty-error"]),
            ([0x18, 0x00, 0x0F, 0x0F], .stopped, ["media-empty-error"]),
            ([0x10, 0x00, 0x03, 0x0F], .attention, ["media-low-warning"]),
            ([0x18, 0x08, 0x03, 0x0F], .stopped, ["separation-cutter-jam-error", "media-low-warning"]),
            ([0x18, 0x20, 0x00, 0x0F], .stopped, ["other-error"]),
            ([0x18, 0x40, 0x00, 0x0F], .stopped, ["fuser-over-temp-error"]),
            ([0x38, 0x40, 0x00, 0x0F], .stopped, ["cover-open-error"]),
            ([0x18, 0x00, 0x00, 0x0F], .stopped, ["offline-error"]),
            ([0x10, 0x01, 0x00, 0x0F], .stopped, ["offline-error"]),
            ([0x50, 0x02, 0x00, 0x0F], .ready, []),
        ] as [([UInt8], Availability.State, [String])])
    func `ESC/POS' automatic status`(_ bytes: [UInt8], _ state: Availability.State, _ reasons: [String]) {
        let availability = EscPosAutomaticStatus(bytes[0], bytes[1], bytes[2], bytes[3]).condition.availability()
        #expect(availability.state == state)
        #expect(availability.reasons.map(\.ippKeyword) == reasons)
        #expect((availability.message == nil) == reasons.isEmpty)
    }

    @Test(
        arguments: [
            (.printer, 0x12, []), (.printer, 0x1A, ["offline-error"]), (.printer, 0x32, ["offline-error"]),
            (.offlineCause, 0x16, ["cover-open-error"]), (.offlineCause, 0x32, ["media-empty-error"]),
            (.offlineCause, 0x52, ["other-error"]), (.offlineCause, 0x1A, []),
            (.errorCause, 0x1A, ["separation-cutter-jam-error"]), (.errorCause, 0x32, ["other-error"]),
            (.errorCause, 0x52, ["fuser-over-temp-error"]), (.errorCause, 0x16, ["other-error"]),
            (.paper, 0x1E, ["media-low-warning"]), (.paper, 0x72, ["media-empty-error"]),
            (.paper, 0x7E, ["media-empty-error"]),
        ] as [(EscPosRealTimeRequest, UInt8, [String])])
    func `the answers to DLE EOT`(_ request: EscPosRealTimeRequest, _ answer: UInt8, _ reasons: [String]) throws {
        let condition = try #require(request.condition(answer))
        #expect(condition.reasons.map(\.ippKeyword) == reasons)
    }

    @Test(arguments: EscPosRealTimeRequest.allCases)
    func `no other byte is an answer to DLE EOT`(_ request: EscPosRealTimeRequest) {
        for byte in UInt8.min...UInt8.max {
            #expect((request.condition(byte) != nil) == (byte & 0b1001_0011 == 0b0001_0010), "\(byte)")
        }
        #expect(request.command == [0x10, 0x04, request.rawValue])
    }

    @Test(
        arguments: [
            ([0x23, 0x06, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00], .ready, []),
            ([0x23, 0x06, 0x28, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00], .stopped, ["cover-open-error"]),
            ([0x23, 0x06, 0x08, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00], .stopped, ["media-empty-error"]),
            ([0x23, 0x06, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00], .attention, ["media-low-warning"]),
            ([0x23, 0x06, 0x08, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00], .stopped, ["separation-cutter-jam-error"]),
            ([0x23, 0x06, 0x08, 0x40, 0x00, 0x00, 0x00, 0x00, 0x00], .stopped, ["fuser-over-temp-error"]),
            ([0x23, 0x06, 0x08, 0x20, 0x00, 0x00, 0x00, 0x00, 0x00], .stopped, ["other-error"]),
            ([0x23, 0x06, 0x08, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00], .stopped, ["media-jam-error"]),
            ([0x23, 0x06, 0x08, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00], .stopped, ["interlock-open-error"]),
            ([0x23, 0x06, 0x40, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00], .stopped, ["offline-error"]),
            ([0x0F, 0x02, 0x08, 0x00, 0x00, 0x08, 0x00], .stopped, ["media-empty-error"]),
        ] as [([UInt8], Availability.State, [String])])
    func `Star's automatic status`(_ bytes: [UInt8], _ state: Availability.State, _ reasons: [String]) throws {
        var parser = StarStatusParser()
        guard case .status(let status)? = parser.feed(bytes).first else {
            Issue.record("no status")
            return
        }
        let availability = status.condition.availability()
        #expect(availability.state == state)
        #expect(availability.reasons.map(\.ippKeyword) == reasons)
    }

    @Test(
        arguments: [
            (0x18, []), (0x10, ["other-error"]), (0x08, ["offline-error"]), (0x38, ["media-empty-error"]),
            (0x30, ["media-empty-error"]),
        ] as [(UInt8, [String])])
    func `the USB port status`(_ byte: UInt8, _ reasons: [String]) {
        #expect(PortStatus(byte).condition.reasons.map(\.ippKeyword) == reasons)
    }

    @Test(arguments: [0x00, 0xFF, 0x19, 0x98] as [UInt8])
    func `a port status that nobody filled in says nothing`(_ byte: UInt8) {
        #expect(PortStatus(byte).condition.availability() == .unknown)
    }

    @Test func `a report changes what it reports on, and nothing else`() throws {
        var condition = EscPosAutomaticStatus(0x38, 0x00, 0x03, 0x0F).condition
        condition.merge(try #require(EscPosRealTimeRequest.paper.condition(0x12)))
        #expect(condition.reasons.map(\.keyword) == ["cover-open"])
        condition.merge(try #require(EscPosRealTimeRequest.offlineCause.condition(0x52)))
        #expect(condition.reasons.map(\.keyword) == ["other"])
        condition.merge(try #require(EscPosRealTimeRequest.errorCause.condition(0x1A)))
        #expect(condition.reasons.map(\.keyword) == ["separation-cutter-jam"])
        condition.merge(EscPosAutomaticStatus(0x10, 0x00, 0x00, 0x0F).condition)
        #expect(condition.reasons.isEmpty)
        #expect(condition.availability().state == .ready)
    }

    @Test func `nothing is known of a printer that has said nothing`() {
        #expect(DeviceCondition().availability() == .unknown)
    }

    @Test func `the drawer is open or closed where its wiring is known`() {
        let high = EscPosAutomaticStatus(0x14, 0x00, 0x00, 0x0F).condition
        let low = EscPosAutomaticStatus(0x10, 0x00, 0x00, 0x0F).condition
        #expect(high.isDrawerOpen(open: nil) == nil)
        #expect(high.isDrawerOpen(open: .high) == true)
        #expect(high.isDrawerOpen(open: .low) == false)
        #expect(low.isDrawerOpen(open: .low) == true)
        #expect(DeviceCondition().isDrawerOpen(open: .high) == nil)
        let availability = high.availability(drawerOpen: .high)
        #expect(availability.state == .ready)
        #expect(availability.reasons.map(\.ippKeyword) == ["cash-drawer-open-report"])
        #expect(high.availability().reasons.isEmpty)
    }
}
