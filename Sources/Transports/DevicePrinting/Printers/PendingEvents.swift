package import KioskPrintModel
import Synchronization

/// The events of printers that nobody has taken yet: of each printer the latest, and a preceding end of its connection.
package final class PendingEvents: Sendable {
    private let waiting = Mutex<[PrinterURL: [DeviceConversation.Event]]>([:])
    /// Yields when there are events.
    package let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    package init() { (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    package func add(_ event: DeviceConversation.Event, of url: PrinterURL) {
        waiting.withLock { waiting in
            var kept = event == .ended ? [] : waiting[url] ?? []
            if let last = kept.last, last != .ended { kept.removeLast() }
            waiting[url] = kept + [event]
        }
        signal.yield()
    }

    package func take() -> [(url: PrinterURL, event: DeviceConversation.Event)] {
        waiting.withLock { waiting in
            defer { waiting = [:] }
            return waiting.flatMap { url, events in events.map { (url, $0) } }
        }
    }
}
