package import KioskPrintModel

/// Reads a document while it is sent, for what its confirmation depends on: how many status requests it contains, and
/// how much paper it moves. Fed with the document's bytes in chunks of any size.
struct DocumentScan: Sendable {
    private(set) var requests: StatusRequestCounter
    private(set) var paper = PaperEstimate()

    init(_ language: DeviceSettings.Language?) { requests = StatusRequestCounter(language) }

    mutating func read(_ chunk: ArraySlice<UInt8>) {
        requests.read(chunk)
        paper.read(chunk)
    }
}

/// Estimates the most paper that a printer moves for the bytes that it can hold at one time: a few bytes can feed much
/// paper. Fed with a document while it is sent, in chunks of any size.
///
/// A line of text may be a single byte, and `ESC d` feeds 255 of them. Other short data that prints much (a barcode, a
/// picture that is stored in the printer) has commands around it, each of which counts as a line. Pictures that contain
/// the same bytes are estimated too long, which only makes the wait for a broken printer longer.
package struct PaperEstimate: Sendable {
    /// The longest paper in millimetres, for any consecutive bytes that fill `PrintTimeEstimate.maximumBuffer`.
    package private(set) var maximumLength = 0
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
                let end = index + min(bytes.count - index, PrintTimeEstimate.maximumBuffer - block.bytes)
                block.bytes += end - index
                unsafe read(bytes, from: index, to: end)
                index = end
                // The content of any buffer lies in two blocks of its size.
                maximumLength = max(maximumLength, lengthBefore + block.length)
                if block.bytes == PrintTimeEstimate.maximumBuffer { (lengthBefore, block) = (block.length, (0, 0)) }
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
        case .zpl?, .pjl?, nil: return
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

/// Finds the next of a range of control characters, such as those that start commands. Most of a document is text and
/// dots between them, which are skipped eight bytes at a time: documents may arrive as fast as USB is.
private struct ControlCharacterScanner {
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

/// Upper bounds for how much paper a printer still moves, and how long it may be silent meanwhile: what a slow printer
/// in working order needs, not the time that is expected. `ProgressDeadline` gives up after them, and `JobHistory`
/// counts the paper of earlier jobs by them.
package struct PrintTimeEstimate: Hashable, Sendable {
    package typealias Millimetres = Int

    /// The slowest speed, in millimetres per second.
    package var paperSpeed: Int
    /// How much paper the printer moves for the data that it holds, as far as the current document shows
    /// (`PaperEstimate`).
    package var length: Millimetres = 0
    /// How much paper it may have to move first, for earlier jobs.
    package var before: Millimetres = 0
    /// The most document data that the printer can hold.
    package var bufferBytes: Int
    /// Time for the cutter, a cold start, and the request's and the response's transfer.
    package var margin: Duration

    /// A slow impact printer prints 4 lines of 4.2 mm per second, and dark images halve a thermal printer's speed.
    package static let minimumSpeed = 15
    /// Receive buffers range from 4 KB (TM-T88) to some ten KB, and USB and the kernel hold some more.
    package static let maximumBuffer = 65_536
    /// Full lines of text: 48 characters for 4.2 mm. (Raster makes 1 mm of 576 bytes.)
    private static let bytesPerMillimetre = 11
    /// More than any roll has, so that no wait is endless.
    package static let maximumPaper: Millimetres = 100_000
    /// A hundred sheets of A4.
    static let maximumPages: Millimetres = 30_000
    /// The slowest printer takes a packet in 20 s; a little more is allowed. In bytes and milliseconds.
    private static let (packet, packetTime) = (512, 25_000)
    /// A transfer reports nothing before it has ended. Its size grows with what a printer has accepted fast, and a
    /// small buffer takes this many bytes fast before the paper's speed shows.
    private static let maximumTransfer = 8192

    package init(
        _ settings: DeviceSettings = DeviceSettings(), bufferBytes: Int = maximumBuffer, margin: Duration = .seconds(30)
    ) {
        paperSpeed = max(1, settings.paperSpeed ?? Self.minimumSpeed)
        self.bufferBytes = max(0, bufferBytes)
        self.margin = margin
    }

    /// How long a printer that has accepted this many bytes may be silent: the time to print everything that it can
    /// hold of them.
    package func maximumSilence(holding accepted: Int) -> Duration {
        .milliseconds(paper(holding: accepted) * 1000 / paperSpeed) + margin
    }

    /// The longest silence while `remaining` bytes are still to be accepted: the printer may progress within one
    /// transfer, which reports nothing until its end.
    package func maximumSilence(holding held: Int, accepted: Int, remaining: Int) -> Duration {
        let transfer = max(0, min(max(accepted, Self.packet), remaining, Self.maximumTransfer))
        let packets = (transfer + Self.packet - 1) / Self.packet
        return max(maximumSilence(holding: held), .milliseconds(packets * Self.packetTime))
    }

    /// How much paper a printer that has accepted this many bytes may still move, for earlier jobs too.
    package func paper(holding accepted: Int) -> Millimetres {
        let held = min(max(0, accepted), bufferBytes)
        let own = min(max(0, length, held / Self.bytesPerMillimetre), Self.maximumPaper)
        return min(own + min(max(0, before), Self.maximumPaper), Self.maximumPaper)
    }

    /// How much of this paper is left after a time in which the printer never stopped.
    package func remaining(of paper: Millimetres, after time: Duration) -> Millimetres {
        let seconds = Int(clamping: max(0, time.components.seconds))
        let moved = seconds.multipliedReportingOverflow(by: paperSpeed)
        return moved.overflow ? 0 : max(0, paper - moved.partialValue)
    }
}

/// How long to wait for a silent printer, so that no receipt is ever cut off: as long as its paper can take to move for
/// the data that it holds, counted from the last sign of progress. No time runs while it is stopped for a known reason.
package struct ProgressDeadline<Instant: InstantProtocol>: Sendable where Instant.Duration == Duration {
    private var estimate: PrintTimeEstimate
    private var lastProgress: Instant
    private var stoppedSince: Instant?
    private let length: Int
    private let underWay: Int
    private var accepted = 0

    /// `length` is the number of bytes to send, `underWay` how many of them the printer may have accepted before that
    /// is reported.
    package init(_ estimate: PrintTimeEstimate, start: Instant, length: Int = 0, underWay: Int = 0) {
        self.estimate = estimate
        self.length = length
        self.underWay = underWay
        lastProgress = start
    }

    /// The printer has accepted this many further bytes. Zero bytes are not progress.
    package mutating func noteAccepted(_ bytes: Int, at now: Instant) {
        guard bytes > 0 else { return }
        accepted += min(bytes, Int.max - accepted)
        lastProgress = max(lastProgress, now)
    }

    /// The data that the printer holds moves at most this much paper.
    package mutating func prints(_ length: PrintTimeEstimate.Millimetres) {
        estimate.length = max(estimate.length, length)
    }

    /// The printer has responded, or printed a part.
    package mutating func progressed(at now: Instant) { lastProgress = max(lastProgress, now) }

    package mutating func stopped(at now: Instant) { stoppedSince = stoppedSince ?? now }

    /// Restarts the wait: the data that the printer holds is still to be printed.
    package mutating func resumed(at now: Instant) {
        stoppedSince = nil
        progressed(at: now)
    }

    /// When to give up; nil while the printer is stopped.
    package var deadline: Instant? {
        guard stoppedSince == nil else { return nil }
        let remaining = max(0, length - min(accepted, length))
        return lastProgress.advanced(
            by: estimate.maximumSilence(holding: max(accepted, underWay), accepted: accepted, remaining: remaining))
    }

    /// How much paper the printer may still move for this job and earlier ones. Earlier ones no longer count once this
    /// job alone fills its buffer.
    package var maximumPaper: PrintTimeEstimate.Millimetres {
        var estimate = estimate
        if accepted >= estimate.bufferBytes { estimate.before = 0 }
        return estimate.paper(holding: accepted)
    }

    package func isOver(at now: Instant) -> Bool { deadline.map { $0 <= now } ?? false }
}
