/// A label printer that takes ZPL II, as its host sees it: prints the labels that it holds one after the other, and
/// responds as Zebra's "ZPL II Programming Guide" says. No I/O and no time: the caller says when the next label is out.
struct SimulatedLabelPrinter: RawPrinter {
    /// How many bytes of formats it holds while it does not print.
    let capacity: Int
    /// Whether it is a Link-OS printer, which has an odometer.
    let hasOdometer: Bool
    /// How often it is asked for its status before it prints a label.
    let statusRequestsPerLabel: Int

    private(set) var paper: [UInt8] = []
    private(set) var lost = 0
    private var conditions: Set<RawPrinterCondition> = []
    private var answers: [UInt8] = []
    /// The formats that are still to be printed.
    private var formats: [Format] = []
    /// What was received and is no whole format or command.
    private var partial: [UInt8] = []
    private var odometer = 21_744
    /// How often it was asked for its status since it last held nothing or printed a label.
    private var statusRequests = 0

    private struct Format: Sendable {
        var bytes: [UInt8]
        var labels: Int
    }

    private static let start = Array("^XA".utf8)
    private static let end = Array("^XZ".utf8)
    private static let cancel = Array("~JX".utf8)
    /// Longer than any command that is recognised between formats.
    private static let maximumCommand = 256

    init(capacity: Int, hasOdometer: Bool, statusRequestsPerLabel: Int) {
        self.capacity = capacity
        self.hasOdometer = hasOdometer
        self.statusRequestsPerLabel = statusRequestsPerLabel
    }

    private var held: Int { partial.count + formats.reduce(0) { $0 + $1.bytes.count } }
    /// A format that is larger than its memory becomes dots while it comes.
    var hasRoom: Bool { held < capacity || formats.isEmpty && !isStopped }
    private var isStopped: Bool { !conditions.isDisjoint(with: [.paperOut, .coverOpen, .jam]) }
    var isPrinting: Bool { !isStopped && !formats.isEmpty && statusRequests >= statusRequestsPerLabel }

    mutating func receive(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            partial.append(byte)
            if partial.starts(with: Self.start) {
                if partial.suffix(3).elementsEqual(Self.end) { endFormat() }
                if partial.suffix(3).elementsEqual(Self.cancel) { discardPartial() }
            } else if partial.suffix(3).elementsEqual(Self.start) {
                partial = Self.start
            } else if byte == 0x0A || partial.count == Self.maximumCommand {
                let command = partial
                partial = []
                execute(command)
            }
        }
    }

    private mutating func endFormat() {
        formats.append(Format(bytes: partial, labels: Self.quantity(partial)))
        partial = []
    }

    private mutating func discardPartial() {
        lost += partial.count
        partial = []
    }

    /// The number behind `^PQ`; 1 where there is none.
    private static func quantity(_ format: [UInt8]) -> Int {
        let text = String(decoding: format, as: UTF8.self)
        guard let command = text.firstRange(of: "^PQ") else { return 1 }
        return min(max(1, Int(text[command.upperBound...].prefix { $0.isASCII && $0.isNumber }) ?? 1), 1000)
    }

    private mutating func execute(_ bytes: [UInt8]) {
        let command = String(decoding: bytes, as: UTF8.self).trimmingPrefix { $0.isWhitespace || $0 == "\0" }
        if command.hasPrefix("~HS") { reportHostStatus() }
        if command.hasPrefix("~HQES") { reportErrors() }
        if command.contains("odometer.total_label_count"), hasOdometer { answers += Array("\"\(odometer)\"".utf8) }
    }

    /// Prints the next label of the first format.
    mutating func printNext() {
        guard isPrinting else { return }
        odometer += 1
        statusRequests = 0
        formats[0].labels -= 1
        guard formats[0].labels == 0 else { return }
        paper += formats.removeFirst().bytes
    }

    mutating func takeAnswers() -> [UInt8] {
        defer { answers = [] }
        return answers
    }

    mutating func change(_ condition: RawPrinterCondition, to isOn: Bool) {
        if isOn { conditions.insert(condition) } else { conditions.remove(condition) }
    }

    mutating func losePower() {
        lost += held
        (formats, partial, answers) = ([], [], [])
    }

    mutating func newHost() { answers = [] }

    // MARK: Status

    /// It leaves `~HS` without a response while media is out or the head is open.
    private mutating func reportHostStatus() {
        guard !isStopped else { return }
        if !formats.isEmpty { statusRequests += 1 }
        let waiting = Self.digits(formats.dropFirst().count, 3)
        let remaining = Self.digits(formats.first?.labels ?? 0, 8)
        answers += Self.frame("030,0,0,1245,\(waiting),0,0,\(partial.isEmpty ? 0 : 1),000,0,0,0")
        answers += Self.frame("000,0,0,0,0,2,4,0,\(remaining),1,000")
        answers += Self.frame("1234,0")
    }

    private mutating func reportErrors() {
        let errors: [(RawPrinterCondition, Int)] = [(.paperOut, 1), (.coverOpen, 4), (.jam, 8)]
        let bits = errors.reduce(0) { $0 | (conditions.contains($1.0) ? $1.1 : 0) }
        let warnings = conditions.contains(.paperLow) ? 8 : 0
        let lines = [("ERRORS:", bits), ("WARNINGS:", warnings)].map { name, bits in
            "   \(name)         \(bits == 0 ? 0 : 1) 00000000 \(Self.digits(bits, 8))\r\n"
        }
        answers += Self.frame("\r\n  PRINTER STATUS                           \r\n" + lines.joined())
    }

    private static func frame(_ text: String) -> [UInt8] { [0x02] + Array(text.utf8) + [0x03, 0x0D, 0x0A] }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
}
