import KioskPrintModel
import KioskTestSupport
import Synchronization
import Testing

@testable import KioskEngine

/// What the engine tells of jobs and printers to whoever traces them.
@Suite struct EngineTraceTests {
    /// The messages that a listener received.
    private final class Transcript: Sendable {
        private let lines = Mutex<[WireTrace.Line]>([])
        private let listener = Mutex<WireTrace.Listener?>(nil)

        init(of trace: WireTrace, about printer: PrinterURL? = nil) {
            let new = trace.listen(to: printer) { [weak self] line in self?.lines.withLock { $0.append(line) } }
            listener.withLock { $0 = new }
        }

        var all: [WireTrace.Line] { lines.withLock(\.self) }

        /// Those about jobs; the engine's marker, which is made by chance, is written as `MARKER`.
        var jobs: [String] {
            all.map(\.message).filter { $0.hasPrefix("job ") }.map {
                $0.replacing(#/[bcdfghjkmnpqrstvwxz]{8}-/#, with: "MARKER-")
            }
        }
    }

    private static let till1 = try! PrinterURL("ipp://192.0.2.1/ipp/till-1")
    private static let till2 = try! PrinterURL("ipp://192.0.2.2/ipp/till-2")

    /// An engine whose printers are known to be ready, and do not change by themselves.
    private func kiosk() async throws -> TestKiosk {
        let kiosk = try await TestKiosk(configure: { $0.idleContactInterval = .seconds(3600) })
        try await eventually("the printers are ready") {
            await kiosk.engine.printers().allSatisfy { $0.availability.state == .ready }
        }
        return kiosk
    }

    @Test func `the lines of a job tell its life from acceptance to end`() async throws {
        let kiosk = try await kiosk()
        let transcript = Transcript(of: kiosk.trace, about: Self.till1)
        let other = Transcript(of: kiosk.trace, about: Self.till2)
        let job = try await kiosk.submit("tea", role: "held")
        #expect(try await kiosk.settled(job).state == .completed)
        #expect(
            transcript.jobs == [
                "job 1: accepted \"tea\" for the role held, text/plain, 3 bytes",
                "job 1: sending begins, pending → processing on till-1 (job-outgoing), stage contacting, attempt 1",
                "job 1: sent to till-1 as \"MARKER-1-1\", text/plain, 3 bytes",
                "job 1: connecting",
                "job 1: sending, 3 of 3 bytes",
                "job 1: the printer accepted all of it: completed, evidence printed, as its job MARKER-1-1, processing → completed on till-1 (job-completed-successfully), stage done, evidence printed, 3 of 3 bytes; this is its end",
            ])
        #expect(transcript.all.allSatisfy { $0.source == .job && $0.printer == Self.till1 })
        #expect(other.jobs == [])
        try await kiosk.stop()
    }

    @Test func `a failover tells why the first printer is left, to those who listen to it`() async throws {
        let kiosk = try await kiosk()
        let first = Transcript(of: kiosk.trace, about: Self.till1)
        let second = Transcript(of: kiosk.trace, about: Self.till2)
        kiosk.transport.set("till-1", .isDown)
        let job = try await kiosk.submit("tea")
        #expect(try await kiosk.settled(job).printer == .test("till-2"))
        #expect(
            first.jobs.last
                == "job 1: failed: connection-refused in connect, at most 0 bytes accepted: till-1 refused the connection, processing → pending (job-incoming-retry), stage waiting; it is in the queue"
        )
        #expect(
            first.all.contains { $0.message == "till-1: ready → unreachable: till-1 refused the connection" })
        #expect(
            second.jobs.prefix(3) == [
                "job 1: routed, stage routed",
                "job 1: sending begins on till-2, pending → processing on till-2 (job-outgoing), stage contacting, attempt 2",
                "job 1: sent to till-2 as \"MARKER-1-2\", text/plain, 3 bytes",
            ])
        try await kiosk.stop()
    }

    @Test func `a job in doubt tells that it is held, and its cancelling`() async throws {
        let kiosk = try await kiosk()
        let transcript = Transcript(of: kiosk.trace)
        kiosk.transport.set("till-1", .forgetsJobs)
        let job = try await kiosk.submit("tea", role: "held")
        #expect(try await kiosk.settled(job).state == .pendingHeld)
        _ = try await kiosk.engine.cancel(job.id)
        #expect(
            transcript.jobs.contains {
                $0.contains("outcome-unknown in Get-Job-Attributes") && $0.contains("→ pending-held on till-1")
                    && $0.contains("unconfirmed") && $0.contains("an operator decides")
            })
        #expect(
            transcript.jobs.last
                == "job 1: cancel requested, pending-held → canceled on till-1 (job-canceled-by-user), stage done; this is its end"
        )
        try await kiosk.stop()
    }

    @Test func `a job that waits tells for what, and names no printer yet`() async throws {
        let kiosk = try await kiosk()
        let transcript = Transcript(of: kiosk.trace)
        for printer in ["till-1", "till-2"] { kiosk.transport.set(printer, .isStopped) }
        // A contact that was under way may still find them ready.
        try await eventually("the printers are stopped") {
            for printer in ["till-1", "till-2"] { _ = try await kiosk.engine.contact(.test(printer)) }
            return await kiosk.engine.printers().allSatisfy { $0.availability.state == .stopped }
        }
        _ = try await kiosk.submit("milk")
        let waits = "job 1: waits, no candidate can print it now: till-1 till-2"
        try await eventually("the job waits") { transcript.all.contains { $0.message == waits && $0.printer == nil } }
        #expect(transcript.all.contains { $0.message == "contact of till-2: stopped (media-empty-error)" })
        try await kiosk.stop()
    }

    @Test func `nothing is composed while nobody listens`() {
        /// Counts how often it is put into words.
        final class CountingError: Error, CustomStringConvertible {
            let count = Atomic<Int>(0)
            var description: String {
                count.add(1, ordering: .relaxed)
                return "counted"
            }
        }
        let (wire, error, printer) = (WireTrace(), CountingError(), SavedPrinter.test("till-1"))
        let trace = EngineTrace(wire)
        trace.contactFailed(printer, error, isInDoubt: false)
        let other = Transcript(of: wire, about: Self.till2)
        trace.contactFailed(printer, error, isInDoubt: false)
        #expect(error.count.load(ordering: .relaxed) == 0 && other.all.isEmpty)
        let transcript = Transcript(of: wire, about: printer.url)
        trace.contactFailed(printer, error, isInDoubt: true)
        #expect(
            transcript.all.map(\.message) == [
                "contact of till-1 failed: counted; it is asked again before that counts"
            ])
        #expect(error.count.load(ordering: .relaxed) == 1)
    }
}
