import PrintModel

/// How much paper the bytes move that a printer may hold at one time, at most: what a few bytes can make it feed. Fed
/// with a document on its way, in pieces of any size.
///
/// A line of text may be a single byte, and `ESC d` feeds 255 of them. What else is short and prints much (a barcode, a
/// picture that is stored in the printer) comes with commands around it, each of which counts as a line. Pictures that
/// hold the same bytes are estimated too long, which only makes the wait for a broken printer longer.
package struct PaperEstimate: Sendable {
    /// In millimetres, of any bytes next to each other that fill `PrintPace.largestBuffer`.
    package private(set) var longest = 0
    private var block = (bytes: 0, length: 0)
    private var lengthBefore = 0
    private var command = Command.none

    private enum Command {
        case none, escape
        /// Its parameter comes next.
        case lines, units
    }

    /// Six lines to the inch.
    private static let line = 5

    package init() {}

    package mutating func read(_ bytes: ArraySlice<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            var index = 0
            while index < bytes.count {
                let end = index + min(bytes.count - index, PrintPace.largestBuffer - block.bytes)
                block.bytes += end - index
                unsafe read(bytes, from: index, to: end)
                index = end
                // Whatever a buffer holds lies in two blocks of its size.
                longest = max(longest, lengthBefore + block.length)
                if block.bytes == PrintPace.largestBuffer { (lengthBefore, block) = (block.length, (0, 0)) }
            }
        }
    }

    private mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) {
        let controls = ControlBytes(0x0A...0x1D)
        var index = start
        while true {
            // Text and dots move nothing by themselves.
            if command == .none { index = unsafe controls.next(in: bytes, from: index, to: end) }
            guard index < end else { return }
            unsafe count(bytes[index])
            index += 1
        }
    }

    private mutating func count(_ byte: UInt8) {
        switch (command, byte) {
        case (.lines, _): feed(Int(byte) * Self.line)
        // A 144th of an inch at most.
        case (.units, _): feed(Int(byte) / 5)
        case (.escape, UInt8(ascii: "d")), (.escape, UInt8(ascii: "a")): command = .lines
        case (.escape, UInt8(ascii: "J")): command = .units
        case (_, 0x1B):
            feed(Self.line)
            command = .escape
        case (_, 0x0A), (_, 0x0C), (_, 0x1C), (_, 0x1D): feed(Self.line)
        default: command = .none
        }
    }

    private mutating func feed(_ length: Int) {
        block.length += length
        command = .none
    }
}
