import KioskPrintModel

/// One reply of an ESC/POS printer on its back-channel.
package enum EscPosReply: Hashable, Sendable {
    /// Sent automatically on a change once `GS a` has enabled it, or in direct response to `GS a`.
    case automaticStatus(EscPosAutomaticStatus)
    /// The response to a `DLE EOT n`. It does not say to which n.
    case realTimeStatus(UInt8)
    /// The response to a `GS r n`, or a one-byte response to `GS I n`: they look the same.
    case status(UInt8)
    /// The response to `GS ( H` function 48: everything before the id with this text is printed.
    case processID(String)
    /// The response to `DLE DC4` function 8: the printer has discarded everything that it had not printed.
    case cleared
    /// Another block, such as the text that `GS I` requests: its header, and the bytes between header and NUL.
    case block(header: UInt8, content: [UInt8])
    /// Bytes that are none of these.
    case garbage(count: Int)

    /// Whether it reports the printer's condition. Noise rarely looks like that.
    package var isStatus: Bool {
        switch self {
        case .automaticStatus, .realTimeStatus: true
        default: false
        }
    }
}

/// Separates the replies that an ESC/POS printer mixes in one stream. The stream is fed in chunks of any size.
///
/// Certain bits are fixed (Epson, TM-T88III specification, appendix G "Transmission status identification"; the
/// TM-U230's, appendix E, adds the blocks):
///
///     GS I, GS r          0xx0xxxx        XON   00010001
///     DLE EOT             0xx1xx10        XOFF  00010011
///     ASB, first byte     0xx1xx00
///     ASB, three more     0xx0xxxx
///
/// A block begins with a header that is none of these (37h for responses, 3Dh and 5Fh for the texts of `GS I`) and ends
/// with NUL; until then nothing is identified. XON and XOFF may occur anywhere, also inside a block (Epson, `DLE DC4`
/// function 8), and mean nothing on USB and TCP. Bytes that do not fit are counted as garbage, and parsing restarts
/// with the first byte that did not fit.
package struct EscPosReplyParser: Sendable {
    private var state = State.idle
    private var garbage = 0

    private enum State: Sendable {
        case idle
        case automaticStatus([UInt8])
        case block(header: UInt8, content: [UInt8])
    }

    /// The longest blocks are key code lists, of 80 bytes and a status (Epson, `GS ( C` function 5).
    package static let maximumBlockLength = 128

    package init() {}

    /// Whether a reply has started and not ended.
    package var isInsideReply: Bool {
        if case .idle = state { false } else { true }
    }

    package mutating func feed(_ bytes: some Sequence<UInt8>) -> [EscPosReply] {
        var replies: [EscPosReply] = []
        for byte in bytes where byte != Self.xon && byte != Self.xoff { take(byte, &replies) }
        flushGarbage(&replies)
        return replies
    }

    private static let xon: UInt8 = 0x11
    private static let xoff: UInt8 = 0x13

    private mutating func take(_ byte: UInt8, _ replies: inout [EscPosReply]) {
        switch state {
        case .idle: start(byte, &replies)
        case .automaticStatus(let started): continueStatus(started, byte, &replies)
        case .block(let header, let content): continueBlock(header, content, byte, &replies)
        }
    }

    private mutating func start(_ byte: UInt8, _ replies: inout [EscPosReply]) {
        switch (byte & 0x80, byte & 0x10, byte & 0x03) {
        case (0, 0, _): emit(.status(byte), &replies)
        case (0, _, 0): state = .automaticStatus([byte])
        case (0, _, 2): emit(.realTimeStatus(byte), &replies)
        case (0, _, _) where Self.headers.contains(byte): state = .block(header: byte, content: [])
        default: garbage += 1
        }
    }

    private static let headers: [UInt8] = [responseHeader, 0x3D, 0x5F]
    private static let responseHeader: UInt8 = 0x37
    // Process id (`GS ( H` function 48) and clear response (`DLE DC4` function 8).
    private static let processID: UInt8 = 0x22
    private static let cleared: UInt8 = 0x25

    private mutating func continueStatus(_ started: [UInt8], _ byte: UInt8, _ replies: inout [EscPosReply]) {
        guard byte & 0x90 == 0 else { return discard(started.count, byte, &replies) }
        guard started.count == 3 else {
            state = .automaticStatus(started + [byte])
            return
        }
        emit(.automaticStatus(EscPosAutomaticStatus(started[0], started[1], started[2], byte)), &replies)
    }

    /// A block holds text, so a control character shows that the block's end was lost; so does one byte too many where
    /// the length is known.
    private mutating func continueBlock(
        _ header: UInt8, _ content: [UInt8], _ byte: UInt8, _ replies: inout [EscPosReply]
    ) {
        if byte == 0 { return emit(Self.reply(header, content), &replies) }
        guard byte >= 0x20, content.count < Self.length(header, content.first) else {
            return discard(1 + content.count, byte, &replies)
        }
        state = .block(header: header, content: content + [byte])
    }

    private static func length(_ header: UInt8, _ identifier: UInt8?) -> Int {
        switch (header, identifier) {
        case (responseHeader, processID?): 5
        case (responseHeader, cleared?): 1
        default: maximumBlockLength
        }
    }

    private mutating func discard(_ count: Int, _ byte: UInt8, _ replies: inout [EscPosReply]) {
        garbage += count
        state = .idle
        start(byte, &replies)
    }

    private mutating func emit(_ reply: EscPosReply, _ replies: inout [EscPosReply]) {
        flushGarbage(&replies)
        replies.append(reply)
        state = .idle
    }

    private mutating func flushGarbage(_ replies: inout [EscPosReply]) {
        if garbage > 0 { replies.append(.garbage(count: garbage)) }
        garbage = 0
    }

    private static func reply(_ header: UInt8, _ content: [UInt8]) -> EscPosReply {
        switch (header, content.first) {
        case (responseHeader, cleared?): .cleared
        case (responseHeader, processID?) where content.count == 5 && content.allSatisfy { $0 < 0x7F }:
            .processID(String(decoding: content.dropFirst(), as: UTF8.self))
        default: .block(header: header, content: content)
        }
    }
}

/// The four bytes of the ESC/POS automatic status back (ASB).
///
/// The bits follow Epson's `GS a` (TM-T88IV, TM-U220 and others): the first two bytes describe the printer, the third
/// the paper; the fourth is reserved on roll printers.
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

    /// The conditions that these bytes report.
    package var condition: DeviceCondition {
        var facts = DeviceCondition.Facts()
        if printer & 0x08 != 0 { facts.insert(.offline) }
        if printer & 0x20 != 0 { facts.insert(.coverOpen) }
        if printer & 0x40 != 0 { facts.insert(.feedingByButton) }
        if errors & 0x01 != 0 { facts.insert(.waitsForOnline) }
        if errors & 0x08 != 0 { facts.insert(.cutterError) }
        if errors & 0x20 != 0 { facts.insert(.unrecoverableError) }
        if errors & 0x40 != 0 { facts.insert(.recoversAutomatically) }
        // Two bits for one sensor each; clones set only one of them.
        if paper & 0x03 != 0 { facts.insert(.paperLow) }
        if paper & 0x0C != 0 { facts.insert(.paperEnd) }
        return DeviceCondition(facts: facts, known: .escPos, drawerLevel: printer & 0x04 != 0 ? .high : .low)
    }
}

/// The subject n of a real-time status request, `DLE EOT n`.
///
/// More values exist (5 and 6 for slips, 7 for ink, 8 and 18 with another parameter, on a few models); roll printers
/// respond to these four (Epson, `DLE EOT`).
package enum EscPosRealTimeRequest: UInt8, Hashable, Sendable, CaseIterable {
    case printer = 1
    case offlineCause = 2
    case errorCause = 3
    case paper = 4

    package var command: [UInt8] { [0x10, 0x04, rawValue] }

    /// The conditions that a response reports; nil for any other byte.
    package func condition(_ response: UInt8) -> DeviceCondition? {
        guard response & 0x93 == 0x12 else { return nil }
        var facts = DeviceCondition.Facts()
        func note(_ bits: UInt8, _ fact: DeviceCondition.Facts) {
            if response & bits != 0 { facts.insert(fact) }
        }
        switch self {
        case .printer:
            note(0x08, .offline)
            note(0x20, .waitsForOnline)
            return DeviceCondition(
                facts: facts, known: [.offline, .waitsForOnline], drawerLevel: response & 0x04 != 0 ? .high : .low)
        case .offlineCause:
            note(0x04, .coverOpen)
            note(0x08, .feedingByButton)
            note(0x20, .paperEnd)
            note(0x40, .error)
            // Bit 5 reports that printing stopped at the end of the paper; only the sensor reports that there is paper.
            return DeviceCondition(facts: facts, known: facts.union([.coverOpen, .feedingByButton, .error]))
        case .errorCause:
            note(0x04, .error)
            note(0x08, .cutterError)
            note(0x20, .unrecoverableError)
            note(0x40, .recoversAutomatically)
            return DeviceCondition(
                facts: facts, known: facts.union([.cutterError, .unrecoverableError, .recoversAutomatically]))
        case .paper:
            note(0x0C, .paperLow)
            note(0x60, .paperEnd)
            return DeviceCondition(facts: facts, known: [.paperLow, .paperEnd])
        }
    }
}

/// The subject n of `GS I n`, "transmit printer ID" (Epson).
package enum EscPosIDRequest: UInt8, Hashable, Sendable, CaseIterable {
    case maker = 66
    case model = 67
    case serialNumber = 68

    var command: [UInt8] { [0x1D, 0x49, rawValue] }

    /// The text of a response; nil for any other reply, and for a text that tells nothing: an empty one, one of a single
    /// character again and again (`0000000000`), one that is not printable ASCII.
    static func text(of reply: EscPosReply) -> String? {
        guard case .block(header: 0x5F, let content) = reply, content.allSatisfy({ (0x20...0x7E).contains($0) }),
            Set(content).subtracting([0x20]).count > 1
        else { return nil }
        return String(decoding: content, as: UTF8.self).split(separator: " ").joined(separator: " ")
    }
}
