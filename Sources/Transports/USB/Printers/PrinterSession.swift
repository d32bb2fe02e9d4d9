import KioskAsyncPrimitives
import KioskDevicePrinting
import KioskPrintModel
import Synchronization

/// The use of one printer: opens it when it is first needed, and keeps it until it is unplugged or forgotten.
actor PrinterSession {
    let url: PrinterURL
    private let bus: USBBus
    private let known: KnownPrinters
    private let settings: @Sendable (PrinterIdentity) -> DeviceSettings
    private let report: @Sendable (DeviceConversation.Event) -> Void
    private let clock: any Clock<Duration>
    private let trace: DeviceTrace
    /// Held by whoever opens or closes the printer.
    let mutex = AsyncMutex()
    private var opened: OpenPrinter?
    /// The recovery that the printer needs when it is opened.
    private var recovery = PendingRecovery.none
    private var isForgotten = false
    /// The bus's count of changes for which the URL was last compared with the printers that are plugged in.
    private var comparedAt: Int?
    /// The attachment for which it was reopened because its device id had become known.
    private var reopenedFor: Attachment?

    /// One attachment of the device to the bus, from plugging in to removal.
    private struct Attachment: Equatable {
        private var port: USBPort
        private var address: UInt8

        init(_ printer: USBPrinter) { (port, address) = (printer.port, printer.address) }
    }

    /// A connection, and the conversation over it.
    struct OpenPrinter: Sendable {
        var connection: USBConnection
        var conversation: DeviceConversation
        var printer: USBPrinter { connection.printer }
    }

    init(
        _ url: PrinterURL, on bus: USBBus, known: KnownPrinters, clock: any Clock<Duration>, trace: WireTrace,
        settings: @escaping @Sendable (PrinterIdentity) -> DeviceSettings,
        report: @escaping @Sendable (DeviceConversation.Event) -> Void
    ) {
        (self.url, self.bus, self.known, self.clock, self.settings, self.report) = (
            url, bus, known, clock, settings, report
        )
        self.trace = DeviceTrace(trace, .usb, of: url)
    }

    /// Returns the open printer, which is opened first if need be.
    func open(profile: String?) async throws(USBOpenError) -> OpenPrinter {
        guard await mutex.lock() else { throw .cancelled }
        defer { mutex.unlock() }
        if let opened {
            if await !opened.conversation.isOver, await !hasNewDeviceID(opened), try await isStillNamed(opened) {
                return opened
            }
            await release(opened)
        }
        guard !isForgotten else { throw .cancelled }
        let changes = await bus.changeCount
        let printer = try USBPrinter.find(url, among: try await bus.printers())
        let identity = PrinterIdentity(
            profile: profile, makeAndModel: printer.makeAndModel, deviceID: printer.deviceID?.description)
        let settings = settings(identity)
        let connection = try await bus.open(url, settings: settings.usb, trace: trace)
        let key = KnownPrinters.Key(connection.printer)
        recovery.add(known.takeRecovery(of: key))
        let conversation = DeviceConversation(
            connection, settings: settings, language: connection.printer.deviceID?.statusLanguage,
            labels: connection.printer.deviceID?.labelLanguage, recovery: recovery, former: known[key], clock: clock,
            trace: trace, report: report)
        let opened = OpenPrinter(connection: connection, conversation: conversation)
        (self.opened, recovery, comparedAt) = (opened, .none, changes)
        await conversation.begin()
        return opened
    }

    /// Whether the URL still names the open printer, and no other that was plugged in since. Where several match, or
    /// another one does, a job under way continues, and no other starts. The caller holds the mutex.
    private func isStillNamed(_ opened: OpenPrinter) async throws(USBOpenError) -> Bool {
        let changes = await bus.changeCount
        guard comparedAt != changes else { return true }
        let printers: [USBPrinter]
        let named: USBPrinter
        do throws(USBOpenError) {
            printers = try await bus.printers()
            named = try USBPrinter.find(url, among: printers)
        } catch {
            switch error.kind {
            // It was unplugged: its conversation finds that out itself.
            case .notFound, .accessDenied: return true
            case .ambiguous: break
            default: throw error
            }
            trace.tell("\(error.reason), which prints on none of them")
            if await opened.conversation.retire() { await release(opened) }
            throw error
        }
        if Attachment(named) == Attachment(opened.printer) {
            comparedAt = changes
            return true
        }
        guard await opened.conversation.retire() else {
            let urls = [opened.printer, named].compactMap(\.url)
            throw USBOpenError(.ambiguous(urls), operation: "find", reason: "the URL names another printer now")
        }
        return false
    }

    /// Whether a printer that had no device id when it was opened returns one now, so that it must be reopened: profile
    /// and language may differ. Once per attachment, since the scan may still get none. The response takes a while, and
    /// a job that started meanwhile continues.
    private func hasNewDeviceID(_ printer: OpenPrinter) async -> Bool {
        let attachment = Attachment(printer.printer)
        guard printer.printer.deviceID == nil, attachment != reopenedFor, !printer.conversation.isBusy,
            await printer.connection.deviceID() != nil,
            await printer.conversation.retire()
        else { return false }
        trace.tell("the printer has a device id now, and is opened again")
        reopenedFor = attachment
        await bus.requery(printer.printer)
        return true
    }

    /// Closes the printer unless it is busy, so that IPP can use its interface.
    func releaseIfIdle() async {
        guard opened != nil, await mutex.lock() else { return }
        defer { mutex.unlock() }
        if let opened, await opened.conversation.retire() { await release(opened) }
    }

    /// The settings of the open printer; nil while it is not open.
    var deviceSettings: DeviceSettings? { opened?.conversation.settings }

    /// Releases a broken connection, so that the printer can be reopened. This may take as long as the device does, so
    /// only callers that open or forget the printer wait for it.
    func releaseBroken() {
        Task {
            guard await mutex.lock() else { return }
            defer { mutex.unlock() }
            if let opened, await opened.conversation.isOver { await release(opened) }
        }
    }

    /// Handles a removal that the bus reports: not every printer's pipe notices it.
    func removed(_ printer: USBPrinter) async {
        guard let opened, opened.printer.port == printer.port, opened.printer.address == printer.address else {
            return
        }
        await opened.conversation.end()
    }

    /// Requires a recovery: a job that an earlier run started may have been aborted anywhere.
    func requireRecovery() async {
        if let opened, await opened.conversation.requireRecovery(missing: 0) { return }
        recovery.add(.resynchronising(missing: 0))
    }

    /// Closes the printer for good, even where the caller is cancelled.
    func forget() async {
        isForgotten = true
        await opened?.conversation.end(isReported: false)
        await Task {
            // Waits for a caller that is just opening it.
            guard await mutex.lock() else { return }
            defer { mutex.unlock() }
            if let opened { await release(opened) }
        }.value
    }

    /// Closes the printer completely, even where the caller is cancelled; otherwise the device would stay claimed. The
    /// caller holds the mutex.
    private func release(_ printer: OpenPrinter) async {
        opened = nil
        await Task {
            await printer.conversation.end(isReported: false)
            let recovery = await printer.conversation.remainingRecovery()
            var memory = await printer.conversation.memory
            // One that is merely opened again is still the printer that did not respond.
            if await !printer.conversation.isRetired { memory.allowAnotherTry() }
            known.note(memory, recovery: recovery, of: KnownPrinters.Key(printer.printer))
            await printer.connection.close()
        }.value
    }
}

/// How the printers of this run have confirmed jobs, and the recovery that each needs before its next job. Kept while
/// they are unplugged, closed or forgotten.
final class KnownPrinters: Sendable {
    /// The identity of a printer: its serial number, else the port where it is plugged in.
    struct Key: Hashable, Sendable {
        private let model: USBModel
        private let identity: DeviceIdentity

        init(_ printer: USBPrinter) {
            model = USBModel(vendor: printer.vendor, product: printer.product)
            identity = printer.identity ?? .port(path: printer.port.description, serial: nil)
        }
    }

    private typealias Known = (key: Key, memory: CompletionMemory, recovery: PendingRecovery)
    private let printers = Mutex<[Known]>([])

    /// More than one bus can have; the least recently used one is dropped first.
    static let capacity = 127

    subscript(key: Key) -> CompletionMemory? { printers.withLock { $0.last { $0.key == key }?.memory } }

    /// Takes the pending recovery of a printer, for a conversation that will do it.
    func takeRecovery(of key: Key) -> PendingRecovery {
        printers.withLock { printers in
            guard let index = printers.lastIndex(where: { $0.key == key }) else { return .none }
            defer { printers[index].recovery = .none }
            return printers[index].recovery
        }
    }

    /// Records a printer. A recovery that is already pending stays pending.
    func note(_ memory: CompletionMemory, recovery: PendingRecovery = .none, of key: Key) {
        printers.withLock { printers in
            var pending = printers.last { $0.key == key }?.recovery ?? .none
            pending.add(recovery)
            printers.removeAll { $0.key == key }
            printers.append((key, memory, pending))
            if printers.count > Self.capacity { printers.removeFirst() }
        }
    }
}

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
