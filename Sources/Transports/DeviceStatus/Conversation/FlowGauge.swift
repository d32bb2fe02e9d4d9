import Synchronization

/// How many bytes a device has taken so far; tells whoever watches.
final class FlowGauge: Sendable {
    private let count = Atomic(0)
    private let wakeup: Wakeup

    init(_ wakeup: Wakeup) { self.wakeup = wakeup }

    var taken: Int { count.load(ordering: .relaxed) }

    func took(_ bytes: Int) {
        count.wrappingAdd(bytes, ordering: .relaxed)
        wakeup.signal()
    }
}
