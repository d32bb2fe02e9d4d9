import CLibUSB
import Synchronization

/// One context of libusb, with the thread that waits for its events. Completions of transfers and hotplug events are
/// called on that thread, and must be short there.
///
/// `stop` ends the thread; the context itself goes with the last device and handle that knows it.
final class USBContext: Sendable {
    // libusb is safe for threads.
    nonisolated(unsafe) let pointer: OpaquePointer
    private let timers = EventTimers()
    private let isStopping = Atomic(false)
    private let thread = Mutex<OwnThread?>(nil)

    /// Blocks while the bus is looked at.
    static func start() throws(USBOpenError) -> USBContext {
        var context: OpaquePointer?
        let code = LibUSBCode(libusb_init(&context))
        guard !code.isError, let context else {
            throw USBOpenError(.unavailable, operation: "libusb_init", code: code.value, reason: code.words)
        }
        return try USBContext(context)
    }

    private init(_ pointer: OpaquePointer) throws(USBOpenError) {
        self.pointer = pointer
        let thread = OwnThread("usb-events") { [self] in handleEvents() }
        guard let thread else { throw .noThread }
        self.thread.withLock { $0 = thread }
    }

    deinit { libusb_exit(pointer) }

    /// Ends the event thread; blocks. Nothing is under way any more, and nothing is begun after it.
    func stop() {
        isStopping.store(true, ordering: .releasing)
        libusb_interrupt_event_handler(pointer)
        thread.withLock { $0.take() }?.join()
    }

    /// Lets something short happen on the event thread after a while, unless the context is stopped first.
    func after(_ delay: Duration, _ action: @escaping @Sendable () -> Void) {
        if timers.add(after: delay, action) { libusb_interrupt_event_handler(pointer) }
    }

    private func handleEvents() {
        while !isStopping.load(ordering: .acquiring) {
            let wait = timers.run().map { min(Int($0 / .milliseconds(1)) + 1, Self.longestWait) } ?? Self.longestWait
            let code = LibUSBCode(clibusb_handle_events(pointer, Int32(wait)))
            // Nothing is known that would go on failing; but then it must not take a whole core.
            if code.isError, code != .interrupted { clibusb_pause(Self.pauseAfterFailure) }
        }
    }

    /// In milliseconds. Nothing is done then; whoever has something to do interrupts the wait.
    private static let longestWait = 3_600_000
    private static let pauseAfterFailure: Int32 = 100
}

extension USBOpenError {
    static let noThread = USBOpenError(.failed, operation: "pthread_create", reason: "the system has no thread left")
}
