/// Who waits for a look at the bus. A look that has begun may have missed what just came: whoever asks meanwhile gets
/// the next.
struct LookWaiters {
    typealias Waiter = CheckedContinuation<Result<[USBBus.Found], USBOpenError>, Never>

    private var now: [Int: Waiter] = [:]
    private var next: [Int: Waiter] = [:]
    private var last = 0

    mutating func newNumber() -> Int {
        last += 1
        return last
    }

    mutating func add(_ waiter: Waiter, _ number: Int) { next[number] = waiter }

    /// Nil when it waits no more.
    mutating func remove(_ number: Int) -> Waiter? {
        now.removeValue(forKey: number) ?? next.removeValue(forKey: number)
    }

    /// A look begins; whether anyone wants it.
    mutating func begin() -> Bool {
        (now, next) = (next, [:])
        return !now.isEmpty
    }

    mutating func end(_ result: Result<[USBBus.Found], USBOpenError>) {
        for waiter in now.values { waiter.resume(returning: result) }
        now = [:]
    }
}
