import Synchronization

/// What comes out of a simulated kiosk's printer, in order. It knows nothing of queues, and notices what comes out
/// twice or out of order.
final class SimulatedPaper: Sendable {
    private struct State {
        var keys: Set<String> = []
        var highestNumber = -1
    }
    private let state = Mutex(State())
    private let counts: SimulationCounts

    init(counts: SimulationCounts) { self.counts = counts }

    /// Prints the job of this key.
    func print(_ key: String) {
        let (isDoubled, isOutOfOrder) = state.withLock { state -> (Bool, Bool) in
            guard state.keys.insert(key).inserted else { return (true, false) }
            guard let number = Self.number(of: key) else { return (false, false) }
            defer { state.highestNumber = max(state.highestNumber, number) }
            return (false, number < state.highestNumber)
        }
        counts.add { counts in
            counts.printed += 1
            counts.doubled += isDoubled ? 1 : 0
            counts.outOfOrder += isOutOfOrder ? 1 : 0
        }
    }

    /// The number that a key ends with; nil where it ends with none.
    private static func number(of key: String) -> Int? {
        let digits = key.utf8.reversed().prefix { (48...57).contains($0) }
        guard (1...maximumDigits).contains(digits.count) else { return nil }
        return Int(String(decoding: digits.reversed(), as: UTF8.self))
    }

    /// What an `Int` always holds.
    private static let maximumDigits = 18
}
