/// A simulated printer as its host sees it: takes bytes, prints, and answers. Does no I/O.
protocol RawPrinter: Sendable {
    /// All that it has printed, in order.
    var paper: [UInt8] { get }
    /// The bytes that it discarded unprinted.
    var lost: Int { get }
    /// Whether it has room for more.
    var hasRoom: Bool { get }
    /// Whether `printNext` will print something; false for one that prints what it receives at once.
    var isPrinting: Bool { get }

    mutating func receive(_ bytes: some Sequence<UInt8>)
    /// Prints the next label or page that it holds.
    mutating func printNext()
    /// Takes what it has to say.
    mutating func takeAnswers() -> [UInt8]
    mutating func change(_ condition: RawPrinterCondition, to isOn: Bool)
    /// Loses what it holds, as without power.
    mutating func losePower()
    /// A new host begins: what the former one wanted to be told goes with it.
    mutating func newHost()
}

/// A receipt printer as its host sees it: takes bytes, prints them unless it is stopped, and answers. ESC/POS as in
/// Epson's "ESC/POS Command Reference", or Star Line Mode as in Star's "STAR Line Mode Command Specifications". No I/O.
struct RawPrinterModel: RawPrinter {
    let language: RawPrinterLanguage
    /// How many bytes it holds while it does not print.
    let capacity: Int
    let names: RawPrinterNames
    /// Whether it knows `GS ( H`.
    let confirmsByID: Bool

    private(set) var conditions: Set<RawPrinterCondition> = []
    private(set) var paper: [UInt8] = []
    private(set) var lost = 0
    private var buffer: [UInt8] = []
    private var answers: [UInt8] = []
    private var automaticStatus: UInt8 = 0
    private var (etbCount, isETBDone) = (UInt8(0), false)
    /// The last bytes that were received: real-time commands are recognised wherever they stand.
    private var recent: [UInt8] = []
    // The command that is being read.
    private var head: [UInt8] = []
    private var (skipped, skipsToNull, isInRasterMode) = (0, false, false)

    private static let maximumHead = 64
    private static let commandStarts: [UInt8] = [0x10, 0x17, 0x18, 0x1B, 0x1C, 0x1D]
    /// `DLE DC4` function 8: a fixed sequence, so that print data rarely looks like it.
    private static let clearBuffers: [UInt8] = [0x10, 0x14, 0x08, 0x01, 0x03, 0x14, 0x01, 0x06, 0x02, 0x08]

    init(_ language: RawPrinterLanguage, capacity: Int, names: RawPrinterNames, confirmsByID: Bool) {
        (self.language, self.capacity, self.names, self.confirmsByID) = (language, capacity, names, confirmsByID)
    }

    var hasRoom: Bool { buffer.count < capacity }
    private var isStopped: Bool { !conditions.isEmpty && conditions != [.paperLow] }
    var isPrinting: Bool { false }

    mutating func printNext() {}

    mutating func receive(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            buffer.append(byte)
            recent.append(byte)
            if recent.count > 16 * Self.clearBuffers.count { recent.removeFirst(15 * Self.clearBuffers.count) }
            // The last bytes of what is recognised in real time.
            if (1...8).contains(byte) { receiveInRealTime(byte) }
        }
        print()
    }

    mutating func takeAnswers() -> [UInt8] {
        defer { answers = [] }
        return answers
    }

    mutating func change(_ condition: RawPrinterCondition, to isOn: Bool) {
        if isOn { conditions.insert(condition) } else { conditions.remove(condition) }
        reportChange()
        print()
    }

    mutating func losePower() {
        discard()
        (answers, automaticStatus, etbCount, isETBDone) = ([], 0, 0, false)
    }

    mutating func newHost() { (answers, automaticStatus) = ([], 0) }

    private mutating func discard() {
        lost += buffer.count
        (buffer, head, recent, skipped, skipsToNull, isInRasterMode) = ([], [], [], 0, false, false)
    }

    private mutating func print() {
        guard !isStopped, !buffer.isEmpty else { return }
        for byte in buffer { process(byte) }
        paper += buffer
        buffer = []
    }

    // MARK: Commands

    private mutating func process(_ byte: UInt8) {
        if skipped > 0 {
            skipped -= 1
        } else if skipsToNull {
            skipsToNull = byte != 0
        } else if head.isEmpty, !isInRasterMode, !Self.commandStarts.contains(byte) {
            return
        } else {
            head.append(byte)
            let length =
                language == .star ? CommandLength.star(head, inRasterMode: isInRasterMode) : CommandLength.escPOS(head)
            switch length {
            case .unknown where head.count < Self.maximumHead: return
            case .unknown: break
            case .untilNull: skipsToNull = true
            case .bytes(let count) where count > head.count && count <= Self.maximumHead: return
            case .bytes(let count) where count > head.count: skipped = count - head.count
            case .bytes: if language == .star { executeStar(head) } else { executeEscPOS(head) }
            }
            head = []
        }
    }

    private mutating func receiveInRealTime(_ byte: UInt8) {
        switch language {
        case .escPOS:
            if recent.count >= 3, recent.suffix(3).starts(with: [0x10, 0x04]), (1...4).contains(byte) {
                answers.append(realTimeStatus(byte))
            } else if recent.suffix(Self.clearBuffers.count).elementsEqual(Self.clearBuffers) {
                discard()
                answers += [0x37, 0x25, 0x00]
            }
        case .star: if recent.suffix(3).elementsEqual([0x1B, 0x06, 0x01]) { answers += starStatus() }
        case .none, .zpl, .pjl: break
        }
    }

    private mutating func executeEscPOS(_ command: [UInt8]) {
        switch (command[0], command.dropFirst().first) {
        case (0x1B, UInt8(ascii: "@")?): automaticStatus = 0
        case (0x1D, UInt8(ascii: "a")?):
            automaticStatus = command[2]
            if command[2] != 0 { answers += automaticReport() }
        case (0x1D, UInt8(ascii: "r")?):
            guard [1, 2, 49, 50].contains(command[2]) else { return }
            answers.append(command[2] & 0x0F == 2 ? 0 : paperBits(low: 0x03, end: 0x0C))
        case (0x1D, UInt8(ascii: "(")?):
            // GS ( H pL pH fn m d1-d4, function 48.
            guard confirmsByID, command.count == 11, command.starts(with: [0x1D, 0x28, 0x48, 6, 0, 48, 48]) else {
                return
            }
            answers += [0x37, 0x22] + command[7...] + [0]
        case (0x1D, UInt8(ascii: "I")?):
            let name: String? = [66: names.maker, 67: names.model, 68: names.serial][command[2]] ?? nil
            if let name { answers += [0x5F] + name.utf8 + [0] }
        default: break
        }
    }

    private mutating func executeStar(_ command: [UInt8]) {
        switch command[0] {
        case 0x17:
            (etbCount, isETBDone) = ((etbCount + 1) & 0x1F, true)
            if automaticStatus != 0 { answers += starStatus() }
        case 0x18: (etbCount, isETBDone) = (0, false)
        case 0x1B where command.count == 4 && command[1] == UInt8(ascii: "*"):
            isInRasterMode = command[3] == UInt8(ascii: "A") || isInRasterMode && command[3] != UInt8(ascii: "B")
        case 0x1B where command.count == 4 && command[1] == 0x1E:
            if command[2] == UInt8(ascii: "E") { (etbCount, isETBDone) = (0, false) }
            guard command[2] == UInt8(ascii: "a") else { return }
            automaticStatus = command[3] & 1
            if automaticStatus != 0 { answers += starStatus() }
        default: break
        }
    }

    // MARK: Status

    private func bit(_ condition: RawPrinterCondition, _ mask: UInt8) -> UInt8 {
        conditions.contains(condition) ? mask : 0
    }

    private var offlineBit: UInt8 { isStopped ? 0x08 : 0 }

    private func paperBits(low: UInt8, end: UInt8) -> UInt8 { bit(.paperLow, low) | bit(.paperOut, end) }

    /// The answer to `DLE EOT n`.
    private func realTimeStatus(_ number: UInt8) -> UInt8 {
        let fixed: UInt8 = 0x12
        switch number {
        case 1: return fixed | offlineBit
        case 2: return fixed | bit(.coverOpen, 0x04) | bit(.paperOut, 0x20) | bit(.jam, 0x40)
        case 3: return fixed | bit(.jam, 0x08)
        default: return fixed | paperBits(low: 0x0C, end: 0x60)
        }
    }

    /// The four bytes of Epson's automatic status (`GS a`).
    private func automaticReport() -> [UInt8] {
        [
            0x10 | offlineBit | bit(.coverOpen, 0x20), bit(.jam, 0x08), paperBits(low: 0x03, end: 0x0C), 0,
        ]
    }

    /// A Star printer's response at its status port, which tells no event.
    var statusOfPort: [UInt8]? {
        guard language == .star else { return nil }
        var copy = self
        copy.isETBDone = false
        return copy.starStatus()
    }

    /// The nine bytes of Star's automatic status; its event bit is told once.
    private mutating func starStatus() -> [UInt8] {
        defer { isETBDone = false }
        return [
            0x01 | Self.spread(9), Self.spread(3),
            bit(.coverOpen, 0x20) | offlineBit | (isETBDone ? 0x02 : 0), bit(.jam, 0x08), 0,
            bit(.paperOut, 0x08) | bit(.paperLow, 0x04), 0, Self.spread(etbCount), 0,
        ]
    }

    /// Five bits, over a byte whose bits 0, 4 and 7 are fixed.
    private static func spread(_ value: UInt8) -> UInt8 { (value & 0x07) << 1 | (value & 0x18) << 2 }

    private mutating func reportChange() {
        guard automaticStatus != 0 else { return }
        switch language {
        case .escPOS: answers += automaticReport()
        case .star: answers += starStatus()
        case .none, .zpl, .pjl: break
        }
    }
}

/// The language of a simulated printer.
package enum RawPrinterLanguage: String, Hashable, Sendable, CaseIterable {
    case escPOS = "escpos"
    case star
    /// A label printer.
    case zpl
    /// An office printer.
    case pjl
    /// It prints what it gets, and never says a word.
    case none
}

/// Something that a receipt printer reports.
package enum RawPrinterCondition: Hashable, Sendable {
    case paperOut, paperLow, coverOpen, jam
}

/// What a printer answers `GS I` with.
package struct RawPrinterNames: Hashable, Sendable {
    package var maker = "SIMULATED"
    package var model = "TM-SIM"
    /// Nil for one that leaves the request for it without an answer.
    package var serial: String? = "SIM0000001"

    package init() {}
}
