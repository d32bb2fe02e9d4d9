import DevicePrinting
import PrintModel
import Synchronization

/// What printers have said and nobody has taken yet: of each how it is now, and before that its going, if it went.
final class HeardNews: Sendable {
    private let waiting = Mutex<[PrinterURL: [DeviceConversation.News]]>([:])
    /// There is some.
    let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    init() { (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func add(_ news: DeviceConversation.News, of url: PrinterURL) {
        waiting.withLock { waiting in
            var kept = news == .ended ? [] : waiting[url] ?? []
            if let last = kept.last, last != .ended { kept.removeLast() }
            waiting[url] = kept + [news]
        }
        signal.yield()
    }

    func take() -> [(url: PrinterURL, news: DeviceConversation.News)] {
        waiting.withLock { waiting in
            defer { waiting = [:] }
            return waiting.flatMap { url, news in news.map { (url, $0) } }
        }
    }
}
