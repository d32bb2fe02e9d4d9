import PrintModel

/// The four bytes of the ESC/POS automatic status back (ASB).
///
/// The bits follow Epson's `GS a` (TM-T88IV, TM-U220 and others): the first two bytes describe the printer, the third
/// the paper; the fourth is reserved on roll printers.
package struct EscPosAutomaticStatus: Hashable, Sendable {
    package var bytes: [UInt8] { [printer, errors, paper, reserved] }
    private var printer: UInt8
    private var errors: UInt8
    private var paper: UInt8
    private var reserved: UInt8

    package init(_ printer: UInt8, _ errors: UInt8, _ paper: UInt8, _ reserved: UInt8) {
        self.printer = printer
        self.errors = errors
        self.paper = paper
        self.reserved = reserved
    }

    /// The conditions that these bytes report.
    package var condition: DeviceCondition {
        var facts = DeviceCondition.Facts()
        if printer & 0x08 != 0 { facts.insert(.offline) }
        if printer & 0x20 != 0 { facts.insert(.coverOpen) }
        if printer & 0x40 != 0 { facts.insert(.feedingByButton) }
        if errors & 0x01 != 0 { facts.insert(.waitsForOnline) }
        if errors & 0x08 != 0 { facts.insert(.cutterError) }
        if errors & 0x20 != 0 { facts.insert(.unrecoverableError) }
        if errors & 0x40 != 0 { facts.insert(.recoversAutomatically) }
        // Two bits for one sensor each; clones set only one of them.
        if paper & 0x03 != 0 { facts.insert(.paperLow) }
        if paper & 0x0C != 0 { facts.insert(.paperEnd) }
        return DeviceCondition(facts: facts, known: .escPos, drawerLevel: printer & 0x04 != 0 ? .high : .low)
    }
}

/// The subject n of a real-time status request, `DLE EOT n`.
///
/// More values exist (5 and 6 for slips, 7 for ink, 8 and 18 with another parameter, on a few models); roll printers
/// respond to these four (Epson, `DLE EOT`).
package enum EscPosRealTimeRequest: UInt8, Hashable, Sendable, CaseIterable {
    case printer = 1
    case offlineCause = 2
    case errorCause = 3
    case paper = 4

    package var command: [UInt8] { [0x10, 0x04, rawValue] }

    /// The conditions that a response reports; nil for a byte that is no response to `DLE EOT`.
    package func condition(_ response: UInt8) -> DeviceCondition? {
        guard response & 0x93 == 0x12 else { return nil }
        var facts = DeviceCondition.Facts()
        func note(_ bits: UInt8, _ fact: DeviceCondition.Facts) {
            if response & bits != 0 { facts.insert(fact) }
        }
        switch self {
        case .printer:
            note(0x08, .offline)
            note(0x20, .waitsForOnline)
            return DeviceCondition(
                facts: facts, known: [.offline, .waitsForOnline], drawerLevel: response & 0x04 != 0 ? .high : .low)
        case .offlineCause:
            note(0x04, .coverOpen)
            note(0x08, .feedingByButton)
            note(0x20, .paperEnd)
            note(0x40, .error)
            // Bit 5 reports that printing stopped at the end of the paper; only the sensor reports that there is paper.
            return DeviceCondition(facts: facts, known: facts.union([.coverOpen, .feedingByButton, .error]))
        case .errorCause:
            note(0x04, .error)
            note(0x08, .cutterError)
            note(0x20, .unrecoverableError)
            note(0x40, .recoversAutomatically)
            return DeviceCondition(
                facts: facts, known: facts.union([.cutterError, .unrecoverableError, .recoversAutomatically]))
        case .paper:
            note(0x0C, .paperLow)
            note(0x60, .paperEnd)
            return DeviceCondition(facts: facts, known: [.paperLow, .paperEnd])
        }
    }
}
