import DevicePrinting
import PrintModel
import Synchronization

/// The printers in use, and the jobs that were aborted on them.
actor PrinterPool {
    private let make: @Sendable (PrinterURL) -> PrinterSession
    private var printers: [PrinterURL: PrinterSession] = [:]
    private var targets: [PrinterURL: Set<PrinterTarget>] = [:]
    /// Jobs that were aborted in this run, by the ids of their deliveries; the oldest are dropped first.
    private var aborted: [(delivery: String, wasCancelled: Bool)] = []
    private var isShutDown = false

    private static let maximumAborted = 1000

    init(_ make: @escaping @Sendable (PrinterURL) -> PrinterSession) { self.make = make }

    /// The session of a target's printer; nil after `shutDown`.
    func printer(for target: PrinterTarget) -> PrinterSession? {
        guard !isShutDown else { return nil }
        targets[target.url, default: []].insert(target)
        if let known = printers[target.url] { return known }
        let printer = make(target.url)
        printers[target.url] = printer
        return printer
    }

    func printer(at url: PrinterURL) -> PrinterSession? { printers[url] }
    var all: [PrinterSession] { Array(printers.values) }

    /// The targets that use the printer of a URL.
    func targets(of url: PrinterURL) -> Set<PrinterTarget> { targets[url] ?? [] }

    /// The targets whose URL names this printer.
    func targets(of printer: USBPrinter) -> Set<PrinterTarget> {
        targets.filter { (try? USBPrinter.find($0.key, among: [printer])) != nil }.values.reduce(into: []) {
            $0.formUnion($1)
        }
    }

    func forget(_ target: PrinterTarget) async {
        targets[target.url]?.remove(target)
        guard targets[target.url]?.isEmpty != false else { return }
        targets[target.url] = nil
        await printers.removeValue(forKey: target.url)?.forget()
    }

    func shutDown() async {
        isShutDown = true
        let all = printers.values
        (printers, targets) = ([:], [:])
        await withDiscardingTaskGroup { group in
            for printer in all { group.addTask { await printer.forget() } }
        }
    }

    func noteAborted(_ delivery: String, wasCancelled: Bool) {
        aborted.append((delivery, wasCancelled))
        if aborted.count > Self.maximumAborted { aborted.removeFirst() }
    }

    /// Whether an aborted job was cancelled; nil where it was not aborted in this run.
    func wasCancelled(_ delivery: String) -> Bool? { aborted.last { $0.delivery == delivery }?.wasCancelled }
}

/// The events of printers that nobody has taken yet: of each printer the latest, and a preceding end of its connection.
final class PendingEvents: Sendable {
    private let waiting = Mutex<[PrinterURL: [DeviceConversation.Event]]>([:])
    /// Yields when there are events.
    let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    init() { (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func add(_ event: DeviceConversation.Event, of url: PrinterURL) {
        waiting.withLock { waiting in
            var kept = event == .ended ? [] : waiting[url] ?? []
            if let last = kept.last, last != .ended { kept.removeLast() }
            waiting[url] = kept + [event]
        }
        signal.yield()
    }

    func take() -> [(url: PrinterURL, event: DeviceConversation.Event)] {
        waiting.withLock { waiting in
            defer { waiting = [:] }
            return waiting.flatMap { url, events in events.map { (url, $0) } }
        }
    }
}
