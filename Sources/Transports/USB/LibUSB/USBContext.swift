import CKioskLibUSB
import KioskAsyncPrimitives
import KioskDevicePrinting
import Synchronization

/// A libusb context with the thread that handles its events. Callbacks of transfers and hotplug events run on that
/// thread, and must be short.
///
/// `stop` ends the thread; the context itself is freed with the last device and handle that refers to it.
final class USBContext: Sendable {
    // libusb is thread-safe.
    nonisolated(unsafe) let pointer: OpaquePointer
    private let timers = EventTimers()
    private let isStopping = Atomic(false)
    private let thread = Mutex<WorkerThread?>(nil)

    /// Starts libusb; blocks while it enumerates the bus.
    static func start() throws(USBOpenError) -> USBContext {
        var context: OpaquePointer?
        let code = LibUSBCode(libusb_init(&context))
        guard !code.isError, let context else {
            throw USBOpenError(.unavailable, operation: "libusb_init", code: code.value, reason: code.message)
        }
        return try USBContext(context)
    }

    private init(_ pointer: OpaquePointer) throws(USBOpenError) {
        self.pointer = pointer
        let thread = WorkerThread("usb-events") { [self] in handleEvents() }
        guard let thread else { throw .noThread }
        self.thread.withLock { $0 = thread }
    }

    deinit { libusb_exit(pointer) }

    /// Ends the event thread; blocks. Nothing may be under way, and nothing may be started afterwards.
    func stop() {
        isStopping.store(true, ordering: .releasing)
        libusb_interrupt_event_handler(pointer)
        thread.withLock { $0.take() }?.join()
    }

    /// Runs a short action on the event thread after a delay, unless the context is stopped first.
    func after(_ delay: Duration, _ action: @escaping @Sendable () -> Void) {
        if timers.add(after: delay, action) { libusb_interrupt_event_handler(pointer) }
    }

    private func handleEvents() {
        while !isStopping.load(ordering: .acquiring) {
            let wait = timers.run().map { min(Int($0 / .milliseconds(1)) + 1, Self.maximumWait) } ?? Self.maximumWait
            let code = LibUSBCode(clibusb_handle_events(pointer, Int32(wait)))
            // No lasting failure is known; but one must not use a whole core.
            if code.isError, code != .interrupted { clibusb_pause(Self.pauseAfterFailure) }
        }
    }

    /// Milliseconds. New work interrupts the wait.
    private static let maximumWait = 3_600_000
    private static let pauseAfterFailure: Int32 = 100
}

/// Actions that the event thread runs at their time.
private final class EventTimers: Sendable {
    private struct Timer {
        var due: ContinuousClock.Instant
        var action: @Sendable () -> Void
    }

    private let timers = Mutex<[Timer]>([])

    /// Adds an action; true where it is now the first one due, so that the event thread must be interrupted.
    func add(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> Bool {
        let due = ContinuousClock.now + delay
        return timers.withLock { timers in
            let index = timers.firstIndex { due < $0.due } ?? timers.endIndex
            timers.insert(Timer(due: due, action: action), at: index)
            return index == 0
        }
    }

    /// Runs the actions that are due. Returns the time until the next one; nil without one.
    func run() -> Duration? {
        let now = ContinuousClock.now
        let due = timers.withLock { timers in
            let count = timers.prefix { $0.due <= now }.count
            defer { timers.removeFirst(count) }
            return timers.prefix(count).map(\.action)
        }
        for action in due { action() }
        return timers.withLock { $0.first.map { max(.zero, $0.due - .now) } }
    }
}

/// A libusb return code: 0 or more, or one of LIBUSB_ERROR_….
struct LibUSBCode: Hashable, Sendable {
    var value: Int32

    init(_ value: Int32) { self.value = value }
    init(_ error: libusb_error) { value = error.rawValue }

    var isError: Bool { value < 0 }
    /// libusb's description.
    var message: String { String(cString: libusb_strerror(value)) }

    static let noDevice = LibUSBCode(LIBUSB_ERROR_NO_DEVICE)
    static let accessDenied = LibUSBCode(LIBUSB_ERROR_ACCESS)
    static let busy = LibUSBCode(LIBUSB_ERROR_BUSY)
    static let stalled = LibUSBCode(LIBUSB_ERROR_PIPE)
    static let timedOut = LibUSBCode(LIBUSB_ERROR_TIMEOUT)
    static let interrupted = LibUSBCode(LIBUSB_ERROR_INTERRUPTED)
    static let inputOutput = LibUSBCode(LIBUSB_ERROR_IO)
    static let noMemory = LibUSBCode(LIBUSB_ERROR_NO_MEM)
}

extension LibUSBCode {
    /// The code that corresponds to the end status of a transfer.
    init(ending status: libusb_transfer_status) {
        switch status {
        case LIBUSB_TRANSFER_COMPLETED: value = 0
        case LIBUSB_TRANSFER_TIMED_OUT: self = .timedOut
        case LIBUSB_TRANSFER_CANCELLED: self = .interrupted
        case LIBUSB_TRANSFER_STALL: self = .stalled
        case LIBUSB_TRANSFER_NO_DEVICE: self = .noDevice
        case LIBUSB_TRANSFER_OVERFLOW: self = LibUSBCode(LIBUSB_ERROR_OVERFLOW)
        default: self = .inputOutput
        }
    }
}

/// A failed libusb call.
struct LibUSBFailure: Error, Hashable, Sendable {
    var operation: String
    var code: LibUSBCode

    init(_ operation: String, _ code: LibUSBCode) {
        self.operation = operation
        self.code = code
    }
}

extension DevicePipeError {
    init(_ failure: LibUSBFailure) {
        let kind: Kind =
            switch failure.code {
            case .noDevice: .disconnected
            case .stalled: .stalled
            default: .failed
            }
        self.init(kind, operation: failure.operation, code: failure.code.value, reason: failure.code.message)
    }
}

extension DevicePipeError {
    static let cancelled = DevicePipeError(.cancelled, operation: "libusb_cancel_transfer", reason: "it was cancelled")
    static let disconnected = DevicePipeError(LibUSBFailure("libusb_submit_transfer", .noDevice))
    static let closed = DevicePipeError(.disconnected, operation: "close", reason: "the connection was closed")
}
