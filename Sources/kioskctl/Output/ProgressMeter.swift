import Synchronization
import Terminal

/// How far a large document has got on its way to the daemon, on a terminal only.
final class ProgressMeter: Sendable {
    /// Bytes below which sending is over before anyone could read of it.
    private static let interestingLength: Int64 = 4 << 20

    private let name: String
    private let length: Int64?
    private let shown = Mutex<Int64>(0)

    init(name: String, length: Int64?) {
        self.name = name
        self.length = length
    }

    func update(_ sent: Int64) {
        guard Console.isErrorTerminal, (length ?? sent) >= Self.interestingLength else { return }
        let isDue = shown.withLock { shown in
            guard sent - shown >= Self.interestingLength else { return false }
            shown = sent
            return true
        }
        guard isDue else { return }
        let total = length.map { " of \(Quantities.bytes($0)), \(sent * 100 / max(1, $0)) %" } ?? ""
        Console.progress("\(name.shown): \(Quantities.bytes(sent))\(total)")
    }

    func clear() { Console.progress("") }
}
