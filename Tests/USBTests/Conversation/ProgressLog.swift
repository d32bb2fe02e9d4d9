import DevicePrinting
import Synchronization

/// What a delivery told of itself.
final class ProgressLog: Sendable {
    private let events = Mutex<[RunningJob.Event]>([])

    func add(_ event: RunningJob.Event) { events.withLock { $0.append(event) } }
    var all: [RunningJob.Event] { events.withLock(\.self) }
    var counts: [Int] { all.compactMap { if case .took(let count) = $0 { count } else { nil } } }
}
