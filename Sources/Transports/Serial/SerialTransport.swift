import KioskDevicePrinting
public import KioskPrintModel
import Synchronization

/// The transport to printers on serial ports, USB adapters and Bluetooth's serial port profile among them:
/// `serial:/dev/serial/by-id/NAME?baud=115200+flow=hard`. A port is opened when its printer is first used, and kept:
/// while this runs, no other program writes to it.
public final class SerialTransport: Transport {
    public let schemes: Set<PrinterURL.Scheme> = [.serial]
    private let pool: PrinterPool<SerialSession>
    private let feed: PrinterNewsFeed
    /// The printers that are awaited since their device is gone.
    private let awaited = Mutex<[PrinterURL: Task<Void, Never>]>([:])
    /// The printers that have responded to a request for their status, in this run or an earlier one.
    private let responding = Mutex<Set<PrinterURL>>([])

    /// How long is waited for a port's driver.
    package struct Deadlines: Sendable {
        package var open = Duration.seconds(5)
        package var close = Duration.seconds(2)

        package init() {}
    }

    /// `settings` are those of a printer's profile.
    public convenience init(
        settings: @escaping @Sendable (PrinterIdentity) -> DeviceSettings = { _ in DeviceSettings() },
        trace: WireTrace = WireTrace()
    ) {
        self.init(settings: settings, clock: ContinuousClock(), trace: trace)
    }

    init(
        settings: @escaping @Sendable (PrinterIdentity) -> DeviceSettings, deadlines: Deadlines = Deadlines(),
        clock: any Clock<Duration>, calls: BlockingCalls = BlockingCalls(), trace: WireTrace = WireTrace()
    ) {
        let (feed, known) = (PrinterNewsFeed(), KnownPrinters<PrinterURL>())
        self.feed = feed
        pool = PrinterPool { url in
            SerialSession(
                url, known: known, deadlines: deadlines, clock: clock, calls: calls, trace: trace, settings: settings
            ) {
                feed.add($0, of: url)
            }
        }
    }

    public func forget(_ printer: PrinterTarget) async {
        await pool.forget(printer)
        guard await pool.targets(of: printer.url).isEmpty else { return }
        awaited.withLock { $0.removeValue(forKey: printer.url) }?.cancel()
    }

    public func shutDown() async {
        await pool.shutDown()
        for task in awaited.withLock({ $0.values }) { task.cancel() }
        feed.finish()
    }

    public func recall(_ learned: LearnedBehavior, of printer: PrinterTarget) {
        if learned.respondsToStatusRequests { responding.withLock { _ = $0.insert(printer.url) } }
    }

    /// The open printer of a target, which is opened if need be.
    private func open(_ target: PrinterTarget) async throws -> SerialSession.OpenPrinter {
        guard schemes.contains(target.url.scheme) else {
            throw TransportError(
                .notSupported, operation: "open",
                message: "\(target.url): this transport serves serial:/dev/… only; save the printer under such a URL")
        }
        guard let session = await pool.printer(for: target) else {
            throw TransportError(SerialPortError(.cancelled, "open"), printer: target.url)
        }
        feed.start { [weak self] event, url in await self?.handle(event, of: url) }
        if responding.withLock({ $0.contains(target.url) }) { await session.recall(responds: true) }
        do throws(SerialPortError) {
            return try await session.open(profile: target.profile)
        } catch {
            if error.kind == .notFound || error.kind == .disconnected {
                awaitReturn(of: target.url, session, mustHaveGone: error.kind == .disconnected)
            }
            throw TransportError(error, printer: target.url)
        }
    }

    // MARK: Contact and delivery

    public func contact(_ printer: PrinterTarget) async throws -> ContactReport {
        let (opened, condition) = try await ask(printer)
        let conversation = opened.conversation
        if await conversation.isOver {
            throw TransportError(SerialPortError(.disconnected, "contact"), printer: printer.url)
        }
        if await conversation.endIfUnanswered() { throw unanswered(printer) }
        let responds = await conversation.hasResponded
        if responds { responding.withLock { _ = $0.insert(printer.url) } }
        let availability = condition.availability(drawerOpen: conversation.settings.drawerOpen)
        return ContactReport(
            description: PrinterDescription(
                conversation.settings, learned: responds ? LearnedBehavior(respondsToStatusRequests: true) : nil),
            // One that reports nothing counts as ready.
            availability: availability.state == .unknown ? Availability(.ready) : availability)
    }

    /// Opens the printer if need be, and asks for its condition: nothing else tells that it was switched off. Throws
    /// where it answers again and again with what is no status.
    private func ask(_ printer: PrinterTarget) async throws -> (SerialSession.OpenPrinter, DeviceCondition) {
        var unreadable = 0
        while true {
            let opened = try await open(printer)
            await opened.conversation.requireStatusRequest()
            let condition = await opened.conversation.condition()
            let count = await opened.conversation.endIfUnreadable()
            // Over the same conversation it would not be asked again.
            guard count > 0 else { return (opened, condition) }
            unreadable += count
            guard unreadable < Self.maximumUnreadable else {
                // Something answers there, and a single one may be noise: it gets no job before that can be read.
                await pool.printer(at: printer.url)?.recall(responds: true)
                throw TransportError(
                    .protocolViolation, operation: "contact",
                    message: """
                        \(printer.url): the printer answers, but not at this baud rate: its last \(unreadable) \
                        responses cannot be read. Print its settings page (hold its feed button while you switch it \
                        on), and save it with the baud rate, parity and bits that stand there
                        """)
            }
        }
    }

    private static let maximumUnreadable = 3

    public func deliver(
        _ delivery: Delivery, to printer: PrinterTarget, progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) async throws -> JobReport {
        let delivery = try await delivery.rendered()
        progress(.connecting)
        if printer.url.serialSettings?.flowControl == .soft { try await Self.refuseFlowControl(in: delivery, printer) }
        var isRetry = false
        while true {
            if let report = try await deliver(delivery, to: printer, isRetry: isRetry, progress: progress) {
                return report
            }
            isRetry = true
        }
    }

    /// Delivers a document over the open port; nil where its conversation ended before anything was sent, because of a
    /// contact: the delivery is then repeated over a new one.
    private func deliver(
        _ delivery: Delivery, to printer: PrinterTarget, isRetry: Bool,
        progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) async throws -> JobReport? {
        var conversation = try await open(printer).conversation
        let (hasResponded, unreadable) = await (conversation.hasResponded, conversation.unreadableResponses)
        if !hasResponded || unreadable > 0 { conversation = try await ask(printer).0.conversation }
        do throws(DeliveryFailure) {
            let raw = RawDelivery(delivery)
            let evidence = try await raw.send(over: conversation, progress: progress)
            if await conversation.hasResponded { responding.withLock { _ = $0.insert(printer.url) } }
            return JobReport(state: .completed, evidence: evidence, remarks: raw.remarks)
        } catch {
            if error.kind == .disconnected, error.accepted == 0, !isRetry { return nil }
            if error.accepted > 0 {
                await pool.noteAborted(delivery.jobID, wasCancelled: error.kind == .cancelled && !error.isComplete)
            }
            if error.kind == .unanswered {
                _ = await conversation.endIfUnanswered()
                throw unanswered(printer)
            }
            throw TransportError(
                error, printer: printer.url, length: delivery.document.length, advice: Self.advice)
        }
    }

    /// The error of a printer that has responded at other times. It is asked again over a new conversation.
    private func unanswered(_ printer: PrinterTarget) -> TransportError {
        TransportError(
            .timedOut, operation: "contact",
            message: """
                \(printer.url): the printer does not respond, so nothing was sent; check that it is on, its cable, and \
                that its baud rate and flow control are those of the URL
                """)
    }

    /// Refuses a document that holds XON or XOFF, as pictures do: the line takes them for flow control.
    private static func refuseFlowControl(in delivery: Delivery, _ printer: PrinterTarget) async throws {
        var place = 0
        do throws(DocumentReader.Failure) {
            let document = try await DocumentReader(delivery.document.body)
            while place < document.length {
                let chunk = try await document.read(scanLength, at: place)
                if chunk.contains(where: { $0 == 0x11 || $0 == 0x13 }) { break }
                place += max(1, chunk.count)
            }
            guard place < document.length else { return }
        } catch {
            throw TransportError(
                .documentUnreadable, operation: "read",
                message: "\(printer.url): \(error.path): \(error.reason); print the document again",
                underlying: error.errno.map { .errno($0) })
        }
        throw TransportError(
            .jobRefused, operation: "print",
            message: """
                \(printer.url): the document holds bytes that flow=soft takes for XON or XOFF (11h, 13h), as pictures do; \
                set the printer to DTR/DSR or RTS/CTS, and save it with flow=dtrdsr or flow=hard
                """)
    }

    private static let scanLength = 65_536

    /// What to do where the printer was lost.
    private static let advice = LossAdvice(
        disconnected: "check its cable, its adapter and its power", failed: "check its cable, its adapter and its power"
    ) { .errno($0) }

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
                feed.publish(.changed(condition.availability(drawerOpen: settings.drawerOpen)), of: [target])
            }
        case .ended:
            // A port that was opened again meanwhile is there.
            await session.releaseLost {
                let error = TransportError(SerialPortError(.disconnected, "read"), printer: url)
                await self.publish(.disappeared(error.message), of: url)
                self.awaitReturn(of: url, session, mustHaveGone: false)
            }
        }
    }

    /// Announces a printer when its device is there again.
    private func awaitReturn(of url: PrinterURL, _ session: SerialSession, mustHaveGone: Bool) {
        awaited.withLock { awaited in
            guard awaited[url] == nil else { return }
            awaited[url] = Task { [weak self] in
                let isBack = await session.waitForReturn(mustHaveGone: mustHaveGone)
                guard !Task.isCancelled else { return }
                self?.awaited.withLock { $0[url] = nil }
                if isBack { await self?.publish(.appeared, of: url) }
            }
        }
    }

    private func publish(_ kind: PrinterNews.Kind, of url: PrinterURL) async {
        feed.publish(kind, of: await pool.targets(of: url))
    }
}

extension TransportError {
    /// The error for people of a port that could not be opened, or was lost. Nothing was sent.
    init(_ error: SerialPortError, printer: PrinterURL) {
        let (code, message) = Self.explain(error, printer)
        self.init(
            code, operation: error.operation, message: "\(printer): \(message)",
            underlying: error.code == 0 ? nil : .errno(error.code))
    }

    private static func explain(_ error: SerialPortError, _ printer: PrinterURL) -> (Code, String) {
        let device = printer.devicePath ?? ""
        switch error.kind {
        case .notFound:
            return (
                .hostNotFound,
                "there is no \(device); plug its adapter in, and compare the name with ls /dev/serial/by-id"
            )
        case .accessDenied(let group?):
            return (
                .accessDenied,
                """
                this program may not open \(device), which the group \(group) may; add SupplementaryGroups=\(group) to \
                the service (systemctl edit kioskd), or its user to the group (usermod -aG \(group) USER), and restart it
                """
            )
        case .accessDenied(nil):
            return (
                .accessDenied,
                "this program may not open \(device); give it to a group (chgrp, or a udev rule), and run this in that group"
            )
        case .forbidden:
            return (
                .accessDenied,
                """
                the service may not open \(device); allow it with DeviceAllow=\(device) rw (systemctl edit kioskd), and \
                restart it
                """
            )
        case .busy:
            return (.printerBusy, "another program has \(device) open; end that program, or remove the printer from it")
        case .blocked:
            return (
                .printerBusy,
                """
                the driver of \(device) is still busy with an earlier call: it waits for a printer or an adapter that takes \
                no data; it is tried again, and if this lasts, unplug the adapter and plug it in again
                """
            )
        case .notSerial: return (.notSupported, "\(device) is not a serial port; compare it with ls /dev/serial/by-id")
        case .unsupportedSettings:
            return (.notSupported, "\(device) cannot be set to \(printer.query ?? ""); set printer and URL to others")
        case .noDataSetReady:
            return (
                .notSupported,
                "\(device) has no wire for DSR, which flow=dtrdsr needs; use flow=hard, or flow=none for short receipts"
            )
        case .disconnected:
            return (
                .connectionLost,
                "the printer's adapter was unplugged, or the printer switched off; plug it in and switch it on"
            )
        case .cancelled: return (.cancelled, "the opening was cancelled")
        case .failed:
            return (
                .connectionLost,
                "\(device) cannot be used (\(error.reason)); unplug its adapter and plug it in again"
            )
        }
    }
}
