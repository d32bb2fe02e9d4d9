import PrintModel

/// The four bytes of ESC/POS' automatic status back (ASB).
///
/// Bits as in Epson's `GS a` (TM-T88IV, TM-U220 and others): the first two bytes tell of the printer, the third of the
/// paper; the fourth is reserved on roll printers.
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

    /// All that a printer tells so.
    package var condition: DeviceCondition {
        var facts = DeviceCondition.Facts()
        if printer & 0x08 != 0 { facts.insert(.offline) }
        if printer & 0x20 != 0 { facts.insert(.coverOpen) }
        if printer & 0x40 != 0 { facts.insert(.feedingByButton) }
        if errors & 0x01 != 0 { facts.insert(.waitsForOnline) }
        if errors & 0x08 != 0 { facts.insert(.cutterError) }
        if errors & 0x20 != 0 { facts.insert(.unrecoverableError) }
        if errors & 0x40 != 0 { facts.insert(.recoversByItself) }
        // Two bits for one sensor each; clones set only one of them.
        if paper & 0x03 != 0 { facts.insert(.paperLow) }
        if paper & 0x0C != 0 { facts.insert(.paperEnd) }
        return DeviceCondition(facts: facts, known: .escPos, drawerLevel: printer & 0x04 != 0 ? .high : .low)
    }
}
