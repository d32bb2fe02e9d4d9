import Glibc
import KioskAPIMessages
import Synchronization

/// Handles Ctrl-C during long operations: every wait of this module ends, and the command can say what goes on without
/// it. A second Ctrl-C kills the program.
package enum Interruption {
    /// A pair of sockets into which the first SIGINT writes, so that waits see it; -1 for none. A flag alone would miss a
    /// signal that comes right before a wait.
    private static let input = Atomic<Int32>(-1)
    private static let output = Atomic<Int32>(-1)

    /// Runs `work`. On Ctrl-C its next wait throws `CancellationError`.
    package static func cancelling<Value>(_ work: () throws -> Value) throws -> Value {
        try begin()
        defer { end() }
        return try work()
    }

    private static func begin() throws(SystemCallError) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw SystemCallError("socketpair", errno) }
        output.store(ends[0], ordering: .sequentiallyConsistent)
        input.store(ends[1], ordering: .sequentiallyConsistent)
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in Interruption.report() }
        // The second signal does what it does by default. Without SA_RESTART, a read of a terminal ends, too.
        action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
        sigaction(SIGINT, &action, nil)
    }

    /// Runs in the signal's handler: only what signal-safety(7) allows.
    private static func report() {
        let code = errno
        var byte: UInt8 = 1
        write(input.load(ordering: .sequentiallyConsistent), &byte, 1)
        errno = code
    }

    private static func end() {
        signal(SIGINT, SIG_DFL)
        close(input.exchange(-1, ordering: .sequentiallyConsistent))
        close(output.exchange(-1, ordering: .sequentiallyConsistent))
    }

    /// Waits until one of `descriptors` is ready or `deadline` is over; nil waits without limit. Returns false at the
    /// deadline. Throws `CancellationError` on Ctrl-C, and does so before anything that is ready.
    static func wait(for descriptors: inout [pollfd], until deadline: ContinuousClock.Instant?) throws -> Bool {
        // poll(2) passes over a negative descriptor.
        descriptors.append(
            pollfd(fd: output.load(ordering: .sequentiallyConsistent), events: Int16(POLLIN), revents: 0))
        defer { descriptors.removeLast() }
        while true {
            let ready = poll(&descriptors, nfds_t(descriptors.count), Self.milliseconds(until: deadline))
            if ready < 0 {
                guard errno == EINTR else { throw SystemCallError("poll", errno) }
                continue
            }
            if descriptors[descriptors.count - 1].revents != 0 { throw CancellationError() }
            if ready > 0 { return true }
            if let deadline, deadline <= .now { return false }
        }
    }

    /// Waits until a document has bytes or its end.
    static func waitForInput(of document: DocumentDescriptor) throws {
        var states = [pollfd(fd: document.number, events: Int16(POLLIN), revents: 0)]
        _ = try wait(for: &states, until: nil)
    }

    /// Rounded up: a deadline that is not over yet must not be waited for in a busy loop.
    private static func milliseconds(until deadline: ContinuousClock.Instant?) -> Int32 {
        guard let deadline else { return -1 }
        let (seconds, attoseconds) = (deadline - .now).components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let milliseconds = min(seconds, 1_000_000) * 1000 + attoseconds / 1_000_000_000_000_000 + 1
        return Int32(clamping: milliseconds)
    }

    /// Sleeps. Throws `CancellationError` on Ctrl-C.
    package static func sleep(for time: Duration) throws {
        var nothing: [pollfd] = []
        _ = try wait(for: &nothing, until: .now + time)
    }
}

/// The failure of a system call that has no business to fail.
struct SystemCallError: Error, CustomStringConvertible {
    let description: String

    init(_ call: String, _ code: Int32) { description = "\(call): \(String(cString: strerror(code)))" }
}
