import Glibc
import KioskIPP
import KioskPrintModel
import KioskTestSupport
import Synchronization
import Testing

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

/// Receipts with 8-bit data, as in pictures, and with the characters that terminals and serial lines act on.
struct ReceiptSeries {
    let receipts = (0..<5).map { number in
        Array("receipt \(number) \u{3}\u{4}\r\n".utf8) + [0x11, 0x13]
            + (0..<3000).map { UInt8(truncatingIfNeeded: $0 &* (number + 1)) | 0x80 }
    }

    /// Delivers them one after the other; each gets this evidence.
    func deliver(over transport: any Transport, to target: PrinterTarget, evidence: Evidence = .printed) async throws {
        for (number, receipt) in receipts.enumerated() {
            let report = try await transport.deliver(.receipt("k\(number)", receipt), to: target) { _ in }
            #expect(report.evidence == evidence)
        }
    }

    /// Whether the paper has them all, byte for byte and in their order.
    func isPrinted(on paper: [UInt8]) -> Bool {
        var place = paper.startIndex
        return receipts.allSatisfy { receipt in
            guard let found = paper[place...].firstRange(of: receipt) else { return false }
            place = found.upperBound
            return true
        }
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
