@testable import KioskSNMP

/// The variables of an agent, and its responses as RFC 1157 §4.1 has them.
struct ScriptedMIB: Sendable {
    private var variables: [SNMPMessage.Variable]

    init(_ variables: [OID: SNMPValue]) {
        self.variables = variables.map { SNMPMessage.Variable($0.key, $0.value) }
            .sorted { $0.name.components.lexicographicallyPrecedes($1.name.components) }
    }

    /// What a request is responded with; SNMPv1 has no values where one variable is missing.
    func response(to request: SNMPMessage) -> SNMPMessage {
        var response = request
        response.kind = .response
        for (index, asked) in request.variables.enumerated() {
            let found = variables.first {
                request.kind == .get
                    ? $0.name == asked.name : asked.name.components.lexicographicallyPrecedes($0.name.components)
            }
            guard let found else {
                (response.errorStatus, response.errorIndex, response.variables) = (
                    .noSuchName, index + 1, request.variables
                )
                return response
            }
            response.variables[index] = found
        }
        return response
    }

    /// Asks for all; the number of requests beside what came of it.
    func report() -> (report: PrinterReport, requests: Int) {
        var query = PrinterQuery(community: "public", requestID: 1)
        var action = query.start()
        var requests = 0
        while case .send(let request) = action {
            requests += 1
            action = query.receive(response(to: request))
        }
        return (query.report, requests)
    }

    /// An office printer: its state, two trays and three supplies.
    static func printer(_ errors: [UInt8] = [0], status: Int64 = 3) -> [OID: SNMPValue] {
        var variables: [OID: SNMPValue] = [
            PrinterMIB.deviceDescription.appending(1): text("Acme Laser 4250"),
            PrinterMIB.printerStatus.appending(1): .integer(status),
            PrinterMIB.detectedErrorState.appending(1): .octets(errors),
            PrinterMIB.serialNumber.appending(1): text("CNHXD12345"),
            PrinterMIB.trayLevel.appending(1, 1): .integer(0),
            PrinterMIB.trayLevel.appending(1, 2): .integer(-3),
            PrinterMIB.lifeCount.appending(1, 1): .unsigned(.counter32, 123_456),
        ]
        let rows: [(name: String, numbers: [Int64])] = [
            ("Black Toner", [3, 3, 10_000, 4200]), ("Cyan Toner", [3, 21, 100, -3]), ("Waste Box", [4, 4, 100, 90]),
        ]
        let columns = [
            PrinterMIB.supplyClass, PrinterMIB.supplyType, PrinterMIB.supplyMaximum, PrinterMIB.supplyLevel,
        ]
        for (offset, row) in rows.enumerated() {
            let index = UInt32(offset + 1)
            variables[PrinterMIB.supplyDescription.appending(1, index)] = text(row.name)
            for (column, number) in zip(columns, row.numbers) {
                variables[column.appending(1, index)] = .integer(number)
            }
        }
        return variables
    }

    static func text(_ text: String) -> SNMPValue { .octets(Array(text.utf8)) }
}
