import KioskPrintModel
import SNMPMessages

/// What must hold for whatever an SNMP agent responds with.
enum SNMPProperties {
    static func check(_ bytes: [UInt8]) {
        if let message = try? SNMPMessage(decoding: bytes) {
            guard let again = try? SNMPMessage(decoding: message.encoded), again == message else {
                fatalError("a message that reads otherwise when it is written again")
            }
        }
        checkQuery(bytes)
    }

    /// The octets as variables that stand behind those that are asked for: a query ends, with clean texts.
    private static func checkQuery(_ bytes: [UInt8]) {
        var query = PrinterQuery(community: "public", requestID: 1)
        var action = query.start()
        var rest = bytes[...]
        var requests = 0
        while case .send(let request) = action {
            requests += 1
            guard requests <= PrinterQuery.maximumRequests else { fatalError("a query without an end") }
            action = query.receive(response(to: request, &rest))
            guard action != .ignore else { fatalError("a response that is ignored") }
        }
        let report = query.report
        for text in [report.model, report.serialNumber] + report.supplies.map(\.description) {
            guard let text else { continue }
            guard !text.isEmpty, text.utf8.count <= 127, !text.hasControlCharacters else {
                fatalError("a text that is not clean")
            }
        }
        for supply in report.supplies.compactMap({ Supply($0) }) {
            guard supply.level.map({ (0...100).contains($0) }) ?? true else { fatalError("a level that is no percent") }
        }
        let availability = report.applied(to: Availability(.ready))
        let isBlocked = availability.reasons.contains { $0.severity == .error }
        guard isBlocked == (availability.state == .stopped) else { fatalError("a printer that stops for no reason") }
    }

    private static func response(to request: SNMPMessage, _ rest: inout ArraySlice<UInt8>) -> SNMPMessage {
        var response = request
        response.kind = .response
        for index in response.variables.indices {
            guard let choice = rest.popFirst() else { continue }
            let length = Int(choice >> 3)
            let octets = Array(rest.prefix(length))
            rest = rest.dropFirst(length)
            response.variables[index].name = OID(
                request.variables[index].name.components + (choice & 1 == 0 ? [UInt32(octets.first ?? 1)] : []))
            response.variables[index].value =
                switch choice & 0x06 {
                case 0x00: .octets(octets)
                case 0x02: .integer(octets.reduce(0) { $0 << 8 | Int64($1) })
                case 0x04: .unsigned(.gauge32, octets.reduce(0) { $0 << 8 | UInt64($1) })
                default: .endOfMibView
                }
        }
        if rest.first == 0xFF {
            response.errorStatus = .init(rawValue: Int32(rest.count))
            response.errorIndex = Int(rest.dropFirst().first ?? 0)
            rest = rest.dropFirst(2)
        }
        return response
    }
}
