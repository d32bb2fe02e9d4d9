package import KioskPrintModel
import Synchronization

/// The news of a transport's printers, and the events of their conversations that it makes them of.
package final class PrinterNewsFeed: Sendable {
    /// What the engine hears.
    package let news: AsyncStream<PrinterNews>
    private let output: AsyncStream<PrinterNews>.Continuation
    private let pending = PendingEvents()
    private let handling = Mutex<Task<Void, Never>?>(nil)

    /// The number of news items that are kept for a slow reader; the oldest are dropped.
    private static let backlog = 256

    package init() {
        (news, output) = AsyncStream.makeStream(of: PrinterNews.self, bufferingPolicy: .bufferingNewest(Self.backlog))
    }

    /// Adds an event of a printer's conversation.
    package func add(_ event: DeviceConversation.Event, of url: PrinterURL) { pending.add(event, of: url) }

    /// Has the events handled from now on, one after the other. Only the first call counts.
    package func start(_ handle: @escaping @Sendable (DeviceConversation.Event, PrinterURL) async -> Void) {
        handling.withLock { task in
            guard task == nil else { return }
            task = Task { [pending] in
                for await _ in pending.signals {
                    for (url, event) in pending.take() { await handle(event, url) }
                }
            }
        }
    }

    /// Tells the engine of a change of the printer that these targets share.
    package func publish(_ kind: PrinterNews.Kind, of targets: Set<PrinterTarget>) {
        for target in targets { output.yield(PrinterNews(kind, of: target)) }
    }

    /// Ends the news.
    package func finish() {
        handling.withLock { $0?.cancel() }
        output.finish()
    }
}

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
