import CLibUSB
import Glibc

/// A thread for blocking work: libusb's events, and its calls that wait for the kernel or a device. It is not part of
/// the cooperative pool, which has only one thread per core.
struct WorkerThread: @unchecked Sendable {
    // An identifier, not memory of ours.
    private let thread: pthread_t

    /// Starts the thread; nil where the system has no thread left.
    init?(_ name: String, _ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let box = Unmanaged.passRetained(Body(name: name, run: body))
        let failure = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let body = Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
                clibusb_name_thread(body.name)
                body.run()
                return nil
            }, box.toOpaque())
        guard failure == 0 else {
            box.release()
            return nil
        }
        self.thread = thread
    }

    /// Waits for the end of the thread; blocks.
    func join() { pthread_join(thread, nil) }

    func detach() { pthread_detach(thread) }

    private final class Body: Sendable {
        let name: String
        let run: @Sendable () -> Void

        init(name: String, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    /// Runs `body` on a new thread, so that calls for different devices never wait for each other. There are few such
    /// calls, since a device is opened once and kept. Nil where the system has no thread left.
    static func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value? {
        await withCheckedContinuation { continuation in
            let thread = WorkerThread("usb-call") { continuation.resume(returning: body()) }
            guard let thread else { return continuation.resume(returning: nil) }
            thread.detach()
        }
    }
}
