import KioskAsyncPrimitives
public import KioskPrintModel
import KioskPrinterRegistry
import Logging

// MARK: Questions

extension PrintEngine {
    /// Every saved printer with what is known of it, in the registry's order.
    public func printers() -> [PrinterStatus] {
        registry.snapshot.printers.compactMap { status(of: $0.id) }
    }

    /// One saved printer. Throws `unknown-printer`.
    public func printer(_ id: PrinterID) throws -> PrinterStatus {
        guard let status = status(of: id) else { throw EngineError.unknownPrinter(id) }
        return status
    }

    private func status(of id: PrinterID) -> PrinterStatus? {
        guard let state = board.printers[id] else { return nil }
        let registry = registry.snapshot
        let identity = PrinterIdentity(
            profile: state.saved.profile, makeAndModel: state.description?.makeAndModel,
            deviceID: state.description?.deviceID
        )
        var status = PrinterStatus(
            printer: state.saved, availability: state.availability, description: state.description,
            profileJobTypes: state.profileJobTypes, quirks: registry.profiles?.quirks(for: identity) ?? [],
            contactedAt: contacts.time(of: id), roles: registry.roles(naming: id), jobCount: board.waitingCount(for: id)
        )
        status.nextContactAt = contacts.heldBack(id, at: clock.now())
        return status
    }

    /// The certificate or host key that a printer shows now, and what its trust makes of it; nil where its connection
    /// has none. Asks the printer, with a deadline, on a connection of its own. Throws `unknown-printer` or
    /// `printer-unreachable`.
    public func identity(of id: PrinterID) async throws -> JudgedIdentity? {
        try await trustInspection(of: id).identity()
    }

    /// What a printer shows beside the trust in force, which judged it in the handshake that showed it.
    public func inspectTrust(of id: PrinterID) async throws -> PrinterTrust {
        try await trustInspection(of: id).trust()
    }

    /// Has a printer show which one it is, by light, sound or a message on its panel, and returns what it was asked to
    /// do; empty where that is its choice. For operators: it may disturb whoever sits beside it. Throws
    /// `unknown-printer`, `printer-unreachable`, or `identification-unsupported`.
    public func identify(_ id: PrinterID, message: String? = nil) async throws -> PrinterIdentification {
        guard let saved = registry.printer(id) else { throw EngineError.unknownPrinter(id) }
        guard let transport = transports[saved.url.scheme] else { throw EngineError.noTransport(for: saved) }
        do {
            let actions = try await transport.identify(saved.target, message: message)
            return PrinterIdentification(printer: id, actions: actions)
        } catch let error as TransportError {
            let isUnsupported = error.code == .notSupported
            throw EngineError(isUnsupported ? .identificationUnsupported : .printerUnreachable, error.message)
        }
    }

    private func trustInspection(of id: PrinterID) throws -> TrustInspection {
        guard let saved = registry.printer(id) else { throw EngineError.unknownPrinter(id) }
        guard let transport = transports[saved.url.scheme] else { throw EngineError.noTransport(for: saved) }
        return TrustInspection(printer: saved, transport: transport, clock: clock)
    }
}

// MARK: Contact

extension PrintEngine {
    /// Contacts a printer now, and returns what is known of it then. Throws `unknown-printer`.
    ///
    /// Calls for the same printer share one contact. A printer that cannot be reached is an availability, not an error.
    /// One that waits after a lasting failure is contacted for operators only: others get the result of the last
    /// contact, and the time of the next. After a refused login each contact is another failed one, and directories
    /// lock accounts after a handful.
    public func contact(_ id: PrinterID, by requester: Requester = .program) async throws -> PrinterStatus {
        if !requester.isOperator, contacts.task(of: id) == nil, contacts.heldBack(id, at: clock.now()) != nil,
            let known = status(of: id)
        {
            return known
        }
        // An edit in the middle makes the result one about the printer as it was; then it is asked once more.
        for _ in 0..<Self.maximumContactAttempts {
            guard registry.printer(id) != nil, !isShuttingDown else { break }
            // Whoever asks gets a result, and no doubt.
            if await beginContact(id).value, !contacts.isDoubted(id) { break }
        }
        guard let status = status(of: id) else { throw EngineError.unknownPrinter(id) }
        return status
    }

    private static let maximumContactAttempts = 3

    /// Asks printers about once a second while `body` runs, for somebody who looks on. Printers over SSH, LPD, USB
    /// and raw TCP keep to their interval; the others are asked 20 times a second in all.
    public func watchingPrinters<Result: Sendable>(_ body: @Sendable () async -> Result) async -> Result {
        contacts.beginWatch(at: clock.now())
        defer { contacts.endWatch(at: clock.now()) }
        return await body()
    }

    /// Contacts whatever is due, and sleeps until something is.
    func contactLoop() async {
        while !Task.isCancelled {
            let now = clock.now()
            let due = contacts.due(at: now) { board.isWanted($0) }
            for id in due.ids { _ = beginContact(id) }
            await sleep(untilDue: contacts.next(after: now, isLimited: due.isLimited))
        }
    }

    private func sleep(untilDue next: Timestamp?) async {
        let wait = next.map { $0.millisecondsSince1970 - clock.now().millisecondsSince1970 } ?? Self.maximumSleep
        let duration = Duration.milliseconds(min(max(wait, 1), Self.maximumSleep))
        await withTaskGroup(of: Void.self) { [clock, dueSooner = contacts.dueSooner] group in
            group.addTask { try? await clock.sleep(duration) }
            group.addTask { await dueSooner.wait() }
            await group.next()
            group.cancelAll()
        }
    }

    /// Milliseconds. The clock of the machine may be set while nothing is due.
    private static let maximumSleep: Int64 = 60_000

    private func beginContact(_ id: PrinterID) -> Task<Bool, Never> {
        if let running = contacts.task(of: id) { return running }
        let task = Task { await performContact(id) }
        contacts.begin(id, task)
        return task
    }

    /// False when the printer was changed or removed meanwhile.
    private func performContact(_ id: PrinterID) async -> Bool {
        defer { contacts.end(id) }
        guard let saved = board.printers[id]?.saved else { return false }
        var report: ContactReport?
        var failure: Availability?
        var obstacle: Obstacle?
        var pace = Obstacle.Pace.usual
        var retryAfter: Duration?
        var isInDoubt = false
        let silence = watchForSilence(of: id)
        defer { silence?.cancel() }
        do {
            guard let transport = transports[saved.url.scheme] else { throw EngineError.noTransport(for: saved) }
            trace.contactBegan(saved)
            await outdatedConnections.closing(of: id)?.value
            let result = try await transport.contact(saved.target)
            trace.contactSucceeded(saved, result)
            report = result
            pace = Obstacle.Pace(of: result.availability)
        } catch let error as TransportError {
            failure = Self.availability(after: error)
            obstacle = Obstacle(error.code)
            pace = obstacle?.pace ?? Obstacle.Pace(after: error.code)
            retryAfter = error.retryAfter
            isInDoubt = isWorthDoubting(error, of: id)
            trace.contactFailed(saved, error, isInDoubt: isInDoubt)
        } catch {
            failure = Availability(.unreachable, message: "\(error)")
            trace.contactFailed(saved, error, isInDoubt: false)
        }
        // The registry may have given the name to another device meanwhile, or another login; then the result is not
        // about it.
        guard let current = board.printers[id]?.saved, current.target == saved.target, !Task.isCancelled else {
            trace.contactAbandoned(saved)
            contacts.abandon(id, isSaved: board.printers[id] != nil, at: clock.now())
            return false
        }
        contacts.noteResult(of: id, at: clock.now(), isInDoubt: isInDoubt)
        if !isInDoubt {
            if let description = report?.description {
                report?.description.learned = learned(of: id, describedNowAs: description)
            }
            learn(of: id, report?.availability ?? failure ?? .unknown, behind: obstacle, report?.description)
        }
        let circumstances = ContactSchedule.Circumstances(
            isAvailable: board.printers[id]?.availability.isAvailable ?? false, isWanted: board.isWanted(id),
            pace: pace, retryAfter: retryAfter, isInDoubt: isInDoubt,
            idleInterval: transports[saved.url.scheme]?.idleContactInterval,
            allowsFrequentContacts: transports[saved.url.scheme]?.allowsFrequentContacts ?? false,
            responded: report != nil,
            spread: .random(in: 0...1)
        )
        contacts.scheduleNext(id, at: clock.now(), circumstances)
        if let report { await remember(report.description, of: current) }
        return true
    }

    /// A contact may take as long as a connection does to fail. Nil for a printer that has nothing to do: who sends it
    /// a job finds out.
    private func watchForSilence(of id: PrinterID) -> Task<Void, Never>? {
        guard board.printers[id]?.current != nil else { return nil }
        return Task { [clock, configuration] in
            guard (try? await clock.sleep(configuration.silenceTimeout)) != nil else { return }
            self.noteSilence(of: id)
        }
    }

    private func noteSilence(of id: PrinterID) {
        guard contacts.task(of: id) != nil, board.printers[id]?.isSilent == false else { return }
        logger.info("\(id) has a job and does not respond: those that wait go to other printers of their roles")
        trace.isSilent(id, at: board.printers[id]?.saved.url)
        board.noteSilence(of: id)
        dispatchAll()
    }

    /// Whether to query the printer again before its silence counts: one lost packet is not an outage. A job that meets
    /// the silence goes elsewhere at once all the same.
    private func isWorthDoubting(_ error: TransportError, of id: PrinterID) -> Bool {
        guard error.code == .timedOut || error.code == .connectionLost else { return false }
        return board.printers[id]?.availability.isAvailable == true && !contacts.isDoubted(id)
    }

    /// Stores a description that is new, so that a restart knows what the printer can do.
    private func remember(_ description: PrinterDescription, of printer: SavedPrinter) async {
        guard let contact = contacts.remember(description, of: printer, at: clock.now()) else { return }
        do {
            try await store.remember(contact, of: printer.id)
        } catch {
            storage.note(error, doing: "store the printer's description")
            contacts.noteUnstored(printer.id)
        }
    }

    /// A job that its printer no longer told of shows that the printer keeps no history: the next contact takes that
    /// in and stores it, so it is made now, once.
    func contactToLearn(of id: PrinterID) {
        guard board.printers[id]?.description?.learned?.lacksJobHistory != true else { return }
        contactSoon(id)
    }

    func contactSoon(_ id: PrinterID) { contacts.contactSoon(id, at: clock.now()) }
}

// MARK: What is learnt of printers

extension PrintEngine {
    /// Something was learnt of a printer: transitions are logged and shown, and jobs that it concerns move.
    func learn(
        of id: PrinterID, _ availability: Availability, behind obstacle: Obstacle? = nil,
        _ description: PrinterDescription? = nil
    ) {
        guard let before = board.printers[id] else { return }
        board.printer(id, is: availability, behind: obstacle, described: description)
        let isChanged = before.availability != availability || (description != nil && before.description != description)
        guard isChanged else { return }
        trace.availabilityChanged(before.saved, from: before.availability, to: availability)
        if before.availability.state != availability.state {
            logger.info("\(id) is \(availability.logText) (was \(before.availability.state.rawValue))")
        }
        hub.publish(.printerChanged, printer: status(of: id))
        dispatchAll()
        if description != nil, before.description != description { abortUnprintable() }
    }

    /// A job could not be sent to the printer, as it is saved now, for this reason. What stood in the way before
    /// somebody mended it is not news.
    func learn(
        of printer: SavedPrinter, from error: TransportError, _ availability: Availability? = nil,
        by monitor: DeliveryMonitor
    ) {
        guard board.printers[printer.id]?.saved.target == printer.target,
            monitor.edits == contacts.editCount(of: printer.id)
        else { return }
        let obstacle = Obstacle(error.code)
        learn(of: printer.id, availability ?? Self.availability(after: error), behind: obstacle)
        if let obstacle { contacts.holdBack(printer.id, behind: obstacle, at: clock.now()) }
    }

    /// What holds of a printer that describes itself in this way now: all that was learned before, unless it has
    /// become another, and what its transport learned.
    private func learned(of id: PrinterID, describedNowAs description: PrinterDescription) -> LearnedBehavior? {
        guard let before = board.printers[id]?.description, before.isOfSameDevice(as: description) else {
            return description.learned
        }
        return LearnedBehavior.union(before.learned, description.learned)
    }

    /// The format in which receipts go to a printer from now on that gave one up as `format`, and a remark on it. Nil
    /// where it takes them in no other, or where nothing shows that it was the format: then nothing is learned either.
    func nextFormat(
        after format: DocumentFormat, of id: Int64, on printer: SavedPrinter, because why: JobReport.UnprintedAbort
    ) -> (format: DocumentFormat, remark: String)? {
        guard let preparation, let job = jobs[id]?.job, let state = board.printers[printer.id],
            state.saved.target == printer.target, var description = state.description
        else { return nil }
        // Whoever names the format that it takes had another reason.
        let isGuess = description.announcedFormat(for: format) == .octetStream && !description.saysEscPOS
        guard why == .format || isGuess else { return nil }
        let known = description.learned ?? LearnedBehavior()
        description.learned = known
        description.learned?.refusedFormats.insert(format)
        var target = state.preparationTarget
        target.description = description
        guard let next = preparation.preparedFormat(of: job.format, for: target), next != format,
            !known.refusedFormats.contains(next)
        else { return nil }
        learn(of: printer.id, state.availability, behind: state.obstacle, description)
        Task { await remember(description, of: printer) }
        let remark =
            why == .format
            ? "the printer aborted it as \(format): it was sent as \(next)"
            : "the printer aborted it as \(format): from now on receipts go there as \(next)"
        return (next, remark)
    }

    private static func availability(after error: TransportError) -> Availability {
        switch FailureDecision(error) {
        case .passOver(let availability): availability
        case .retrySoon: .busyWithOthers(error.message)
        default: Availability(.unreachable, message: error.message)
        }
    }

    /// Takes in what transports learn of printers unasked, until the surrounding task is cancelled.
    func followNews() async {
        await withDiscardingTaskGroup { group in
            for stream in everyTransport.compactMap({ $0.news() }) {
                group.addTask {
                    for await news in stream { await self.handle(news) }
                }
            }
        }
    }

    /// A printer that came back is contacted at once, and what waits for it goes on. News of a printer that is saved
    /// otherwise by now concerns nobody.
    private func handle(_ news: PrinterNews) {
        for (id, printer) in board.printers where printer.saved.target == news.printer {
            switch news.kind {
            case .appeared: contacts.contactAfresh(id, at: clock.now())
            case .disappeared(let why): learn(of: id, Availability(.unreachable, message: why))
            case .changed(let availability):
                contacts.noteNews(of: id)
                learn(of: id, availability)
            }
        }
    }
}

// MARK: Changes of the registry

extension PrintEngine {
    /// Puts the registry as it is now in force.
    package func applyRegistry() async {
        let new = await registryStore.registry
        let problem = await registryStore.problem
        let changed = registry.snapshot.printers.filter { old in new.printer(old.id)?.target != old.target }
        registry.update(new, problem: problem.map { "\($0)" })
        let fromProfiles = new.printers.compactMap { printer in
            new.profileJobTypes(of: printer).map { (printer.id, $0) }
        }
        board.configure(
            printers: new.printers, roles: new.roles,
            profileJobTypes: Dictionary(uniqueKeysWithValues: fromProfiles)
        )
        for printer in new.printers where board.printers[printer.id]?.description == nil {
            guard let known = contacts.recall(printer) else { continue }
            board.printer(printer.id, is: .unknown, described: known)
            if let learned = known.learned { transports[printer.url.scheme]?.recall(learned, of: printer.target) }
        }
        contacts.keep(Set(new.printers.map(\.id)), at: clock.now())
        outdatedConnections.keep { new.printer($0) != nil }
        for printer in changed {
            let isSameDevice = new.printer(printer.id)?.url == printer.url
            if !isSameDevice { contacts.forgetTime(of: printer.id) }
            // Whoever names another profile knows better than what was learned under the last.
            if let state = board.printers[printer.id], state.saved.profile != printer.profile,
                var description = state.description
            {
                description.learned?.refusedFormats = []
                board.printer(printer.id, is: state.availability, behind: state.obstacle, described: description)
            }
            if isSameDevice, let current = new.printer(printer.id),
                let learned = board.printers[printer.id]?.description?.learned
            {
                transports[current.url.scheme]?.recall(learned, of: current.target)
            }
            await leave(printer, isSameDevice: isSameDevice)
            // What still waits for the old device ends, and asks for the new one.
            contacts.task(of: printer.id)?.cancel()
            if registry.printer(printer.id) != nil { contacts.contactAfresh(printer.id, at: clock.now()) }
        }
        if isRunning { await endOrphans() }
        contacts.dueSooner.raise()
        dispatchAll()
        abortUnprintable()
    }

    /// Closes the connections that are kept for a printer as it was saved, once no job is on it that was sent over
    /// them.
    private func leave(_ printer: SavedPrinter, isSameDevice: Bool) async {
        if isSameDevice, board.printers[printer.id]?.current != nil {
            outdatedConnections.add(printer.target, of: printer.id)
        } else {
            await transports[printer.url.scheme]?.forget(printer.target)
        }
    }

    /// The secrets changed: every printer that is logged in to with one of them is asked anew at once, and its jobs go
    /// on. Others are left alone: a refused login that did not change would be refused again. Returns who is asked.
    @discardableResult
    public func credentialsChanged(_ isChanged: @Sendable (String) -> Bool = { _ in true }) async -> [PrinterID] {
        let concerned = registry.snapshot.printers.filter { $0.credentials.map(isChanged) == true }
        for printer in concerned {
            await leave(printer, isSameDevice: true)
            contacts.contactAfresh(printer.id, at: clock.now())
        }
        return concerned.map(\.id)
    }

    /// Follows the registry's changes, however they came about.
    func followRegistry() async {
        let changes = registryStore.changes
        // What changed between the engine's start and now.
        await applyRegistry()
        for await change in changes {
            await applyRegistry()
            switch change {
            case .reloaded:
                let new = registry.snapshot
                logger.info("the registry is reloaded: \(new.printers.count) printers, \(new.roles.count) roles")
                hub.publish(.registryReloaded)
            case .refused(let error):
                logger.error("the registry is refused, the last good one stays in force: \(error)")
                hub.publish(.registryRefused, message: "\(error)")
            }
        }
    }

    /// Reloads the registry whenever its file changes.
    func watchRegistry() async {
        do {
            try await registryStore.watch()
        } catch {
            logger.error("the registry's file is not watched: \(error); after an edit send SIGHUP")
        }
    }
}

extension Availability {
    /// The availability as log lines show it.
    fileprivate var logText: String {
        let reasons = reasons.isEmpty ? "" : ": " + reasons.map(\.ippKeyword).joined(separator: ", ")
        let message = message.map { " – \($0)" } ?? ""
        return "\(state.rawValue)\(reasons)\(message)".withoutControlCharacters
    }
}
