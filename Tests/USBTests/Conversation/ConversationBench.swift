import KioskPrintModel
import KioskTestSupport
import Synchronization

@testable import KioskDevicePrinting

/// A model printer, a conversation with it, and a manual clock.
final class ConversationBench: Sendable {
    let printer: ModelPrinter
    let clock = ManualClock()
    let conversation: DeviceConversation
    private let log: EventLog

    /// The settings of the Epson profile.
    static let epson = DeviceSettings(
        language: .escPOS, completion: .processID, recovery: .clearBuffers, paperSpeed: 150)

    init(
        _ settings: DeviceSettings = epson, labels: LabelLanguage? = nil, recovery: PendingRecovery = .none,
        former: CompletionMemory? = nil, trace: DeviceTrace = DeviceTrace(),
        _ change: (inout ModelPrinter.Settings) -> Void = { _ in }
    ) async {
        var model = ModelPrinter.Settings()
        change(&model)
        let (printer, log) = (ModelPrinter(model), EventLog())
        (self.printer, self.log) = (printer, log)
        conversation = DeviceConversation(
            printer, settings: settings, language: nil, labels: labels, recovery: recovery, former: former, seed: 0,
            clock: clock, trace: trace
        ) {
            log.add($0)
        }
        await conversation.begin()
    }

    var events: [DeviceConversation.Event] { log.all }
    func clearEvents() { log.clear() }

    func deliver(
        _ text: String, progress: @escaping @Sendable (RunningJob.Event) -> Void = { _ in }
    ) async throws -> Evidence {
        try await deliver(Array(text.utf8), progress: progress)
    }

    func deliver(
        _ bytes: [UInt8], progress: @escaping @Sendable (RunningJob.Event) -> Void = { _ in }
    ) async throws -> Evidence {
        try await conversation.deliver(try await DocumentReader(.bytes(bytes)), progress: progress)
    }

    /// The failure of a delivery.
    func failure(_ text: String) async throws -> DeliveryFailure {
        do {
            let evidence = try await deliver(text)
            throw TestSupportError("it was delivered: \(evidence)")
        } catch let failure as DeliveryFailure {
            return failure
        }
    }

    /// Starts a delivery, and cancels it once the printer has accepted `count` bytes.
    func cancel(_ bytes: [UInt8], after count: Int) async throws -> DeliveryFailure {
        let delivery = Task { try await deliver(bytes) }
        try await eventually("\(count) bytes are accepted") { printer.accepted >= count }
        delivery.cancel()
        guard case .failure(let failure as DeliveryFailure) = await delivery.result else {
            throw TestSupportError("not cancelled")
        }
        return failure
    }

    private final class EventLog: Sendable {
        private let events = Mutex<[DeviceConversation.Event]>([])
        var all: [DeviceConversation.Event] { events.withLock(\.self) }
        func add(_ one: DeviceConversation.Event) { events.withLock { $0.append(one) } }
        func clear() { events.withLock { $0 = [] } }
    }
}

/// The progress events of a delivery.
final class ProgressLog: Sendable {
    private let events = Mutex<[RunningJob.Event]>([])

    func add(_ event: RunningJob.Event) { events.withLock { $0.append(event) } }
    var all: [RunningJob.Event] { events.withLock(\.self) }
    var counts: [Int] { all.compactMap { if case .accepted(let count) = $0 { count } else { nil } } }
}
