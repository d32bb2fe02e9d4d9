import DevicePrinting
import PrintModel

/// One printer that is ours: opened when it is first needed, and kept until it is unplugged or forgotten.
actor OwnedPrinter {
    let url: PrinterURL
    private let bus: USBBus
    private let known: KnownPrinters
    private let settings: @Sendable (PrinterIdentity) -> DeviceSettings
    private let report: @Sendable (DeviceConversation.News) -> Void
    private let clock: any Clock<Duration>
    /// Held by whoever opens or closes it.
    let lane = Lane()
    private var held: Held?
    /// What is to be done first when it is opened.
    private var debt = DeviceConversation.Debt.none
    private var isForgotten = false
    /// Where it was when it was opened anew because it had said at last who it is.
    private var reopened: Place?

    /// A plugging in.
    private struct Place: Equatable {
        private var port: USBPort
        private var address: UInt8

        init(_ printer: USBPrinter) { (port, address) = (printer.port, printer.address) }
    }

    /// A connection, and the talk over it.
    struct Held: Sendable {
        var connection: USBConnection
        var conversation: DeviceConversation
        var printer: USBPrinter { connection.printer }
    }

    init(
        _ url: PrinterURL, on bus: USBBus, known: KnownPrinters, clock: any Clock<Duration>,
        settings: @escaping @Sendable (PrinterIdentity) -> DeviceSettings,
        report: @escaping @Sendable (DeviceConversation.News) -> Void
    ) {
        (self.url, self.bus, self.known, self.clock, self.settings, self.report) = (
            url, bus, known, clock, settings, report
        )
    }

    /// As it is open now, or opened for it.
    func open(profile: String?) async throws(USBOpenError) -> Held {
        guard await lane.enter() else { throw .cancelled }
        defer { lane.leave() }
        if let held {
            if await !held.conversation.isOver, await !hasNowSaidWhoItIs(held) { return held }
            await release(held)
        }
        guard !isForgotten else { throw .cancelled }
        let printer = try USBPrinter.find(url, among: try await bus.printers())
        let identity = PrinterIdentity(
            profile: profile, makeAndModel: printer.makeAndModel, deviceID: printer.deviceID?.description)
        let settings = settings(identity)
        let connection = try await bus.open(url, settings: settings.usb)
        let key = KnownPrinters.Key(connection.printer)
        debt.grow(to: known.takeDebt(of: key))
        let conversation = DeviceConversation(
            connection, settings: settings, language: connection.printer.deviceID?.statusLanguage,
            labels: connection.printer.deviceID?.labelLanguage, debt: debt, former: known[key], clock: clock,
            report: report)
        let held = Held(connection: connection, conversation: conversation)
        (self.held, debt) = (held, .none)
        await conversation.begin()
        return held
    }

    /// Whether a printer that did not say who it is when it was opened has said so now, so that it is worth opening
    /// anew: profile and language may be others. Once for each plugging in, since it may never say so when it is looked
    /// at. It takes a while to answer, and a job that began meanwhile goes on.
    private func hasNowSaidWhoItIs(_ held: Held) async -> Bool {
        let place = Place(held.printer)
        guard held.printer.deviceID == nil, place != reopened, !held.conversation.isBusy,
            await held.connection.deviceID() != nil,
            await held.conversation.retire()
        else { return false }
        reopened = place
        await bus.askAnew(held.printer)
        return true
    }

    /// Others drive it from now on.
    func letGo() async {
        guard held != nil, await lane.enter() else { return }
        defer { lane.leave() }
        if let held, await held.conversation.retire() { await release(held) }
    }

    /// Of the printer that it is just now; nil while it is not open.
    var deviceSettings: DeviceSettings? { held?.conversation.settings }

    /// Gives back what has broken, so that the printer can be opened anew. It may take as long as the device does, so
    /// nobody waits for it but whoever opens or forgets the printer.
    func releaseBroken() {
        Task {
            guard await lane.enter() else { return }
            defer { lane.leave() }
            if let held, await held.conversation.isOver { await release(held) }
        }
    }

    /// The cable was pulled, as the bus says: not every printer's pipe notices that by itself.
    func left(_ printer: USBPrinter) async {
        guard let held, held.printer.port == printer.port, held.printer.address == printer.address else { return }
        await held.conversation.end()
    }

    /// Of a job that an earlier run began, nobody knows where it broke off.
    func mayHaveBrokenOff() async {
        if let held, await held.conversation.owe(0) { return }
        debt.grow(to: .resynchronising(missing: 0))
    }

    /// Closes it for good, also for a caller that is cancelled.
    func forget() async {
        isForgotten = true
        await held?.conversation.end(isNews: false)
        await Task {
            // Waits for whoever opens it at this moment.
            guard await lane.enter() else { return }
            defer { lane.leave() }
            if let held { await release(held) }
        }.value
    }

    /// What was begun is brought to its end, whatever becomes of the caller: else the device would stay ours for ever.
    /// The caller holds the lane.
    private func release(_ held: Held) async {
        self.held = nil
        await Task {
            await held.conversation.end(isNews: false)
            let debt = await held.conversation.remainingDebt()
            known.note(await held.conversation.memory, debt: debt, of: KnownPrinters.Key(held.printer))
            await held.connection.close()
        }.value
    }
}

extension USBPrinter {
    /// As people write it.
    package var makeAndModel: String { "\(names.maker) \(names.model)" }
}
