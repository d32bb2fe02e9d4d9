import NIOCore
import Synchronization

// Waits that end when the task is cancelled, and when the link closes.
extension PrinterLink {
    func pause(_ duration: Duration) async throws {
        let timer = home.eventLoop.scheduleTask(in: TimeAmount(duration)) {}
        do {
            try await wait(for: timer.futureResult) {}
        } catch {
            timer.cancel()
            throw error
        }
    }

    func wait<Value: Sendable>(
        for future: EventLoopFuture<Value>, tooLate: @escaping @Sendable (Value) -> Void
    ) async throws -> Value {
        let wait = CancellableWait<Value>()
        let isClosed = state.withLock { state in
            state.interrupts[ObjectIdentifier(wait)] = { wait.interrupt() }
            return state.isClosed
        }
        defer { state.withLock { $0.interrupts[ObjectIdentifier(wait)] = nil } }
        if isClosed { wait.interrupt() }
        return try await wait.value(of: future, tooLate: tooLate)
    }
}
