import KioskPrintModel
import Synchronization
import Testing

/// Who receives the lines of a trace, and how long a line is at most.
@Suite struct WireTraceTests {
    /// The lines that a listener received.
    private final class Transcript: Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock(\.self) }

        func add(_ line: WireTrace.Line) { lines.withLock { $0.append(line.message) } }
    }

    private func told(_ message: String) throws -> String {
        let (trace, transcript) = (WireTrace(), Transcript())
        let listener = trace.listen { transcript.add($0) }
        trace.tell(.ipp, nil, message)
        listener.stop()
        return try #require(transcript.all.first)
    }

    @Test func `a long message is cut`() throws {
        let message = String(repeating: "a", count: WireTrace.maximumLength)
        #expect(try told(message) == message)
        #expect(try told(message + "bc") == message + "… (2 more characters)")
    }

    @Test func `a message of one endless character is cut as well`() throws {
        let line = try told("e" + String(repeating: "\u{301}", count: 100_000))
        #expect(line.unicodeScalars.count < WireTrace.maximumLength + 100)
        #expect(line.hasSuffix("… (95905 more characters)"))
    }

    @Test func `what a printer sends has no control characters`() throws {
        #expect(try told("a\u{1B}[2J\nb\u{9B}c\u{202E}d") == "a [2J b c d")
    }

    @Test func `a listener receives the lines of its printer, until it stops`() throws {
        let (trace, transcript) = (WireTrace(), Transcript())
        let (first, second) = (try PrinterURL("ipp://192.0.2.1/ipp"), try PrinterURL("ipp://192.0.2.2/ipp"))
        let listener = trace.listen(to: first) { transcript.add($0) }
        trace.tell(.ipp, first, "1")
        trace.tell(.ipp, second, "2")
        trace.tell(.job, nil, "3")
        listener.stop()
        trace.tell(.ipp, first, "4")
        #expect(transcript.all == ["1"])
    }

    /// Keeps a listener until it is asked for it.
    private final class Holder: Sendable {
        private let listener = Mutex<WireTrace.Listener?>(nil)

        func keep(_ new: WireTrace.Listener) { listener.withLock { $0 = new } }

        func take() -> WireTrace.Listener? {
            listener.withLock { listener in
                defer { listener = nil }
                return listener
            }
        }
    }

    @Test func `a listener may stop and tell while it receives`() throws {
        let (trace, transcript, holder) = (WireTrace(), Transcript(), Holder())
        holder.keep(
            trace.listen { [weak trace] line in
                transcript.add(line)
                // Its last reference goes here, too.
                holder.take()?.stop()
                trace?.tell(.job, nil, "nobody listens any more")
            })
        trace.tell(.job, nil, "told")
        trace.tell(.job, nil, "not told")
        #expect(transcript.all == ["told"])
    }
}
