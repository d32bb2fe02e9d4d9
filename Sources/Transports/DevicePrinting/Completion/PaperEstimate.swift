import PrintModel

/// Estimates the most paper that a printer moves for the bytes that it can hold at one time: a few bytes can feed much
/// paper. Fed with a document while it is sent, in chunks of any size.
///
/// A line of text may be a single byte, and `ESC d` feeds 255 of them. Other short data that prints much (a barcode, a
/// picture that is stored in the printer) has commands around it, each of which counts as a line. Pictures that contain
/// the same bytes are estimated too long, which only makes the wait for a broken printer longer.
package struct PaperEstimate: Sendable {
    /// The longest paper in millimetres, for any consecutive bytes that fill `PrintTimeEstimate.largestBuffer`.
    package private(set) var longest = 0
    private var block = (bytes: 0, length: 0)
    private var lengthBefore = 0
    private var command = Command.none

    private enum Command {
        case none, escape
        /// The parameter follows.
        case lines, units
    }

    /// The height in millimetres, at six lines per inch.
    private static let line = 5

    package init() {}

    package mutating func read(_ bytes: ArraySlice<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            var index = 0
            while index < bytes.count {
                let end = index + min(bytes.count - index, PrintTimeEstimate.largestBuffer - block.bytes)
                block.bytes += end - index
                unsafe read(bytes, from: index, to: end)
                index = end
                // The content of any buffer lies in two blocks of its size.
                longest = max(longest, lengthBefore + block.length)
                if block.bytes == PrintTimeEstimate.largestBuffer { (lengthBefore, block) = (block.length, (0, 0)) }
            }
        }
    }

    private mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) {
        let controls = ControlCharacterScanner(0x0A...0x1D)
        var index = start
        while true {
            // Text and dots alone move no paper.
            if command == .none { index = unsafe controls.next(in: bytes, from: index, to: end) }
            guard index < end else { return }
            unsafe count(bytes[index])
            index += 1
        }
    }

    private mutating func count(_ byte: UInt8) {
        switch (command, byte) {
        case (.lines, _): feed(Int(byte) * Self.line)
        // At most a 144th of an inch.
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

/// Finds the next of a range of control characters, such as those that start commands. Most of a document is text and
/// dots between them, which are skipped eight bytes at a time: documents may arrive as fast as USB is.
struct ControlCharacterScanner {
    private let first: UInt8
    private let last: UInt8

    /// The range must be ASCII.
    init(_ range: ClosedRange<UInt8>) { (first, last) = (min(range.lowerBound, 0x7E), min(range.upperBound, 0x7E)) }

    /// The index of the next one from `start` on, or `end`.
    func next(in bytes: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) -> Int {
        let wordSize = MemoryLayout<UInt64>.size
        // The top bit of each byte says whether it is at least the first, and whether it is above the last. Sums of
        // seven bits never carry into the next byte.
        let (toFirst, toLast) = (Self.everywhere(0x80 - first), Self.everywhere(0x7F - last))
        var index = start
        while end - index >= wordSize {
            let word = unsafe UInt64(
                littleEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let low = word & Self.everywhere(0x7F)
            let marks = (low &+ toFirst) & ~(low &+ toLast) & ~word & Self.everywhere(0x80)
            if marks != 0 { return index + marks.trailingZeroBitCount / 8 }
            index += wordSize
        }
        while index < end, unsafe bytes[index] < first || bytes[index] > last { index += 1 }
        return index
    }

    private static func everywhere(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }
}
