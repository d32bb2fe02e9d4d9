package import PrintModel

/// Counts the status requests in a document whose responses look like the response to the request behind it. The count
/// is an upper bound, since pictures may contain the same bytes without being requests. Fed with the document's bytes
/// in chunks of any size.
///
/// In ESC/POS these are `GS r` and `GS I` with one-byte responses, and the obsolete `ESC u` and `ESC v`; in STAR line
/// mode every `ETB` outside raster data, in which that byte would be too frequent.
package struct StatusRequestCounter: Sendable {
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
        let marks = ControlCharacterScanner(Self.etb...0x1B)
        unsafe bytes.withUnsafeBufferPointer { bytes in
            var index = raster.skip(bytes.count)
            while index < bytes.count {
                // Outside raster data, only ETB and ESC matter.
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
        let commandStarts = ControlCharacterScanner(0x1B...0x1D)
        unsafe bytes.withUnsafeBufferPointer { bytes in
            var (before, previous, found) = (last.0, last.1, 0)
            var index = 0
            while true {
                if !Self.isCommandStart(previous), !Self.isCommandStart(before) {
                    index = unsafe commandStarts.next(in: bytes, from: index, to: bytes.count)
                }
                guard index < bytes.count else { break }
                let byte = unsafe bytes[index]
                if Self.isRequest(before, previous, byte) { found += 1 }
                (before, previous) = (previous, byte)
                index += 1
            }
            last = (before, previous)
            count += found
        }
    }

    /// ESC or GS.
    private static func isCommandStart(_ byte: UInt8) -> Bool { byte == 0x1B || byte == 0x1D }

    private static func isRequest(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Bool {
        switch (first, second, third) {
        case (0x1D, 0x72, 1...4), (0x1D, 0x72, 0x31...0x34), (0x1D, 0x49, 1...4), (0x1D, 0x49, 0x31...0x34): true
        case (0x1B, 0x75, 0), (0x1B, 0x75, 0x30), (_, 0x1B, 0x76): true
        default: false
        }
    }
}

/// Distinguishes raster data from commands in STAR line mode (Star, "STAR Line Mode Command Specifications", "Raster
/// graphics"). From `ESC * r A` on, it follows `b n1 n2` and `k n1 n2` with their n1 + 256 × n2 bytes; unknown bytes
/// count as commands.
private struct StarRaster: Sendable {
    private enum State {
        /// How much of `ESC * r A` has arrived.
        case outside(matched: Int)
        case between, low, high(Int), data(Int)
        case escape, command(Int)
    }
    private var state = State.outside(matched: 0)
    private static let begin: [UInt8] = [0x1B, 0x2A, 0x72, 0x41]

    /// Whether no command has started.
    var isOutside: Bool { if case .outside(matched: 0) = state { true } else { false } }

    /// How many of the available bytes are data and not a header.
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

    /// Follows `ESC *`: `r`, a letter, and its parameter in digits up to a NUL; `A` and `B` have none.
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
