import KioskPrintModel

/// Star's automatic status (ASB): two header bytes, then five to thirteen status bytes.
///
/// The bits follow Star's "Line Thermal Printer, STAR Line Mode Command Specifications", appendix 5 "ASB status"
/// (TSP600, TSP700, TSP800, TUP900, TSP650) and "Dot Impact Printer, STAR Command Specifications" §5-1. Bits of
/// features that a model does not have are 0. Bits 0, 4 and 7 of every status byte are 0.
package struct StarStatus: Hashable, Sendable {
    /// The status from the first header byte on: as many bytes as that byte says, and so at least seven.
    package let bytes: [UInt8]
    /// The bytes that a network interface sends behind it (§5-1-4 "when using Ethernet and wireless LAN interfaces").
    package let attached: [UInt8]

    init(bytes: [UInt8], attached: [UInt8] = []) {
        self.bytes = bytes
        self.attached = attached
    }

    /// Status byte 1 to 7 in Star's numbering, behind the headers; 0 where the printer sends fewer.
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
        // "Compulsion switch": 1 is closed. Which of the two means an open drawer depends on the drawer.
        return DeviceCondition(facts: facts, known: Self.known, drawerLevel: status(1) & 0x04 != 0 ? .high : .low)
    }

    private static let known: DeviceCondition.Facts = [
        .offline, .coverOpen, .overheated, .unrecoverableError, .cutterError, .mechanicalError, .overflow,
        .markNotFound, .paperJam, .headUp, .paperEnd, .paperLow,
    ]

    /// Whether the printer has executed an ETB since its last report of one.
    package var isETBExecuted: Bool { status(1) & 0x02 != 0 }

    /// How many ETBs the printer has executed, modulo 32; nil on printers that do not count (they send seven bytes).
    package var etbCount: UInt8? {
        guard bytes.count >= 8 else { return nil }
        return (status(6) & 0x60) >> 2 | (status(6) & 0x0E) >> 1
    }
    /// The modulus of `etbCount`.
    package static let etbCounts: UInt8 = 32
}

/// Finds Star's automatic status in a stream that is fed in chunks of any size.
///
/// The first header byte is `0xx0xxx1`, every other `0xx0xxx0` (Star, "Status identification method"), so a status can
/// only start at a header, and a truncated one is noticed. Bits 1 to 3 and 5 of the header hold the number of bytes:
/// 0Fh is 7, 21h is 8, 23h is 9, 2Fh is 15.
///
/// Over a network, bit 7 of the second header says that a big-endian two-byte length follows the status, and then that
/// many bytes of other data. Responses to ENQ and EOT are never requested and count as garbage: Star allows them only
/// while automatic status is off, and they look the same as automatic status.
package struct StarStatusParser: Sendable {
    private var collected: [UInt8] = []
    private var garbage = 0

    /// Star: "0x0000 ≤ length ≤ 0x0200".
    package static let maximumAttachmentLength = 0x200
    private static let minimumStatusLength = 7

    package enum Reply: Hashable, Sendable {
        case status(StarStatus)
        case garbage(count: Int)
    }

    package init() {}

    package var isInsideReply: Bool { !collected.isEmpty }

    package mutating func feed(_ bytes: some Sequence<UInt8>) -> [Reply] {
        var replies: [Reply] = []
        for byte in bytes { take(byte, &replies) }
        flushGarbage(&replies)
        return replies
    }

    private mutating func take(_ byte: UInt8, _ replies: inout [Reply]) {
        guard let header = collected.first else { return begin(byte) }
        guard let length = Self.length(header) else { return begin(byte) }
        let position = collected.count
        // XON and XOFF mean nothing on USB and TCP.
        if position < length, byte == 0x11 || byte == 0x13 { return }
        if position < length, !Self.fits(byte, at: position) {
            garbage += collected.count
            collected = []
            return begin(byte)
        }
        collected.append(byte)
        guard let whole = wholeLength(status: length) else {
            garbage += collected.count
            collected = []
            return
        }
        guard collected.count == whole else { return }
        flushGarbage(&replies)
        replies.append(
            .status(
                StarStatus(bytes: Array(collected.prefix(length)), attached: Array(collected.dropFirst(length + 2)))))
        collected = []
    }

    private mutating func begin(_ byte: UInt8) {
        guard Self.length(byte) != nil else {
            garbage += 1
            return
        }
        collected = [byte]
    }

    /// The length of a status with this first header byte; nil for any other byte.
    private static func length(_ header: UInt8) -> Int? {
        guard header & 0xD1 == 0x01 else { return nil }
        let length = Int((header & 0x20) >> 2 | (header & 0x0E) >> 1)
        return length >= minimumStatusLength ? length : nil
    }

    /// Bit 7 is fixed except in the second header.
    private static func fits(_ byte: UInt8, at position: Int) -> Bool {
        byte & (position == 1 ? 0x11 : 0x91) == 0
    }

    /// The length including what a network interface attaches; `Int.max` while it is unknown, nil where it is invalid.
    private func wholeLength(status length: Int) -> Int? {
        guard collected.count > 1, collected[1] & 0x80 != 0 else { return length }
        guard collected.count >= length + 2 else { return .max }
        let attached = Int(collected[length]) << 8 | Int(collected[length + 1])
        return attached <= Self.maximumAttachmentLength ? length + 2 + attached : nil
    }

    private mutating func flushGarbage(_ replies: inout [Reply]) {
        if garbage > 0 { replies.append(.garbage(count: garbage)) }
        garbage = 0
    }
}
