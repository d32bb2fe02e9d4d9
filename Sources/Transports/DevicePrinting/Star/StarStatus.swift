import PrintModel

/// Star's automatic status (ASB): two header bytes, then five to thirteen of status.
///
/// Bits as in Star's "Line Thermal Printer, STAR Line Mode Command Specifications", appendix 5 "ASB status" (TSP600,
/// TSP700, TSP800, TUP900, TSP650) and "Dot Impact Printer, STAR Command Specifications" §5-1. What a model does not
/// have is fixed at 0. Bits 0, 4 and 7 of every status byte are 0.
package struct StarStatus: Hashable, Sendable {
    /// From the first header byte on; as many as that byte says, and so at least seven.
    package let bytes: [UInt8]
    /// What a network interface sends behind it (§5-1-4 "when using Ethernet and wireless LAN interfaces").
    package let attached: [UInt8]

    init(bytes: [UInt8], attached: [UInt8] = []) {
        self.bytes = bytes
        self.attached = attached
    }

    /// Status byte 1 to 7 as Star counts them, behind the headers; 0 where the printer sends fewer.
    private func status(_ number: Int) -> UInt8 { number + 1 < bytes.count ? bytes[number + 1] : 0 }

    package var condition: DeviceCondition {
        var facts = DeviceCondition.Facts()
        func note(_ number: Int, _ bits: UInt8, _ fact: DeviceCondition.Facts) {
            if status(number) & bits != 0 { facts.insert(fact) }
        }
        note(1, 0x48, .offline)
        note(1, 0x20, .coverOpen)
        note(2, 0x40, .overheated)
        note(2, 0x20, .unrecoverableError)
        note(2, 0x08, .cutterError)
        note(2, 0x04, .mechanicalError)
        note(3, 0x40, .overflow)
        note(3, 0x08, .markNotFound)
        note(3, 0x04, .paperJam)
        note(3, 0x02, .headUp)
        note(4, 0x08, .paperEnd)
        note(4, 0x06, .paperLow)
        // "Compulsion switch": 1 is closed. Star leaves to the drawer which of the two means an open drawer.
        return DeviceCondition(facts: facts, known: Self.known, drawerLevel: status(1) & 0x04 != 0 ? .high : .low)
    }

    private static let known: DeviceCondition.Facts = [
        .offline, .coverOpen, .overheated, .unrecoverableError, .cutterError, .mechanicalError, .overflow,
        .markNotFound,
        .paperJam, .headUp, .paperEnd, .paperLow,
    ]

    /// Whether an ETB has been carried out since the printer last said so.
    package var isETBExecuted: Bool { status(1) & 0x02 != 0 }

    /// How many ETBs have been carried out, modulo 32; nil on printers that do not count (they send seven bytes).
    package var etbCount: UInt8? {
        guard bytes.count >= 8 else { return nil }
        return (status(6) & 0x60) >> 2 | (status(6) & 0x0E) >> 1
    }
    package static let etbCounts: UInt8 = 32
}
