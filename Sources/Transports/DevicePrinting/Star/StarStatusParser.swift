/// Finds Star's automatic status in a stream fed in pieces of any size.
///
/// The first header byte is `0xx0xxx1`, every other `0xx0xxx0` (Star, "Status identification method"), so a status can
/// only begin at a header, and one that is broken off is noticed. Its bits 1 to 3 and 5 count the status' bytes:
/// 0Fh is 7, 21h is 8, 23h is 9, 2Fh is 15.
///
/// Over a network, bit 7 of the second header says that two bytes of length follow, big-endian, and then as many of
/// other data. The answers to ENQ and EOT are not asked for and count as garbage: Star allows them only while automatic
/// status is off, and then they cannot be told from it.
package struct StarStatusParser: Sendable {
    private var collected: [UInt8] = []
    private var garbage = 0

    /// Star: "0x0000 ≤ length ≤ 0x0200".
    package static let longestAttachment = 0x200
    private static let shortestStatus = 7

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

    /// The bytes of a status with this first header; nil when it is no header.
    private static func length(_ header: UInt8) -> Int? {
        guard header & 0xD1 == 0x01 else { return nil }
        let length = Int((header & 0x20) >> 2 | (header & 0x0E) >> 1)
        return length >= shortestStatus ? length : nil
    }

    /// Bit 7 is fixed but in the second header.
    private static func fits(_ byte: UInt8, at position: Int) -> Bool {
        byte & (position == 1 ? 0x11 : 0x91) == 0
    }

    /// With what a network interface attaches; `Int.max` while that is not known, nil when it cannot be.
    private func wholeLength(status length: Int) -> Int? {
        guard collected.count > 1, collected[1] & 0x80 != 0 else { return length }
        guard collected.count >= length + 2 else { return .max }
        let attached = Int(collected[length]) << 8 | Int(collected[length + 1])
        return attached <= Self.longestAttachment ? length + 2 + attached : nil
    }

    private mutating func flushGarbage(_ replies: inout [Reply]) {
        if garbage > 0 { replies.append(.garbage(count: garbage)) }
        garbage = 0
    }
}
