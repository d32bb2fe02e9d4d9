import Synchronization

/// The numbers of jobs: three digits (RFC 1179 §6.2), so that they come round after a thousand. They begin where the
/// clock stands, so that a restarted program does not begin with those of its last jobs, which may still be queued.
final class JobNumbers: Sendable {
    private let last: Atomic<Int>

    /// `milliseconds`: the time of day.
    init(milliseconds: Int64) { last = Atomic(Int(milliseconds.magnitude % UInt64(Self.count))) }

    private static let count = 1000

    func next() -> Int {
        let number = last.wrappingAdd(1, ordering: .relaxed).newValue
        return Int(number.magnitude % UInt(Self.count))
    }
}
