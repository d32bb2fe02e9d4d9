import Foundation
import Synchronization

/// The one thread that starts children and never ends: Linux sends PR_SET_PDEATHSIG when the *thread* that started a
/// child ends.
final class SpawnThread: Sendable {
    static let shared = SpawnThread()

    private let waiting = Mutex<[@Sendable () -> Void]>([])
    private let signal = DispatchSemaphore(value: 0)

    private init() {
        Thread.detachNewThread { [self] in
            while true {
                signal.wait()
                waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }?()
            }
        }
    }

    /// Runs `body` there and waits for it.
    func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
        let done = DispatchSemaphore(value: 0)
        let result = Box<Result<Value, any Error>>()
        waiting.withLock {
            $0.append {
                result.value.withLock { $0 = Result { try body() } }
                done.signal()
            }
        }
        signal.signal()
        done.wait()
        guard let outcome = result.value.withLock({ $0 }) else {
            throw TestSupportError("the spawn thread gave no answer")
        }
        return try outcome.get()
    }

    private final class Box<Content: Sendable>: Sendable {
        let value = Mutex<Content?>(nil)
    }
}
