import Glibc
import KioskIPP
import KioskPrintModel
import KioskTestSupport
import Synchronization

extension EvePrinter {
    var target: PrinterTarget {
        get throws { PrinterTarget(url: try PrinterURL(uri)) }
    }
}

extension IPPTransport.Deadlines {
    /// For tests that are not about time: so long that a busy machine neither times out nor closes idle connections.
    static var patient: Self {
        var deadlines = Self()
        (deadlines.connect, deadlines.response, deadlines.total, deadlines.idle) = (
            .seconds(120), .seconds(600), .seconds(600), .seconds(3600)
        )
        deadlines.validation = .seconds(600)
        return deadlines
    }
}

/// Runs a test with a transport that is shut down at its end.
func withTransport(
    _ deadlines: IPPTransport.Deadlines = .patient, _ body: (IPPTransport) async throws -> Void
) async throws {
    try await use(IPPTransport(deadlines: deadlines), body)
}

/// Runs a test with this transport, and shuts it down afterwards.
func use(_ transport: IPPTransport, _ body: (IPPTransport) async throws -> Void) async throws {
    do {
        try await body(transport)
    } catch {
        await transport.shutDown()
        throw error
    }
    await transport.shutDown()
}

/// Records values in order.
final class Recorder<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])
    var all: [Element] { elements.withLock { $0 } }
    func add(_ element: Element) { elements.withLock { $0.append(element) } }
}

extension Delivery {
    static func receipt(_ jobID: String, _ bytes: [UInt8], format: DocumentFormat = .escPOS) -> Delivery {
        Delivery(
            jobID: jobID, name: "Receipt", user: "till", ticket: Ticket(),
            document: PrintDocument(format: format, body: .bytes(bytes))
        )
    }
}

/// An event that happens once, between a test and a script's thread.
final class Gate: Sendable {
    private let isOpened = Atomic(false)

    func open() { isOpened.store(true, ordering: .releasing) }

    /// Blocks: for scripts, which have threads of their own.
    func block() {
        while !isOpened.load(ordering: .acquiring) { usleep(500) }
    }

    func wait() async throws {
        try await eventually("the gate to open", poll: .milliseconds(1)) { isOpened.load(ordering: .acquiring) }
    }
}

/// A clock that stands still, and jumps when someone sleeps: long jobs age in no time.
final class JumpingClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private let time = Mutex(Duration.zero)

    var now: Instant { Instant(offset: time.withLock { $0 }) }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        time.withLock { $0 = max($0, deadline.offset) }
        // A loop of sleeps must not starve other tasks.
        try await Task.sleep(for: .microseconds(200))
    }
}
