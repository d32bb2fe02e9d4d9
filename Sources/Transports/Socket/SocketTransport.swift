import KioskDevicePrinting
public import KioskPrintModel
public import NIOCore
public import NIOPosix
import Synchronization

/// The transport to printers that take raw data over TCP (AppSocket, "JetDirect", port 9100): `socket://host`.
///
/// A printer that responds is asked before each job: connecting and writing prove nothing, since a printer that serves
/// another program accepts both and prints it later.
public final class SocketTransport: Transport {
    public let schemes: Set<PrinterURL.Scheme> = [.socket]
    private let pool: PrinterPool<SocketSession>
    private let pendingEvents: PendingEvents
    private let newsStream: AsyncStream<PrinterNews>
    private let newsOutput: AsyncStream<PrinterNews>.Continuation
    private let listening = Mutex<Task<Void, Never>?>(nil)
    /// The printers that have responded to a request for their status, in this run or an earlier one.
    private let responding = Mutex<Set<PrinterURL>>([])
    /// The devices that were found, in this run or an earlier one.
    private let devices = Mutex<[PrinterTarget: DeviceIdentification]>([:])

    /// How long is waited for a printer.
    package struct Deadlines: Sendable {
        /// Until it accepts a connection.
        package var connect = Duration.seconds(5)
        /// How long a connection is kept after its last use.
        package var idleTimeout = Duration.seconds(5)
        /// How long it gets to close its end of a connection, after ours.
        package var close = Duration.seconds(5)
        /// How old a printer's last response may be when it is sent a job.
        package var maximumSilence = Duration.seconds(2)

        package init() {}
    }

    /// `settings` are those of a printer's profile.
    public convenience init(
        settings: @escaping @Sendable (PrinterIdentity) -> DeviceSettings = { _ in DeviceSettings() },
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton, trace: WireTrace = WireTrace()
    ) {
        self.init(settings: settings, group: group, deadlines: Deadlines(), clock: ContinuousClock(), trace: trace)
    }

    package init(
        settings: @escaping @Sendable (PrinterIdentity) -> DeviceSettings, group: any EventLoopGroup,
        deadlines: Deadlines, clock: any Clock<Duration> = ContinuousClock(), trace: WireTrace = WireTrace(),
        hardwareAddress: @escaping @Sendable (String) -> String? = Neighbors.hardwareAddress
    ) {
        (newsStream, newsOutput) = AsyncStream.makeStream(
            of: PrinterNews.self, bufferingPolicy: .bufferingNewest(Self.backlog))
        let (pendingEvents, known) = (PendingEvents(), KnownPrinters<PrinterURL>(capacity: Self.maximumKnown))
        self.pendingEvents = pendingEvents
        pool = PrinterPool { url in
            SocketSession(
                url, on: group, known: known, deadlines: deadlines, clock: clock, trace: trace, settings: settings,
                hardwareAddress: hardwareAddress
            ) {
                pendingEvents.add($0, of: url)
            }
        }
    }

    /// The number of news items that are kept for a slow reader; the oldest are dropped.
    private static let backlog = 256
    /// Of how many printers is remembered how they confirm jobs.
    private static let maximumKnown = 4096

    public func forget(_ printer: PrinterTarget) async {
        devices.withLock { $0[printer] = nil }
        await pool.forget(printer)
    }

    public func shutDown() async {
        await pool.shutDown()
        listening.withLock { $0?.cancel() }
        newsOutput.finish()
    }

    public func recall(_ learned: LearnedBehavior, of printer: PrinterTarget) {
        if learned.respondsToStatusRequests { responding.withLock { _ = $0.insert(printer.url) } }
        if let device = learned.device { devices.withLock { $0[printer] = device } }
    }

    private func session(of target: PrinterTarget) async throws -> SocketSession {
        guard schemes.contains(target.url.scheme) else {
            throw TransportError(
                .notSupported, operation: "connect",
                message: "\(target.url): this transport serves socket://host only; save the printer under such a URL")
        }
        guard let session = await pool.printer(for: target) else {
            throw TransportError(
                .cancelled, operation: "connect",
                message: "\(target.url): printing is shutting down; print again when it runs")
        }
        startListening()
        if responding.withLock({ $0.contains(target.url) }) { await session.recall(responds: true) }
        return session
    }

    // MARK: Contact and delivery

    public func contact(_ printer: PrinterTarget) async throws -> ContactReport {
        let session = try await session(of: printer)
        let settings = session.settings(profile: printer.profile)
        return try await session.useAgain(profile: printer.profile) { opened, isRepeated in
            let condition = await opened.conversation.condition()
            if await opened.conversation.isOver {
                guard isRepeated else { return nil }
                throw TransportError(
                    .connectionLost, operation: "contact",
                    message:
                        "\(printer.url): the printer closed the connection; check its power and its network cable")
            }
            if await opened.conversation.isUnproven {
                // Where another program prints, nothing of ours may be printed behind it.
                await session.reset(opened)
                throw TransportError(.unanswered, printer: printer.url, length: 0, advice: Self.advice)
            }
            let responds = await opened.conversation.hasResponded
            if responds { responding.withLock { _ = $0.insert(printer.url) } }
            // One that is stopped says nothing of itself, and gets nothing either.
            let device = try await identify(printer, over: opened, of: session, mayBeUnknown: condition.isStopped)
            let availability = condition.availability(drawerOpen: settings.drawerOpen)
            return ContactReport(
                description: PrinterDescription(settings, responds: responds, device: device),
                // One that reports nothing counts as ready.
                availability: availability.state == .unknown ? Availability(.ready) : availability)
        }
    }

    public func deliver(
        _ delivery: Delivery, to printer: PrinterTarget, progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) async throws -> JobReport {
        progress(.connecting)
        let session = try await session(of: printer)
        return try await session.useAgain(profile: printer.profile) { opened, isRepeated in
            try await self.deliver(
                delivery, to: printer, over: opened, of: session, isRepeated: isRepeated, progress: progress)
        }
    }

    /// Delivers a document over an open connection; nil where that was closed before anything was sent over it: the
    /// delivery is then repeated.
    private func deliver(
        _ delivery: Delivery, to printer: PrinterTarget, over opened: SocketSession.OpenPrinter,
        of session: SocketSession, isRepeated: Bool, progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) async throws -> JobReport? {
        try await identify(printer, over: opened, of: session)
        if await opened.conversation.isRetired { return nil }
        // Asked who it is, an ESC/POS printer was asked for its status before.
        let wasAsked = opened.conversation.language == .escPOS
        if wasAsked, await opened.conversation.isUnproven, await !opened.conversation.isOver {
            await session.reset(opened)
            throw TransportError(
                .unanswered, printer: printer.url, length: delivery.document.length, advice: Self.advice)
        }
        do throws(DeliveryFailure) {
            let raw = RawDelivery(delivery)
            let evidence = try await raw.send(over: opened.conversation, progress: progress)
            if await opened.conversation.hasResponded { responding.withLock { _ = $0.insert(printer.url) } }
            return JobReport(state: .completed, evidence: evidence, remarks: raw.remarks)
        } catch {
            let isRetired = await opened.conversation.isRetired
            if error.kind == .disconnected, error.accepted == 0, isRetired || !isRepeated { return nil }
            if error.accepted > 0 {
                await pool.noteAborted(delivery.jobID, wasCancelled: error.kind == .cancelled && !error.isComplete)
            }
            // Of a printer that never responds nobody knows whether it has begun.
            let mayHaveBegun = await opened.conversation.hasResponded || error.isComplete
            if error.kind == .unanswered || error.accepted > 0 && !mayHaveBegun { await session.reset(opened) }
            throw TransportError(
                error, printer: printer.url, length: delivery.document.length, advice: Self.advice)
        }
    }

    /// What to do where the printer was lost.
    private static let advice = LossAdvice(
        disconnected: "check its power and its network cable",
        failed: "check its power and its network cable"
    ) { .errno($0) }

    // MARK: Identity

    public func identity(of printer: PrinterTarget) async throws -> JudgedIdentity? {
        let session = try await session(of: printer)
        return try await session.use(profile: printer.profile) { opened in
            _ = await opened.conversation.condition()
            let (found, verdict) = await self.judge(printer, over: opened, of: session)
            return found.device.map { device in
                JudgedIdentity(
                    .device(device), refusal: verdict == .changed ? self.changed(printer, to: device) : nil)
            }
        }
    }

    private func judge(
        _ printer: PrinterTarget, over opened: SocketSession.OpenPrinter, of session: SocketSession
    ) async -> (SocketIdentity, SocketIdentity.Verdict) {
        let known = devices.withLock { $0[printer] }
        let found = await session.identify(opened, mustSayTexts: known?.serialNumber != nil)
        return (found, found.judged(by: printer.trust, known: known))
    }

    /// Finds out which device the connection leads to; nil where nothing tells. Throws where it is another than the
    /// known one, or does not say: nothing is sent to it then.
    @discardableResult
    private func identify(
        _ printer: PrinterTarget, over opened: SocketSession.OpenPrinter, of session: SocketSession,
        mayBeUnknown: Bool = false
    ) async throws -> DeviceIdentification? {
        guard printer.trust != Trust.none else { return nil }
        let (found, verdict) = await judge(printer, over: opened, of: session)
        switch verdict {
        case .trusted:
            // What is found while it is stopped may be less than it says otherwise.
            guard let device = found.device, found.isComplete else { return nil }
            devices.withLock { if $0.count < Self.maximumKnown || $0[printer] != nil { $0[printer] = device } }
            return device
        case .changed: throw changed(printer, to: found.device)
        case .unknown:
            // Why it cannot be asked, the delivery finds out.
            let isOver = await opened.conversation.isOver
            let isUnproven = await opened.conversation.isUnproven
            if isOver || isUnproven || mayBeUnknown { return nil }
            let condition = await opened.conversation.condition()
            if condition.isStopped {
                let failure = DeliveryFailure(.stopped, reason: condition.advice ?? "it cannot print at the moment")
                throw TransportError(failure, printer: printer.url, length: 0, advice: Self.advice)
            }
            throw TransportError(
                .printerBusy, operation: "identify",
                message:
                    "\(printer.url): it does not say which device it is, as it did before, so nothing was sent; it is asked again"
            )
        }
    }

    private func changed(_ printer: PrinterTarget, to device: DeviceIdentification?) -> TransportError {
        let known: String =
            if case .pinned(let pins) = printer.trust {
                pins.map(\.description).joined(separator: " or ") + " is pinned"
            } else {
                "it was \(devices.withLock { $0[printer]?.description } ?? "another one")"
            }
        return TransportError(
            .identityChanged, operation: "identify",
            message:
                "\(printer.url): another device stands at this address: \(device?.description ?? "it says nothing of itself"), and \(known); nothing was sent. Give the printer its address back, or accept the new one with kioskctl printers trust",
            identity: device.map { .device($0) })
    }

    // MARK: Earlier jobs

    public func locate(_ delivery: Delivery, on printer: PrinterTarget) async throws -> RemoteJob? {
        try await pool.locate(delivery, on: printer)
    }

    public func follow(
        _ job: RemoteJob, on printer: PrinterTarget, update: @escaping @Sendable (JobReport) -> Void
    ) async throws -> JobReport { try await pool.follow(job, on: printer) }

    public func cancel(_ job: RemoteJob, on printer: PrinterTarget) async throws {
        _ = try await pool.follow(job, on: printer)
    }

    // MARK: News

    public func news() -> AsyncStream<PrinterNews>? { newsStream }

    /// Starts to follow the connected printers, with the first call for one.
    private func startListening() {
        listening.withLock { task in
            guard task == nil else { return }
            task = Task { [weak self, pendingEvents] in
                for await _ in pendingEvents.signals {
                    for (url, event) in pendingEvents.take() { await self?.handle(event, of: url) }
                }
            }
        }
    }

    private func handle(_ event: DeviceConversation.Event, of url: PrinterURL) async {
        guard let session = await pool.printer(at: url) else { return }
        switch event {
        case .changed(let condition):
            for target in await pool.targets(of: url) {
                let settings = session.settings(profile: target.profile)
                let availability = condition.availability(drawerOpen: settings.drawerOpen)
                newsOutput.yield(PrinterNews(.changed(availability), of: target))
            }
        // Whether it is gone, or its idle limit was over, the next contact shows.
        case .ended: await session.releaseBroken()
        }
    }
}

extension PrinterDescription {
    /// A printer of which its profile alone says what it takes.
    fileprivate init(_ settings: DeviceSettings, responds: Bool, device: DeviceIdentification?) {
        let language: PrinterLanguage? =
            switch settings.language {
            case .escPOS?: .escPOS
            case .starLine?: .star
            case nil: nil
            }
        // Raw documents are always accepted, for clients that know the printer's language better.
        self.init(
            jobTypes: language?.jobTypes ?? [], formats: [language?.format, .octetStream].compactMap(\.self),
            defaultFormat: language?.format ?? .octetStream, ticketSupport: RawDelivery.ticketSupport,
            learned: responds || device != nil
                ? LearnedBehavior(respondsToStatusRequests: responds, device: device) : nil)
    }
}
