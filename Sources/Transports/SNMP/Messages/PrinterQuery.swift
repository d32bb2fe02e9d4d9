import KioskPrintModel

/// A query of a printer's agent, request by request, without a socket: its state, then its trays where one is empty,
/// then its supplies.
///
/// Whatever the agent says, the query ends after `maximumRequests`: rows have to come in order, and each error leaves a
/// column out.
package struct PrinterQuery {
    /// What to do next.
    package enum Action: Hashable, Sendable {
        case send(SNMPMessage)
        /// The message is no response to the request: wait on.
        case ignore
        case finish
    }

    /// What was learned so far.
    package private(set) var report = PrinterReport()
    /// Whether the agent has responded to anything.
    package private(set) var hasResponse = false

    private let community: [UInt8]
    private var requestID: Int32
    private var phase = Phase.printer
    /// The columns that are asked for in this phase, and the index behind which they are asked for.
    private var columns = Self.printerColumns
    private var index: [UInt32] = []
    private var sent: SNMPMessage?
    private var requests = 0
    private var supplyRows = 0

    private enum Phase { case printer, device, trays, supplies }

    /// More requests than a press with twenty supplies takes.
    package static let maximumRequests = 64
    /// The largest presses have some twenty supplies and a dozen trays.
    private static let maximumSupplies = 40
    private static let maximumTrays = 16

    private static let printerColumns = [
        PrinterMIB.printerStatus, PrinterMIB.detectedErrorState, PrinterMIB.serialNumber, PrinterMIB.lifeCount,
    ]
    private static let supplyColumns = [
        PrinterMIB.supplyClass, PrinterMIB.supplyType, PrinterMIB.supplyDescription, PrinterMIB.supplyMaximum,
        PrinterMIB.supplyLevel,
    ]

    /// `requestID`: that of the first request. A random one keeps others from guessing it.
    package init(community: String, requestID: Int32) {
        self.community = Array(community.utf8)
        self.requestID = requestID
    }

    /// The first request.
    package mutating func start() -> Action { ask() }

    /// Takes a message that came.
    package mutating func receive(_ message: SNMPMessage) -> Action {
        guard let sent, message.kind == .response, message.requestID == sent.requestID,
            message.version == sent.version, message.community == sent.community
        else { return .ignore }
        self.sent = nil
        hasResponse = true
        guard message.errorStatus == .noError else { return handleError(at: message.errorIndex) }
        // RFC 1157 §4.1.3: a response has the variables of its request, in their order.
        guard message.variables.count == columns.count else { return nextPhase() }
        let values = zip(columns, message.variables).map { column, variable -> Cell? in
            guard let index = variable.name.suffix(after: column), Self.isBehind(index, self.index) else { return nil }
            return switch variable.value {
            case .noSuchObject, .noSuchInstance, .endOfMibView: nil
            default: Cell(column: column, index: index, value: variable.value)
            }
        }
        return handle(values)
    }

    /// A value and its place.
    private struct Cell {
        var column: OID
        var index: [UInt32]
        var value: SNMPValue
    }

    private static func isBehind(_ index: [UInt32], _ before: [UInt32]) -> Bool {
        before.lexicographicallyPrecedes(index)
    }

    // MARK: Requests

    private mutating func ask() -> Action {
        guard requests < Self.maximumRequests, !columns.isEmpty else { return .finish }
        requests += 1
        let message = SNMPMessage(
            community: community, kind: .getNext, requestID: requestID,
            variables: columns.map { SNMPMessage.Variable($0.appending(index)) })
        requestID = requestID == .max ? 1 : requestID + 1
        sent = message
        return .send(message)
    }

    /// SNMPv1 reports one variable that it does not have, and no values of the others. At the end of all that an agent
    /// has, it is the last column that has no next row.
    private mutating func handleError(at number: Int) -> Action {
        let isLastRow = phase == .supplies && supplyRows > 0 || phase == .trays && !report.trayLevels.isEmpty
        if isLastRow || phase == .device { return nextPhase() }
        // One that is about no variable, such as tooBig: ask for fewer.
        columns.remove(at: (1...columns.count).contains(number) ? number - 1 : columns.count - 1)
        return columns.isEmpty ? nextPhase() : ask()
    }

    private mutating func nextPhase() -> Action {
        index = []
        switch phase {
        case .printer, .device:
            let isEmpty = report.errorState.map { !$0.isDisjoint(with: [.noPaper, .inputTrayEmpty]) } ?? false
            (phase, columns) = isEmpty ? (.trays, [PrinterMIB.trayLevel]) : (.supplies, Self.supplyColumns)
        case .trays: (phase, columns) = (.supplies, Self.supplyColumns)
        case .supplies: return .finish
        }
        return ask()
    }

    // MARK: Responses

    private mutating func handle(_ cells: [Cell?]) -> Action {
        switch phase {
        case .printer: readPrinter(cells.compactMap(\.self))
        case .device: readDevice(cells)
        case .trays: readTray(cells.first ?? nil)
        case .supplies: readSupply(cells.compactMap(\.self))
        }
    }

    private mutating func readPrinter(_ cells: [Cell]) -> Action {
        var device: UInt32?
        for cell in cells {
            switch cell.column {
            case PrinterMIB.printerStatus:
                report.status = cell.value.number
                device = cell.index.count == 1 ? cell.index.first : nil
            case PrinterMIB.detectedErrorState:
                report.errorState = cell.value.octets.map { DetectedErrorState(octets: $0) }
            case PrinterMIB.serialNumber: report.serialNumber = Self.text(cell.value)
            case PrinterMIB.lifeCount: report.lifeCount = cell.value.number.flatMap { $0 >= 0 ? $0 : nil }
            default: break
            }
        }
        guard let device, device > 0 else { return nextPhase() }
        phase = .device
        // The row of this device, by what comes behind the one before, and whether there is another printer.
        columns = [PrinterMIB.deviceDescription, PrinterMIB.printerStatus]
        index = [device - 1]
        return askForDevice(device)
    }

    private mutating func askForDevice(_ device: UInt32) -> Action {
        let action = ask()
        guard case .send(var message) = action else { return action }
        message.variables[1].name = PrinterMIB.printerStatus.appending(device)
        sent = message
        return .send(message)
    }

    private mutating func readDevice(_ cells: [Cell?]) -> Action {
        guard cells.count == 2, let device = index.first.map({ $0 + 1 }) else { return nextPhase() }
        if let other = cells[1], other.index != [device] {
            // A print server of several printers: nothing tells which one of them is meant.
            report = PrinterReport()
            return .finish
        }
        if let row = cells[0], row.index == [device] { report.model = Self.text(row.value) }
        return nextPhase()
    }

    private mutating func readTray(_ cell: Cell?) -> Action {
        guard let cell, report.trayLevels.count < Self.maximumTrays else { return nextPhase() }
        if let level = cell.value.number { report.trayLevels.append(level) }
        index = cell.index
        return ask()
    }

    private mutating func readSupply(_ cells: [Cell]) -> Action {
        guard let row = cells.map(\.index).min(by: { $0.lexicographicallyPrecedes($1) }),
            supplyRows < Self.maximumSupplies
        else { return nextPhase() }
        var supply = MarkerSupply()
        for cell in cells where cell.index == row {
            switch cell.column {
            case PrinterMIB.supplyClass: supply.supplyClass = cell.value.number
            case PrinterMIB.supplyType: supply.type = cell.value.number
            case PrinterMIB.supplyDescription: supply.description = Self.text(cell.value)
            case PrinterMIB.supplyMaximum: supply.maximum = cell.value.number
            case PrinterMIB.supplyLevel: supply.level = cell.value.number
            default: break
            }
        }
        supplyRows += 1
        report.supplies.append(supply)
        index = row
        return ask()
    }

    /// A text for people. RFC 3805 lets agents choose its character set, and most send ASCII or UTF-8. Nil where
    /// nothing remains.
    private static func text(_ value: SNMPValue) -> String? {
        guard let octets = value.octets else { return nil }
        // Some end it with a NUL, behind which anything may stand.
        let text = String(decoding: octets.prefix(4 * maximumTextLength).prefix { $0 != 0 }, as: UTF8.self)
            .withoutControlCharacters
        let cut = text.split(separator: " ").joined(separator: " ").prefix(utf8Count: maximumTextLength)
        return cut.isEmpty ? nil : cut
    }

    /// RFC 8011 §5.4.9 bounds `printer-make-and-model` at 127 octets.
    private static let maximumTextLength = 127
}
