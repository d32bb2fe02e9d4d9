import KioskPrintModel
import Testing

@testable import KioskSNMP

/// What a printer's agent says, as the engine's availability and supplies.
@Suite struct PrinterReportTests {
    private static func report(
        _ errors: DetectedErrorState?, status: Int = 3, trays: [Int] = [], supplies: [MarkerSupply] = []
    ) -> PrinterReport {
        var report = PrinterReport()
        (report.errorState, report.status, report.trayLevels, report.supplies) = (errors, status, trays, supplies)
        return report
    }

    @Test(
        arguments: [
            (nil, [], "ready", []), ([], [], "ready", []),
            // Some report so of any empty tray.
            (.noPaper, [], "attention", ["media-empty-warning"]),
            (.noPaper, [0, 0], "stopped", ["media-empty-error"]),
            (.noPaper, [0, -2], "attention", ["media-empty-warning"]),
            (.noPaper, [0, -3], "attention", ["media-empty-warning"]),
            (.inputTrayEmpty, [0, 250], "attention", ["media-empty-warning"]),
            (.inputTrayEmpty, [], "attention", ["media-empty-warning"]),
            (.inputTrayEmpty, [0, 0], "stopped", ["media-empty-error"]),
            ([.noPaper, .lowPaper], [0], "stopped", ["media-empty-error"]),
            (.doorOpen, [], "stopped", ["door-open-error"]),
            (.jammed, [], "stopped", ["media-jam-error"]),
            (.lowPaper, [], "attention", ["media-low-warning"]),
            (.lowToner, [], "attention", ["toner-low-warning"]),
            ([.noToner, .lowToner], [], "attention", ["toner-empty-warning"]),
            (.inputTrayMissing, [], "attention", ["input-tray-missing-warning"]),
            (.outputTrayMissing, [], "attention", ["output-tray-missing-warning"]),
            (.outputFull, [], "attention", ["output-area-full-warning"]),
            (.markerSupplyMissing, [], "attention", ["marker-supply-missing-warning"]),
            // What printers report although they print.
            ([.offline, .serviceRequested, .outputNearFull, .overduePreventMaint], [], "ready", []),
            ([.offline, .doorOpen, .lowToner], [], "stopped", ["door-open-error", "toner-low-warning"]),
        ] as [(DetectedErrorState?, [Int], String, [String])])
    func `bits become reasons, and only paper, doors and jams stop a printer`(
        errors: DetectedErrorState?, trays: [Int], state: String, reasons: [String]
    ) {
        let availability = Self.report(errors, trays: trays).applied(to: Availability(.ready))
        #expect(availability.state.rawValue == state)
        #expect(availability.reasons.map(\.ippKeyword) == reasons)
    }

    @Test func `the first bit is the highest of the first octet, and the second octet may be missing`() {
        #expect(DetectedErrorState(octets: [0x80]) == .lowPaper)
        #expect(DetectedErrorState(octets: [0x01]) == .serviceRequested)
        #expect(DetectedErrorState(octets: [0x00, 0x80]) == .inputTrayMissing)
        #expect(DetectedErrorState(octets: [0x00, 0x04, 0xFF]) == .inputTrayEmpty)
        #expect(DetectedErrorState(octets: []) == [])
    }

    @Test func `ink is not called toner`() {
        let ink = [MarkerSupply(description: "Cyan", supplyClass: 3, type: 6, maximum: 100, level: 1)]
        #expect(Self.report(.lowToner, supplies: ink).reasons.map(\.keyword) == ["marker-supply-low"])
        #expect(Self.report(.noToner, supplies: ink).reasons.map(\.keyword) == ["marker-supply-empty"])
    }

    @Test func `a printer that prints is busy`() {
        #expect(Self.report([], status: 4).applied(to: Availability(.ready)).state == .busy)
        #expect(Self.report(.lowToner, status: 4).applied(to: Availability(.ready)).state == .attention)
    }

    @Test(arguments: [
        Availability(.stopped, reasons: [StateReason(keyword: "paused", severity: .error)]),
        Availability(.attention, reasons: [StateReason(keyword: "media-low", severity: .warning)]),
        Availability(.ready, reasons: [StateReason(keyword: "media-low", severity: .report)]),
        Availability(.unreachable, message: "no route"), .unknown,
    ])
    func `what the printer's own protocol says wins`(_ own: Availability) {
        #expect(Self.report(.doorOpen).applied(to: own) == own)
    }

    @Test(
        arguments: [
            (MarkerSupply(description: "Black", supplyClass: 3, type: 3, maximum: 10_000, level: 4200), "toner", 42),
            (
                MarkerSupply(description: "Black", supplyClass: 3, type: 21, maximum: 100, level: 0), "toner-cartridge",
                0
            ),
            (MarkerSupply(description: "Black", supplyClass: 3, type: 5, maximum: 100, level: 300), "ink", 100),
            // At least some is left; unknown; no limit.
            (MarkerSupply(description: "Black", supplyClass: 3, type: 3, maximum: 100, level: -3), "toner", nil),
            (MarkerSupply(description: "Black", supplyClass: 3, type: 3, maximum: 100, level: -2), "toner", nil),
            (MarkerSupply(description: "Black", supplyClass: 3, type: 3, maximum: 100, level: -1), "toner", nil),
            // Percents of an unknown capacity.
            (MarkerSupply(description: "Black", supplyClass: 3, type: 3, maximum: -2, level: 42), "toner", 42),
            (MarkerSupply(description: "Black", supplyClass: 3, type: 3, maximum: 0, level: 100), "toner", 100),
            (MarkerSupply(description: "Black", supplyClass: 3, type: 3, maximum: -2, level: 101), "toner", nil),
            (MarkerSupply(description: "Black", supplyClass: 3, type: 3, maximum: nil, level: 7), "toner", 7),
            // What is left of a receptacle is room.
            (MarkerSupply(description: "Box", supplyClass: 4, type: 4, maximum: 100, level: 90), "waste-toner", 10),
            (MarkerSupply(description: "Box", supplyClass: 4, type: 4, maximum: -2, level: 0), "waste-toner", 100),
            (MarkerSupply(description: "Box", supplyClass: nil, type: 8, maximum: 10, level: 9), "waste-ink", 10),
            (MarkerSupply(description: "Box", supplyClass: 3, type: 8, maximum: 10, level: 9), "waste-ink", 90),
            (MarkerSupply(description: "Part", supplyClass: 3, type: 15, maximum: 200, level: 100), "fuser", 50),
            (MarkerSupply(description: "Part", supplyClass: 3, type: 34, maximum: 4, level: 1), "covers", 25),
            (MarkerSupply(description: "Part", supplyClass: 3, type: 1, maximum: 4, level: 1), nil, 25),
            (MarkerSupply(description: "Part", supplyClass: 3, type: 99, maximum: 4, level: 1), nil, 25),
            (
                MarkerSupply(
                    description: "Black", supplyClass: 3, type: 3, maximum: 0xFFFF_FFFF, level: 0xFFFF_FFFF),
                "toner", 100
            ),
        ] as [(MarkerSupply, String?, Int?)])
    func `a supply has its type and its level in percent`(supply: MarkerSupply, type: String?, level: Int?) {
        #expect(Supply(supply) == Supply(name: supply.description ?? "", type: type, level: level))
    }

    @Test func `a supply without a name has its type's, and one without both is none`() {
        #expect(Supply(MarkerSupply(supplyClass: 3, type: 32, maximum: 10, level: 5))?.name == "staples")
        #expect(Supply(MarkerSupply(supplyClass: 3, type: 2, maximum: 10, level: 5)) == nil)
    }
}
