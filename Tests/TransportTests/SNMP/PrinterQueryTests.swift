import KioskPrintModel
import Testing

@testable import KioskSNMP

/// The query, request by request, without a socket.
@Suite struct PrinterQueryTests {
    @Test func `a printer is asked for its state, its model and its supplies`() {
        let (report, requests) = ScriptedMIB(ScriptedMIB.printer()).report()
        var expected = PrinterReport()
        (expected.model, expected.serialNumber) = ("Acme Laser 4250", "CNHXD12345")
        (expected.status, expected.errorState, expected.lifeCount) = (3, [], 123_456)
        expected.supplies = [
            MarkerSupply(description: "Black Toner", supplyClass: 3, type: 3, maximum: 10_000, level: 4200),
            MarkerSupply(description: "Cyan Toner", supplyClass: 3, type: 21, maximum: 100, level: -3),
            MarkerSupply(description: "Waste Box", supplyClass: 4, type: 4, maximum: 100, level: 90),
        ]
        #expect(report == expected)
        // Its state, its row, three rows of supplies and the end.
        #expect(requests == 6)
    }

    @Test func `trays are asked for where one is empty`() {
        #expect(ScriptedMIB(ScriptedMIB.printer([0x40])).report().report.trayLevels == [0, -3])
        #expect(ScriptedMIB(ScriptedMIB.printer([0x00, 0x04])).report().report.trayLevels == [0, -3])
        #expect(ScriptedMIB(ScriptedMIB.printer([0x20])).report().report.trayLevels == [])
    }

    @Test(arguments: [
        PrinterMIB.deviceDescription, PrinterMIB.printerStatus, PrinterMIB.detectedErrorState,
        PrinterMIB.serialNumber, PrinterMIB.lifeCount, PrinterMIB.trayLevel, PrinterMIB.supplyClass,
        PrinterMIB.supplyType, PrinterMIB.supplyDescription, PrinterMIB.supplyMaximum, PrinterMIB.supplyLevel,
    ])
    func `what an agent does not have is left out, and nothing else`(_ column: OID) {
        let all = ScriptedMIB.printer([0x40])
        let report = ScriptedMIB(all.filter { $0.key.suffix(after: column) == nil }).report().report
        #expect((report.model == nil) == [PrinterMIB.deviceDescription, PrinterMIB.printerStatus].contains(column))
        #expect((report.status == nil) == (column == PrinterMIB.printerStatus))
        #expect((report.errorState == nil) == (column == PrinterMIB.detectedErrorState))
        #expect((report.serialNumber == nil) == (column == PrinterMIB.serialNumber))
        #expect((report.lifeCount == nil) == (column == PrinterMIB.lifeCount))
        #expect(report.trayLevels.isEmpty == [PrinterMIB.trayLevel, PrinterMIB.detectedErrorState].contains(column))
        #expect(report.supplies.count == 3)
        #expect(report.supplies.allSatisfy { ($0.description == nil) == (column == PrinterMIB.supplyDescription) })
        #expect(report.supplies.allSatisfy { ($0.level == nil) == (column == PrinterMIB.supplyLevel) })
    }

    @Test func `an agent that knows nothing of printers is asked a few times only`() {
        let (report, requests) = ScriptedMIB([OID([1, 3, 6, 1, 2, 1, 1, 1, 0]): ScriptedMIB.text("Linux")]).report()
        #expect(report == PrinterReport())
        #expect(requests == 9)
    }

    @Test func `of a print server with several printers nothing is taken`() {
        var variables = ScriptedMIB.printer([0x40])
        variables[PrinterMIB.printerStatus.appending(2)] = .integer(3)
        #expect(ScriptedMIB(variables).report().report == PrinterReport())
    }

    @Test func `only the response to the request counts`() throws {
        let mib = ScriptedMIB(ScriptedMIB.printer())
        var query = PrinterQuery(community: "public", requestID: 7)
        guard case .send(let request) = query.start() else { throw CancellationError() }
        let response = mib.response(to: request)
        for change: (inout SNMPMessage) -> Void in [
            { $0.requestID = 8 }, { $0.version = .v2c }, { $0.community = [] }, { $0.kind = .getNext },
        ] {
            var other = response
            change(&other)
            #expect(query.receive(other) == .ignore)
        }
        #expect(!query.hasResponse)
        guard case .send(let next) = query.receive(response) else { throw CancellationError() }
        #expect(next.requestID == 8)
        #expect(query.receive(response) == .ignore)
        #expect(query.hasResponse)
    }

    @Test func `an agent without an end is asked a bounded number of times`() {
        for respond in Self.endless {
            var query = PrinterQuery(community: "public", requestID: .max)
            var action = query.start()
            var requests = 0
            while case .send(let request) = action {
                requests += 1
                guard requests <= PrinterQuery.maximumRequests else { break }
                var response = request
                response.kind = .response
                respond(&response)
                action = query.receive(response)
            }
            #expect(requests <= PrinterQuery.maximumRequests)
            #expect(query.report.supplies.count <= 40)
        }
    }

    /// Agents that always have another row, that stay where they are, or that have errors of all kinds.
    private static let endless: [@Sendable (inout SNMPMessage) -> Void] = [
        { message in
            for index in message.variables.indices {
                message.variables[index].name.components.append(1)
                message.variables[index].value = .octets([0x40, 0x04])
            }
        },
        { message in for index in message.variables.indices { message.variables[index].value = .integer(1) } },
        { ($0.errorStatus, $0.errorIndex) = (.tooBig, 0) },
        { ($0.errorStatus, $0.errorIndex) = (.genErr, .max) },
        { ($0.errorStatus, $0.errorIndex) = (.noSuchName, .min) },
        { $0.variables = [] },
        { $0.variables += $0.variables },
    ]

    @Test func `texts are cleaned and bounded`() {
        var variables = ScriptedMIB.printer()
        variables[PrinterMIB.deviceDescription.appending(1)] = ScriptedMIB.text("  Acme\u{1B}[2J\n Laser \u{0}rest")
        variables[PrinterMIB.serialNumber.appending(1)] = .octets(Array(repeating: 0xFF, count: 1500))
        variables[PrinterMIB.supplyDescription.appending(1, 1)] = ScriptedMIB.text("\u{7}")
        let report = ScriptedMIB(variables).report().report
        #expect(report.model?.hasPrefix("Acme") == true && report.model?.hasControlCharacters == false)
        #expect(report.model?.contains("rest") == false)
        #expect(report.serialNumber.map { $0.utf8.count <= 127 } == true)
        #expect(report.supplies.first.map { $0.description?.hasControlCharacters ?? false } == false)
    }
}
