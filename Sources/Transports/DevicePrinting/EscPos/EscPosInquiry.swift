import PrintModel

/// What `DLE EOT n` asks for, in real time.
///
/// More values exist (5 and 6 for slips, 7 for ink, 8 and 18 with a parameter of their own, on a few models); roll
/// printers answer these four (Epson, `DLE EOT`).
package enum EscPosInquiry: UInt8, Hashable, Sendable, CaseIterable {
    case printer = 1
    case offlineCause = 2
    case errorCause = 3
    case paper = 4

    package var command: [UInt8] { [0x10, 0x04, rawValue] }

    /// What an answer says, and of what; nil for a byte that is no answer to `DLE EOT`.
    package func condition(_ answer: UInt8) -> DeviceCondition? {
        guard answer & 0x93 == 0x12 else { return nil }
        var facts = DeviceCondition.Facts()
        func note(_ bits: UInt8, _ fact: DeviceCondition.Facts) {
            if answer & bits != 0 { facts.insert(fact) }
        }
        switch self {
        case .printer:
            note(0x08, .offline)
            note(0x20, .waitsForOnline)
            return DeviceCondition(
                facts: facts, known: [.offline, .waitsForOnline], drawerLevel: answer & 0x04 != 0 ? .high : .low)
        case .offlineCause:
            note(0x04, .coverOpen)
            note(0x08, .feedingByButton)
            note(0x20, .paperEnd)
            note(0x40, .error)
            // Bit 5 says that printing stopped at the paper's end; that there is paper, only the sensor says.
            return DeviceCondition(facts: facts, known: facts.union([.coverOpen, .feedingByButton, .error]))
        case .errorCause:
            note(0x04, .error)
            note(0x08, .cutterError)
            note(0x20, .unrecoverableError)
            note(0x40, .recoversByItself)
            return DeviceCondition(
                facts: facts, known: facts.union([.cutterError, .unrecoverableError, .recoversByItself]))
        case .paper:
            note(0x0C, .paperLow)
            note(0x60, .paperEnd)
            return DeviceCondition(facts: facts, known: [.paperLow, .paperEnd])
        }
    }
}
