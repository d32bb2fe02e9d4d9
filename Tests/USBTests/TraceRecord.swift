import KioskPrintModel
import Synchronization

/// The lines that a trace has told so far.
final class TraceRecord: Sendable {
    let trace = WireTrace()
    private let lines: Lines
    private let listener: WireTrace.Listener

    private final class Lines: Sendable {
        let all = Mutex<[WireTrace.Line]>([])
    }

    init(of printer: PrinterURL? = nil) {
        let lines = Lines()
        self.lines = lines
        listener = trace.listen(to: printer) { line in lines.all.withLock { $0.append(line) } }
    }

    var all: [WireTrace.Line] { lines.all.withLock(\.self) }
    var messages: [String] { all.map(\.message) }
    func clear() { lines.all.withLock { $0 = [] } }

    func has(_ text: String) -> Bool { messages.contains { $0.contains(text) } }
}
