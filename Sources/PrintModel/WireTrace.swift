import Synchronization

/// What goes over the wire to printers, and what becomes of their jobs, told to those who listen.
///
/// A program makes one and hands it to its engine and its transports. They tell it operations, attributes, answers,
/// commands and steps; never a secret, and of a document only how many bytes of it went.
///
/// While nobody listens, a message is not composed: the cost is the load of one number.
public final class WireTrace: Sendable {
    /// What told a line.
    public enum Source: String, Sendable {
        /// A job's steps, or the protocol that is spoken with a printer.
        case job, ipp, tls, ssh, lpd, usb, socket, serial, snmp
    }

    /// One message, and what it is about.
    public struct Line: Hashable, Sendable {
        /// What told it.
        public var source: Source
        /// The printer it is about; nil before a job has one.
        public var printer: PrinterURL?
        /// Without control characters: it may hold what a printer sent.
        public var message: String
    }

    /// Listens until it is released or told to stop.
    public final class Listener: Sendable {
        private let trace: WireTrace
        private let number: Int

        fileprivate init(_ trace: WireTrace, number: Int) {
            self.trace = trace
            self.number = number
        }

        /// After it returns, no line is received that was told later. May be called again.
        public func stop() { trace.remove(number) }

        deinit { trace.remove(number) }
    }

    private struct Registration {
        var number: Int
        var printer: PrinterURL?
        var receive: @Sendable (Line) -> Void
    }

    private struct State {
        var registrations: [Registration] = []
        var lastNumber = 0
    }

    /// The longest message in Unicode scalars, since one character may be made of any number of them. Of a longer one
    /// the beginning is told, and how much is missing.
    public static let maximumLength = 4096

    private let state = Mutex(State())
    private let listeners = Atomic<Int>(0)

    public init() {}

    /// Receives lines: those about `printer`, or all where it is nil. `receive` is called on whatever thread tells a
    /// line and must return at once.
    public func listen(to printer: PrinterURL? = nil, _ receive: @escaping @Sendable (Line) -> Void) -> Listener {
        let number = state.withLock { state in
            state.lastNumber += 1
            state.registrations.append(Registration(number: state.lastNumber, printer: printer, receive: receive))
            listeners.store(state.registrations.count, ordering: .relaxed)
            return state.lastNumber
        }
        return Listener(self, number: number)
    }

    /// Tells a line about `printer` to those who listen. `message` is only composed for them.
    public func tell(_ source: Source, _ printer: PrinterURL?, _ message: @autoclosure () -> String) {
        guard listeners.load(ordering: .relaxed) > 0 else { return }
        let receivers = state.withLock { state in
            state.registrations.filter { $0.printer == nil || $0.printer == printer }.map(\.receive)
        }
        guard !receivers.isEmpty else { return }
        let line = Line(source: source, printer: printer, message: Self.bounded(message()))
        for receive in receivers { receive(line) }
    }

    private func remove(_ number: Int) {
        // The closure is released outside the lock: it may own anything.
        let removed = state.withLock { state -> Registration? in
            guard let index = state.registrations.firstIndex(where: { $0.number == number }) else { return nil }
            defer { listeners.store(state.registrations.count, ordering: .relaxed) }
            return state.registrations.remove(at: index)
        }
        _ = removed
    }

    private static func bounded(_ message: String) -> String {
        let text = message.withoutControlCharacters
        let missing = text.unicodeScalars.count - maximumLength
        guard missing > 0 else { return text }
        return "\(beginning(of: text, maximum: maximumLength)) (\(missing) more characters)"
    }

    /// A text that a printer or host sent, with an ellipsis in place of what follows the first `maximum` scalars. Not
    /// characters: a single one may be combined of a million scalars.
    package static func beginning(of text: String, maximum: Int) -> String {
        let scalars = text.unicodeScalars
        guard let end = scalars.index(scalars.startIndex, offsetBy: maximum, limitedBy: scalars.endIndex),
            end < scalars.endIndex
        else { return text }
        return "\(String(scalars[..<end]))…"
    }
}
