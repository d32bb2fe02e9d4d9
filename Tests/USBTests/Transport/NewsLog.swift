import PrintModel
import Synchronization
import USB

/// What a transport told of its printers unasked.
final class NewsLog: Sendable {
    private let log: Log
    private let listening: Task<Void, Never>

    private final class Log: Sendable {
        let kinds = Mutex<[PrinterNews.Kind]>([])
    }

    init(_ transport: USBTransport) {
        let (log, stream) = (Log(), transport.news())
        self.log = log
        listening = Task {
            if let stream { for await news in stream { log.kinds.withLock { $0.append(news.kind) } } }
        }
    }

    deinit { listening.cancel() }

    var all: [PrinterNews.Kind] { log.kinds.withLock(\.self) }
    var availabilities: [Availability] {
        all.compactMap { if case .changed(let availability) = $0 { availability } else { nil } }
    }
    var states: [Availability.State] { availabilities.map(\.state) }
    var hasDisappeared: Bool { all.contains { if case .disappeared = $0 { true } else { false } } }
    func clear() { log.kinds.withLock { $0 = [] } }
}
