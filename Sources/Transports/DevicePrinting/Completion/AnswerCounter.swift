package import PrintModel

/// Counts how many answers a document provokes that look like the answer to our own question at its end: at most, since
/// pictures may hold the same bytes without asking anything. Fed with the document's bytes in pieces of any size.
///
/// In ESC/POS these are the one-byte answers to `GS r` and `GS I`, and to the obsolete `ESC u` and `ESC v`; in STAR
/// line mode every `ETB` outside raster data, in which it would be too frequent to be told.
package struct AnswerCounter: Sendable {
    package private(set) var count = 0
    private let language: DeviceSettings.Language?
    private var last: (UInt8, UInt8) = (0, 0)
    private var raster = StarRaster()

    package init(_ language: DeviceSettings.Language?) { self.language = language }

    package mutating func read(_ bytes: ArraySlice<UInt8>) {
        switch language {
        case .escPOS?: readEscPos(bytes)
        case .starLine?: readStar(bytes)
        case nil: return
        }
    }

    private static let etb: UInt8 = 0x17

    private mutating func readStar(_ bytes: ArraySlice<UInt8>) {
        let marks = ControlBytes(Self.etb...0x1B)
        unsafe bytes.withUnsafeBufferPointer { bytes in
            var index = raster.skip(bytes.count)
            while index < bytes.count {
                // Outside, only ETB and ESC count.
                if raster.isOutside { index = unsafe marks.next(in: bytes, from: index, to: bytes.count) }
                guard index < bytes.count else { return }
                let byte = unsafe bytes[index]
                if !raster.isData(byte), byte == Self.etb { count += 1 }
                index += 1
                index += raster.skip(bytes.count - index)
            }
        }
    }

    private mutating func readEscPos(_ bytes: ArraySlice<UInt8>) {
        let introductions = ControlBytes(0x1B...0x1D)
        unsafe bytes.withUnsafeBufferPointer { bytes in
            var (before, previous, found) = (last.0, last.1, 0)
            var index = 0
            while true {
                if !Self.isIntroduction(previous), !Self.isIntroduction(before) {
                    index = unsafe introductions.next(in: bytes, from: index, to: bytes.count)
                }
                guard index < bytes.count else { break }
                let byte = unsafe bytes[index]
                if Self.isQuestion(before, previous, byte) { found += 1 }
                (before, previous) = (previous, byte)
                index += 1
            }
            last = (before, previous)
            count += found
        }
    }

    /// ESC or GS.
    private static func isIntroduction(_ byte: UInt8) -> Bool { byte == 0x1B || byte == 0x1D }

    private static func isQuestion(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Bool {
        switch (first, second, third) {
        case (0x1D, 0x72, 1...4), (0x1D, 0x72, 0x31...0x34), (0x1D, 0x49, 1...4), (0x1D, 0x49, 0x31...0x34): true
        case (0x1B, 0x75, 0), (0x1B, 0x75, 0x30), (_, 0x1B, 0x76): true
        default: false
        }
    }
}

/// Knows raster data from commands in STAR line mode (Star, "STAR Line Mode Command Specifications", "Raster
/// graphics"). It follows `b n1 n2` and `k n1 n2` with their n1 + 256 × n2 bytes, from `ESC * r A` on; whatever it does
/// not know counts as commands.
private struct StarRaster: Sendable {
    private enum State {
        /// How much of `ESC * r A` has come.
        case outside(matched: Int)
        case between, low, high(Int), data(Int)
        case escape, command(Int)
    }
    private var state = State.outside(matched: 0)
    private static let begin: [UInt8] = [0x1B, 0x2A, 0x72, 0x41]

    /// Whether nothing has begun.
    var isOutside: Bool { if case .outside(matched: 0) = state { true } else { false } }

    /// How many of so many bytes are data and no header.
    mutating func skip(_ available: Int) -> Int {
        guard case .data(let left) = state else { return 0 }
        let count = min(left, available)
        state = left > count ? .data(left - count) : .between
        return count
    }

    mutating func isData(_ byte: UInt8) -> Bool {
        switch state {
        case .outside(let matched):
            let isNext = byte == Self.begin[matched]
            let now = isNext ? matched + 1 : byte == Self.begin[0] ? 1 : 0
            state = now == Self.begin.count ? .between : .outside(matched: now)
            return false
        case .between:
            switch byte {
            case UInt8(ascii: "b"), UInt8(ascii: "k"): state = .low
            case 0x1B: state = .escape
            default: state = .outside(matched: 0)
            }
            return false
        case .low: state = .high(Int(byte))
        case .high(let low):
            let length = low | Int(byte) << 8
            state = length > 0 ? .data(length) : .between
        case .data(let left): state = left > 1 ? .data(left - 1) : .between
        case .escape:
            // `ESC * r …`, and `ESC FF n`.
            state = byte == 0x2A ? .command(0) : byte == 0x0C ? .command(3) : .outside(matched: 0)
            return false
        case .command(let position): return isCommandData(byte, position)
        }
        return true
    }

    /// Behind `ESC *`: `r`, a letter, and its parameter in digits up to a NUL; `A` and `B` have none.
    private mutating func isCommandData(_ byte: UInt8, _ position: Int) -> Bool {
        switch (position, byte) {
        case (0, UInt8(ascii: "r")): state = .command(1)
        case (1, UInt8(ascii: "A")), (1, UInt8(ascii: "C")): state = .between
        case (1, UInt8(ascii: "B")): state = .outside(matched: 0)
        case (1, UInt8(ascii: "D")...UInt8(ascii: "z")): state = .command(2)
        case (2, UInt8(ascii: "0")...UInt8(ascii: "9")): break
        case (2, 0), (3, _): state = .between
        default: state = .outside(matched: 0)
        }
        return false
    }
}
