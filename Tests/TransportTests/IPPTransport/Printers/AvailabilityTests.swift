import KioskIPPCodec
import KioskPrintModel
import Testing

@testable import KioskIPP

/// Availability and supplies, as read from a printer's attributes.
@Suite struct AvailabilityTests {
    private func printer(_ attributes: IPPAttribute...) -> IPPGroup { IPPGroup(.printer, attributes) }

    private static let states: [(Int32, [String], Bool, Availability.State)] = [
        (3, [], true, Availability.State.ready), (4, ["none"], true, .busy), (5, ["media-empty-error"], true, .stopped),
        (3, ["media-low-warning"], true, .attention), (4, ["toner-low-warning"], true, .attention),
        (3, ["wifi-connected-report"], true, .ready), (3, [], false, .stopped),
        (3, ["media-empty"], true, .stopped), (3, ["cover-open-error", "toner-low-warning"], true, .stopped),
        (3, ["connecting-to-device"], true, .attention), (9, [], true, .unknown),
    ]

    @Test(arguments: states)
    func `state and reasons make one availability`(
        state: Int32, reasons: [String], isAccepting: Bool, expected: Availability.State
    ) {
        var group = printer(
            IPPAttribute("printer-state", .enum(state)),
            IPPAttribute("printer-is-accepting-jobs", .boolean(isAccepting)))
        if !reasons.isEmpty { group.append(IPPAttribute("printer-state-reasons", keywords: reasons)) }
        let availability = Availability(group)
        #expect(availability.state == expected)
        #expect((availability.message != nil) == (expected == .unknown || !isAccepting))
        #expect(availability.reasons.count == reasons.filter { $0 != "none" }.count + (isAccepting ? 0 : 1))
        #expect(availability.reasons.contains { $0.keyword == "not-accepting-jobs" } == !isAccepting)
    }

    private func markers(_ more: IPPAttribute...) -> IPPGroup {
        let group = [
            IPPAttribute("printer-state", .enum(3)), IPPAttribute("marker-names", .names(["Black", "Cyan", "Waste"])),
            IPPAttribute("marker-types", keywords: ["toner", "toner", "waste-toner"]),
            IPPAttribute("marker-colors", .names(["#000000", "#00FFFF", "none"])),
        ]
        return IPPGroup(.printer, group + more)
    }

    @Test func `supplies are read from lists side by side`() {
        let supplies = PrinterDescription(
            markers(
                IPPAttribute("marker-levels", .integers([40, -2, 10])),
                IPPAttribute("marker-low-levels", .integers([5, 5, 0])),
                IPPAttribute("marker-high-levels", .integers([100, 100, 95])))
        ).supplies
        #expect(
            supplies == [
                Supply(name: "Black", type: "toner", color: "#000000", level: 40, lowLevel: 5),
                Supply(name: "Cyan", type: "toner", color: "#00FFFF", lowLevel: 5),
                Supply(name: "Waste", type: "waste-toner", level: 10, lowLevel: 95),
            ])
    }

    private static let markerLists: [([Int32], [Int32], [Int32], Availability.State)] = [
        ([40, 40, 10], [5, 5, 0], [100, 100, 95], .ready), ([5, 40, 10], [5, 5, 0], [100, 100, 95], .attention),
        ([40, 40, 96], [5, 5, 0], [100, 100, 95], .attention), ([40, 4], [5, 5], [], .attention),
        ([1], [], [], .ready), ([], [5], [], .ready), ([1, 2, 3, 4, 5], [5, 5, 5, 5], [1, 2, 3, 4], .attention),
        ([-1, -2, -3], [5, 5, 5], [], .ready), ([.max, .min, 101], [5, 5, 5], [1], .ready),
    ]

    @Test(arguments: markerLists)
    func `a low level asks for attention, whatever the lists' lengths`(
        levels: [Int32], lows: [Int32], highs: [Int32], state: Availability.State
    ) {
        var group = markers()
        if !levels.isEmpty { group.append(IPPAttribute("marker-levels", .integers(levels))) }
        if !lows.isEmpty { group.append(IPPAttribute("marker-low-levels", .integers(lows))) }
        if !highs.isEmpty { group.append(IPPAttribute("marker-high-levels", .integers(highs))) }
        let availability = Availability(group)
        #expect(availability.state == state)
        #expect((availability.message == nil) == (state == .ready))
    }

    @Test func `what the printer says itself counts more than its levels`() {
        var group = markers(
            IPPAttribute("marker-levels", .integers([1, 1, 1])),
            IPPAttribute("marker-low-levels", .integers([5, 5, 5])))
        group.append(IPPAttribute("printer-state-reasons", keywords: ["wifi-connected-report"]))
        #expect(Availability(group).state == .ready)
    }
}
