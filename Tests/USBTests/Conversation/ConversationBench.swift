import PrintModel
import Synchronization
import TestSupport

@testable import DevicePrinting

/// A model printer, a conversation with it, and a clock that stands still.
final class ConversationBench: Sendable {
    let printer: ModelPrinter
    let clock = ManualClock()
    let conversation: DeviceConversation
    private let heard: NewsLog

    /// Epson's, as their profile has it.
    static let epson = DeviceSettings(
        language: .escPOS, completion: .processID, recovery: .clearBuffers, paperSpeed: 150)

    init(
        _ settings: DeviceSettings = epson, labels: LabelLanguage? = nil, debt: DeviceConversation.Debt = .none,
        _ change: (inout ModelPrinter.Settings) -> Void = { _ in }
    ) async {
        var model = ModelPrinter.Settings()
        change(&model)
        let (printer, heard) = (ModelPrinter(model), NewsLog())
        (self.printer, self.heard) = (printer, heard)
        conversation = DeviceConversation(
            printer, settings: settings, language: nil, labels: labels, debt: debt, seed: 0, clock: clock
        ) {
            heard.add($0)
        }
        await conversation.begin()
    }

    var news: [DeviceConversation.News] { heard.all }
    func forgetNews() { heard.clear() }

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

    /// How a delivery fails.
    func failure(_ text: String) async throws -> DeliveryFailure {
        do {
            let evidence = try await deliver(text)
            throw TestSupportError("it was delivered: \(evidence)")
        } catch let failure as DeliveryFailure {
            return failure
        }
    }

    /// Starts a delivery and cancels it once the printer has taken so many bytes and no more moves.
    func cancel(_ bytes: [UInt8], after count: Int) async throws -> DeliveryFailure {
        let delivery = Task { try await deliver(bytes) }
        try await eventually("\(count) bytes are taken") { printer.taken >= count }
        delivery.cancel()
        guard case .failure(let failure as DeliveryFailure) = await delivery.result else {
            throw TestSupportError("not cancelled")
        }
        return failure
    }

    private final class NewsLog: Sendable {
        private let news = Mutex<[DeviceConversation.News]>([])
        var all: [DeviceConversation.News] { news.withLock(\.self) }
        func add(_ one: DeviceConversation.News) { news.withLock { $0.append(one) } }
        func clear() { news.withLock { $0 = [] } }
    }
}
