import Synchronization

/// How many bytes a device has taken so far; tells whoever watches.
final class FlowGauge: Sendable {
    private let count = Atomic(0)
    private let length = Atomic(0)
    private let wakeup: Wakeup

    init(_ wakeup: Wakeup) { self.wakeup = wakeup }

    var taken: Int { count.load(ordering: .relaxed) }

    /// How much paper it moves at most for what it holds of what was sent so far, in millimetres.
    var paper: Int { length.load(ordering: .relaxed) }

    func mayPrint(_ millimetres: Int) { length.store(millimetres, ordering: .relaxed) }

    func took(_ bytes: Int) {
        count.wrappingAdd(bytes, ordering: .relaxed)
        wakeup.signal()
    }
}
