import KioskPrintModel

/// One response of a printer that takes ZPL II on its back-channel (Zebra, "ZPL II Programming Guide").
package enum ZebraReply: Hashable, Sendable {
    /// The response to `~HS`.
    case hostStatus(ZebraHostStatus)
    /// The response to `~HQES`.
    case errors(ZebraErrors)
    /// The response to a `getvar`, without its quotation marks.
    case variable(String)
    /// Bytes that are none of these.
    case garbage(count: Int)

    var isStatus: Bool {
        switch self {
        case .hostStatus, .errors: true
        case .variable, .garbage: false
        }
    }
}

/// The commands that query a printer that takes ZPL II.
package enum ZebraCommand {
    /// `~HQES`, the errors and warnings, and `~HS`, the host status. The printer executes both on reception. It leaves
    /// `~HS` without a response while media or ribbon is out or the head is open or too hot, and then `~HQES` says
    /// which (Zebra, `~HS` and `~HQ`).
    package static let requestStatus = Array("~HQES\r\n~HS\r\n".utf8)
    /// `~HS` alone.
    package static let requestHostStatus = Array("~HS\r\n".utf8)
    /// How many labels the printer has printed in its life. Link-OS printers respond to it; others ignore it.
    package static let requestLabelCount = Array("! U1 getvar \"odometer.total_label_count\"\r\n".utf8)

    /// The number at the start of the response to it; nil where there is none.
    package static func labelCount(in response: String) -> Int? {
        Int(response.prefix { ("0"..."9").contains($0) })
    }
}

/// What a printer says in response to `~HS`.
package struct ZebraHostStatus: Hashable, Sendable {
    /// Formats in the receive buffer.
    package var waitingFormats: Int
    /// Labels of the current batch that are still to be printed.
    package var remainingLabels: Int
    /// Whether a format has begun whose end has not been received.
    package var hasPartialFormat: Bool
    package var isPaperOut: Bool
    package var isPaused: Bool
    package var isHeadOpen: Bool
    package var isRibbonOut: Bool
    package var isTooHot: Bool

    /// Whether it holds anything that is still to be printed.
    package var isWorking: Bool { waitingFormats > 0 || remainingLabels > 0 || hasPartialFormat }

    package var condition: DeviceCondition {
        var facts = DeviceCondition.Facts()
        if isPaperOut { facts.insert(.paperEnd) }
        if isPaused { facts.insert(.paused) }
        if isHeadOpen { facts.insert(.headUp) }
        if isRibbonOut { facts.insert(.ribbonOut) }
        if isTooHot { facts.insert(.overheated) }
        return DeviceCondition(
            facts: facts,
            // One that responds to this is on-line.
            known: [.paperEnd, .paused, .headUp, .ribbonOut, .overheated, .silent, .offline, .error])
    }

    /// Reads the fields of the first two of the three strings; nil where they are not what the guide says.
    fileprivate init?(_ first: [Int], _ second: [Int]) {
        guard first.count == 12, second.count == 11 else { return nil }
        (isPaperOut, isPaused, waitingFormats) = (first[1] != 0, first[2] != 0, first[4])
        (hasPartialFormat, isTooHot) = (first[7] != 0, first[11] != 0)
        (isHeadOpen, isRibbonOut, remainingLabels) = (second[2] != 0, second[3] != 0, second[8])
    }
}

/// What a printer says in response to `~HQES`: two groups of 32 bits for errors and for warnings.
package struct ZebraErrors: Hashable, Sendable {
    /// The first group of errors, of which bit 0 is the right-most hexadecimal digit's lowest.
    package var errors: UInt32
    /// The first group of warnings.
    package var warnings: UInt32

    package var condition: DeviceCondition {
        var facts = DeviceCondition.Facts()
        for (bits, fact) in Self.facts where errors & bits != 0 { facts.insert(fact) }
        if warnings & Self.paperNearEnd != 0 { facts.insert(.paperLow) }
        let known = Self.facts.reduce(into: DeviceCondition.Facts()) { $0.formUnion($1.fact) }
        return DeviceCondition(facts: facts, known: known.union([.paperLow, .silent]))
    }

    /// The bits of the first group (Zebra, `~HQ`, "Error flags").
    private static let facts: [(bits: UInt32, fact: DeviceCondition.Facts)] = [
        (0x1, .paperEnd), (0x2, .ribbonOut), (0x4, .headUp), (0x8, .cutterError), (0x10, .overheated),
        // The motor is too hot; an element of the head is broken, or the head is not recognised.
        (0x20, .overheated), (0xC0, .mechanicalError),
        // The firmware's configuration is invalid, or the head's thermistor is open.
        (0x300, .mechanicalError),
        // The paper's path is to be cleared, the feed failed, the presenter does not run; the paper is jammed.
        (0x1000, .paperJam), (0x2000, .mechanicalError), (0x4000, .mechanicalError), (0x8000, .paperJam),
        (0x10000, .markNotFound), (0x20000, .markNotFound), (0x40000, .mechanicalError), (0x80000, .paused),
    ]
    private static let paperNearEnd: UInt32 = 0x8

    /// Reads the text between STX and ETX; nil where it is no such response.
    fileprivate init?(_ text: some Collection<UInt8>) {
        var (errors, warnings): (UInt32?, UInt32?)
        for line in text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            let words = line.split(separator: UInt8(ascii: " "))
            guard words.count == 4 else { continue }
            if words[0].elementsEqual("ERRORS:".utf8) { errors = Self.group(words) }
            if words[0].elementsEqual("WARNINGS:".utf8) { warnings = Self.group(words) }
        }
        guard let errors else { return nil }
        (self.errors, self.warnings) = (errors, warnings ?? 0)
    }

    /// The last of `ERRORS: 1 00000000 00000005`, which counts where the flag before the groups is set.
    private static func group(_ words: [some Collection<UInt8>]) -> UInt32? {
        guard words[3].count == 8, let bits = UInt32(String(decoding: words[3], as: UTF8.self), radix: 16) else {
            return nil
        }
        return words[1].elementsEqual("0".utf8) ? 0 : bits
    }
}

/// Separates the responses of a ZPL printer in one stream, which is fed in chunks of any size.
///
/// Those to `~HS` and `~HQES` stand between STX and ETX, those to `getvar` between quotation marks. Whatever else comes
/// is garbage, except for line ends between them.
package struct ZebraReplyParser: Sendable {
    private enum State: Sendable {
        case idle, frame, variable
    }

    private var state = State.idle
    private var collected: [UInt8] = []
    private var garbage = 0
    /// The fields of the first string of `~HS`.
    private var firstString: [Int]?

    /// Longer than any response to these requests.
    package static let maximumLength = 512

    package init() {}

    /// Whether a response has started and not ended.
    package var isInsideReply: Bool { state != .idle }

    package mutating func feed(_ bytes: some Sequence<UInt8>) -> [ZebraReply] {
        var replies: [ZebraReply] = []
        for byte in bytes { take(byte, &replies) }
        flushGarbage(&replies)
        return replies
    }

    private mutating func take(_ byte: UInt8, _ replies: inout [ZebraReply]) {
        switch (state, byte) {
        case (_, Self.stx): begin(.frame)
        case (.idle, UInt8(ascii: "\"")): begin(.variable)
        case (.idle, 0x0A), (.idle, 0x0D): break
        case (.idle, _): garbage += 1
        case (.frame, Self.etx): endFrame(&replies)
        case (.variable, UInt8(ascii: "\"")): emit(.variable(String(decoding: collected, as: UTF8.self)), &replies)
        case (.variable, ..<0x20): discard()
        case (_, _) where collected.count == Self.maximumLength: discard()
        default: collected.append(byte)
        }
    }

    private static let stx: UInt8 = 0x02
    private static let etx: UInt8 = 0x03

    private mutating func begin(_ next: State) {
        garbage += state == .idle ? 0 : 1 + collected.count
        (state, collected) = (next, [])
    }

    private mutating func discard() {
        garbage += 2 + collected.count
        (state, collected) = (.idle, [])
    }

    private mutating func endFrame(_ replies: inout [ZebraReply]) {
        let fields = Self.fields(collected)
        if let errors = ZebraErrors(collected) {
            emit(.errors(errors), &replies)
        } else if let fields, fields.count == 12 {
            firstString = fields
            (state, collected) = (.idle, [])
        } else if let fields, let first = firstString, let status = ZebraHostStatus(first, fields) {
            firstString = nil
            emit(.hostStatus(status), &replies)
        } else if fields?.count == 2 {
            // The third string: the password and whether there is static memory.
            (state, collected) = (.idle, [])
        } else {
            discard()
        }
    }

    /// The numbers of `030,0,0,1245,000`; nil where they are none.
    private static func fields(_ bytes: [UInt8]) -> [Int]? {
        let parts = bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        var numbers: [Int] = []
        for part in parts {
            guard (1...8).contains(part.count), part.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            numbers.append(part.reduce(0) { $0 * 10 + Int($1 - 0x30) })
        }
        return numbers
    }

    private mutating func emit(_ reply: ZebraReply, _ replies: inout [ZebraReply]) {
        flushGarbage(&replies)
        replies.append(reply)
        (state, collected) = (.idle, [])
    }

    private mutating func flushGarbage(_ replies: inout [ZebraReply]) {
        if garbage > 0 { replies.append(.garbage(count: garbage)) }
        garbage = 0
    }
}
