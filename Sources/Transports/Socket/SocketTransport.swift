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
    public let allowsFrequentContacts = false
    private let pool: PrinterPool<SocketSession>
    private let group: any EventLoopGroup
    private let starStatusPort: StarStatusPort
    private let feed: PrinterNewsFeed
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
        starStatusPort: StarStatusPort = StarStatusPort(),
        hardwareAddress: @escaping @Sendable (String) -> String? = Neighbors.hardwareAddress
    ) {
        let (feed, known) = (PrinterNewsFeed(), KnownPrinters<PrinterURL>(capacity: Self.maximumKnown))
        (self.feed, self.group, self.starStatusPort) = (feed, group, starStatusPort)
        pool = PrinterPool { url in
            SocketSession(
                url, on: group, known: known, deadlines: deadlines, clock: clock, trace: trace, settings: settings,
                hardwareAddress: hardwareAddress
            ) {
                feed.add($0, of: url)
            }
        }
    }

    /// Of how many printers is remembered how they confirm jobs.
    private static let maximumKnown = 4096

    public func forget(_ printer: PrinterTarget) async {
        devices.withLock { $0[printer] = nil }
        await pool.forget(printer)
    }

    public func shutDown() async {
        await pool.shutDown()
        feed.finish()
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
        feed.start { [weak self] event, url in await self?.handle(event, of: url) }
        if responding.withLock({ $0.contains(target.url) }) { await session.recall(responds: true) }
        return session
    }

    // MARK: Contact and delivery

    public func contact(_ printer: PrinterTarget) async throws -> ContactReport {
        let session = try await session(of: printer)
        let settings = session.settings(profile: printer.profile)
        do {
            return try await contact(printer, over: session, settings)
        } catch let error as TransportError where settings.language == .starLine && settings.status != .never {
            guard let report = await reportOfStatusPort(of: printer, settings, instead: error) else { throw error }
            return report
        }
    }

    /// What a Star printer says at its status port while the port for data refuses us or is held by another program.
    private func reportOfStatusPort(
        of printer: PrinterTarget, _ settings: DeviceSettings, instead error: TransportError
    ) async -> ContactReport? {
        // What another device stands there for is told as it is.
        guard error.operation != "verify", [.connectionRefused, .timedOut, .printerBusy].contains(error.code),
            let status = await starStatusPort.status(of: printer.url.resolvableHost, on: group)
        else { return nil }
        var availability = status.condition.availability(drawerOpen: settings.drawerOpen)
        if availability.state != .stopped {
            let message =
                error.code == .printerBusy ? "another program has its connection; it is tried again" : error.message
            availability = Availability(.busy, reasons: availability.reasons, message: message)
        }
        return ContactReport(
            description: PrinterDescription(settings, learned: nil), availability: availability)
    }

    private func contact(
        _ printer: PrinterTarget, over session: SocketSession, _ settings: DeviceSettings
    ) async throws -> ContactReport {
        try await session.useWithRetry(profile: printer.profile) { opened, isRetry in
            guard let condition = try await self.condition(of: printer, over: opened, of: session, isRetry: isRetry)
            else { return nil }
            let responds = await opened.conversation.hasResponded
            if responds { responding.withLock { _ = $0.insert(printer.url) } }
            let device = try await verifyIdentity(of: printer, over: opened, of: session, waits: false)
            let availability = condition.availability(drawerOpen: settings.drawerOpen)
            let learned = LearnedBehavior(respondsToStatusRequests: responds, device: device)
            return ContactReport(
                description: PrinterDescription(settings, learned: responds || device != nil ? learned : nil),
                // One that reports nothing counts as ready.
                availability: availability.state == .unknown ? Availability(.ready) : availability)
        }
    }

    /// The printer's condition; nil where the connection was over before anybody noticed, and is tried once more.
    private func condition(
        of printer: PrinterTarget, over opened: SocketSession.OpenPrinter, of session: SocketSession, isRetry: Bool
    ) async throws -> DeviceCondition? {
        let condition = await opened.conversation.condition()
        if let silence = await opened.conversation.silenceAtWork, silence >= Self.maximumSilenceAtWork {
            throw TransportError(
                .timedOut, operation: "contact",
                message:
                    "\(printer.url): it has a job and does not respond; look at the printer"
            )
        }
        if await opened.conversation.isOver {
            guard isRetry else { return nil }
            throw TransportError(
                .connectionLost, operation: "contact",
                message: "\(printer.url): the printer closed the connection; check its power and its network cable")
        }
        if await opened.conversation.isUnproven {
            // Where another program prints, nothing of ours may be printed behind it.
            await session.reset(opened)
            throw TransportError(.unanswered, printer: printer.url, length: 0, advice: Self.advice)
        }
        return condition
    }

    public func deliver(
        _ delivery: Delivery, to printer: PrinterTarget, progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) async throws -> JobReport {
        let delivery = try await delivery.rendered()
        progress(.connecting)
        let session = try await session(of: printer)
        return try await session.useWithRetry(profile: printer.profile) { opened, isRetry in
            try await self.deliver(
                delivery, to: printer, over: opened, of: session, isRetry: isRetry, progress: progress)
        }
    }

    /// Delivers a document over an open connection; nil where that was closed before anything was sent over it: the
    /// delivery is then repeated.
    private func deliver(
        _ delivery: Delivery, to printer: PrinterTarget, over opened: SocketSession.OpenPrinter,
        of session: SocketSession, isRetry: Bool, progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) async throws -> JobReport? {
        do {
            try await verifyIdentity(of: printer, over: opened, of: session, waits: true)
        } catch let error as TransportError where error.code == .connectionLost && !isRetry {
            return nil
        }
        do throws(DeliveryFailure) {
            let raw = RawDelivery(delivery)
            let evidence = try await raw.send(over: opened.conversation, progress: progress)
            if await opened.conversation.hasResponded { responding.withLock { _ = $0.insert(printer.url) } }
            return JobReport(state: .completed, evidence: evidence, remarks: raw.remarks)
        } catch {
            let isRetired = await opened.conversation.isRetired
            if error.kind == .disconnected, error.accepted == 0, isRetired || !isRetry { return nil }
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

    /// How long a printer with a job may leave requests without a response before other jobs go elsewhere.
    private static let maximumSilenceAtWork = Duration.seconds(3)

    /// What to do where the printer was lost.
    private static let advice = LossAdvice(
        disconnected: "check its power and its network cable",
        failed: "check its power and its network cable"
    ) { .errno($0) }

    // MARK: Identity

    public func identity(of printer: PrinterTarget) async throws -> JudgedIdentity? {
        let session = try await session(of: printer)
        let judged: (identity: SocketIdentity, verdict: SocketIdentity.Verdict) =
            try await session.useWithRetry(profile: printer.profile) { opened, isRetry in
                guard try await self.condition(of: printer, over: opened, of: session, isRetry: isRetry) != nil else {
                    return nil
                }
                return await self.judge(printer, over: opened, of: session, waits: true)
            }
        guard !judged.identity.isIncomplete else {
            throw TransportError(
                .printerNotAccepting, operation: "verify",
                message:
                    "\(printer.url): it reports its serial number only while it can print; see to its paper and its cover, and try again"
            )
        }
        return judged.identity.device.map { device in
            let refusal: TransportError? =
                switch judged.verdict {
                case .trusted: nil
                case .changed: identityChanged(printer, to: device)
                case .unknown: identityUnknown(printer)
                }
            return JudgedIdentity(.device(device), refusal: refusal)
        }
    }

    private func judge(
        _ printer: PrinterTarget, over opened: SocketSession.OpenPrinter, of session: SocketSession, waits: Bool
    ) async -> (identity: SocketIdentity, verdict: SocketIdentity.Verdict) {
        let known = devices.withLock { $0[printer] }
        let isPinned = if case .pinned = printer.trust { true } else { false }
        let found = await session.identify(
            opened, requiresSerialNumber: isPinned || known?.serialNumber != nil, waits: waits)
        return (found, found.verdict(by: printer.trust, known: known))
    }

    /// Verifies that the connection leads to the known device, and returns that; nil where nothing tells. Throws where it
    /// leads to another, or where that cannot be told: nothing is sent then. With `waits` false, for a contact, a
    /// printer that cannot be asked now is no error.
    @discardableResult
    private func verifyIdentity(
        of printer: PrinterTarget, over opened: SocketSession.OpenPrinter, of session: SocketSession, waits: Bool
    ) async throws -> DeviceIdentification? {
        guard printer.trust != Trust.none else { return nil }
        let (found, verdict) = await judge(printer, over: opened, of: session, waits: waits)
        switch verdict {
        case .trusted:
            // Less than it reports otherwise.
            if found.isIncomplete { return nil }
            return devices.withLock { devices in
                let device = found.merged(with: devices[printer])
                if devices.count < Self.maximumKnown || devices[printer] != nil { devices[printer] = device }
                return device
            }
        case .changed:
            await session.leave(opened)
            throw identityChanged(printer, to: found.device)
        case .unknown:
            if found.isIncomplete, !waits { return nil }
            if await opened.conversation.isUnproven {
                await session.reset(opened)
                throw TransportError(.unanswered, printer: printer.url, length: 0, advice: Self.advice)
            }
            if await opened.conversation.isOver {
                throw TransportError(
                    DeliveryFailure(.disconnected, reason: "the connection is over"), printer: printer.url, length: 0,
                    advice: Self.advice)
            }
            let condition = await opened.conversation.condition()
            if condition.isStopped {
                let failure = DeliveryFailure(.stopped, reason: condition.advice ?? "it cannot print at the moment")
                throw TransportError(failure, printer: printer.url, length: 0, advice: Self.advice)
            }
            // A response that comes later must not be taken for another.
            await session.leave(opened)
            throw identityUnknown(printer)
        }
    }

    private func identityUnknown(_ printer: PrinterTarget) -> TransportError {
        TransportError(
            .printerBusy, operation: "verify",
            message:
                "\(printer.url): it does not report its serial number, as the known printer did, so nothing was sent; it is asked again. If another printer stands there, accept it with kioskctl printers trust ID, or save it with trust: none"
        )
    }

    private func identityChanged(_ printer: PrinterTarget, to device: DeviceIdentification?) -> TransportError {
        let known = devices.withLock { $0[printer]?.description }
        let before: String =
            switch (printer.trust, known) {
            case (.pinned(let pins), let known):
                pins.map(\.description).joined(separator: " or ") + " is pinned" + (known.map { " (\($0))" } ?? "")
            case (_, let known?): "it was \(known)"
            default: "it was another"
            }
        let now = device.map { "\($0.description) (\($0.fingerprint))" } ?? "one that reports nothing"
        return TransportError(
            .identityChanged, operation: "verify",
            message:
                "\(printer.url): another device stands at this address: \(now); \(before). Nothing was sent. Give the printer its address back, or accept the new one with kioskctl printers trust ID",
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

    public func news() -> AsyncStream<PrinterNews>? { feed.news }

    private func handle(_ event: DeviceConversation.Event, of url: PrinterURL) async {
        guard let session = await pool.printer(at: url) else { return }
        switch event {
        case .changed(let condition):
            for target in await pool.targets(of: url) {
                let settings = session.settings(profile: target.profile)
                let availability = condition.availability(drawerOpen: settings.drawerOpen)
                feed.publish(.changed(availability), of: [target])
            }
        // Whether it is gone, or its idle limit was over, the next contact shows.
        case .ended: await session.releaseBroken()
        }
    }
}
