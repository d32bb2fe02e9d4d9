import Logging
public import PrintModel
import PrinterRegistry

extension PrintEngine {
    /// Every saved printer with what is known of it, in the registry's order.
    public func printers() -> [PrinterStatus] {
        snapshot.printers.compactMap { status(of: $0.id) }
    }

    /// One saved printer. Throws `unknown-printer`.
    public func printer(_ id: PrinterID) throws -> PrinterStatus {
        guard let status = status(of: id) else { throw Self.unknown(id) }
        return status
    }

    func status(of id: PrinterID) -> PrinterStatus? {
        guard let state = board.printers[id] else { return nil }
        var status = PrinterStatus(
            printer: state.saved, availability: state.availability, description: state.description,
            profileJobTypes: state.profileJobTypes, quirks: quirks(of: state), contactedAt: contactTimes[id],
            roles: snapshot.roles(naming: id), jobCount: board.waitingCount(for: id)
        )
        status.nextContactAt = schedule.heldBack(id, at: clock.now())
        return status
    }

    private func quirks(of state: DispatchBoard.PrinterState) -> [Quirk] {
        let identity = PrinterIdentity(
            profile: state.saved.profile, makeAndModel: state.description?.makeAndModel,
            deviceID: state.description?.deviceID
        )
        return snapshot.profiles?.quirks(for: identity) ?? []
    }

    /// Contacts a printer now, and returns what is known of it then. Throws `unknown-printer`.
    ///
    /// Calls for the same printer share one contact. A printer that cannot be reached is an availability, not an error.
    /// One that waits after a lasting failure is contacted for operators only: others get the result of the last
    /// contact, and the time of the next. After a refused login each contact is another failed one, and directories
    /// lock accounts after a handful.
    public func contact(_ id: PrinterID, by requester: Requester = .program) async throws -> PrinterStatus {
        if !requester.isOperator, contacts[id] == nil, schedule.heldBack(id, at: clock.now()) != nil,
            let known = status(of: id)
        {
            return known
        }
        // An edit in the middle makes the answer one about the printer as it was; then it is asked once more.
        for _ in 0..<Self.mostContactAttempts {
            guard snapshot.printer(id) != nil, !isShuttingDown else { break }
            // Whoever asks gets an answer, and no doubt.
            if await beginContact(id).value, !doubted.contains(id) { break }
        }
        guard let status = status(of: id) else { throw Self.unknown(id) }
        return status
    }

    private static let mostContactAttempts = 3

    static func unknown(_ id: PrinterID) -> EngineError {
        EngineError(.unknownPrinter, "there is no printer \"\(id)\"; list them with: kioskctl printers list")
    }

    private func beginContact(_ id: PrinterID) -> Task<Bool, Never> {
        if let running = contacts[id] { return running }
        schedule.begun(id)
        let contact = Task { await performContact(id) }
        contacts[id] = contact
        return contact
    }

    /// False when the printer was changed or removed meanwhile.
    private func performContact(_ id: PrinterID) async -> Bool {
        defer { contacts[id] = nil }
        guard let saved = board.printers[id]?.saved else { return false }
        var report: ContactReport?
        var failure: Availability?
        var obstacle: Obstacle?
        var isInDoubt = false
        let silence = watchForSilence(of: id)
        defer { silence?.cancel() }
        do {
            guard let transport = transports[saved.url.scheme] else {
                throw EngineError(
                    .noTransport, "no transport for \(saved.url.scheme) is built in; see the limits in the manual")
            }
            await leaving[id]?.value
            report = try await transport.contact(saved.target)
        } catch let error as TransportError {
            failure = Self.availability(after: error)
            obstacle = Obstacle(error.code)
            isInDoubt = isWorthDoubting(error, of: id)
        } catch {
            failure = Availability(.unreachable, message: "\(error)")
        }
        // The registry may have given the name to another device meanwhile, or another login; then the answer is not
        // about it.
        guard let current = board.printers[id]?.saved, current.target == saved.target, !Task.isCancelled else {
            // While this contact ran, none of that other device was begun.
            contacts[id] = nil
            schedule.abandoned(id)
            if board.printers[id] != nil { contactSoon(id) }
            return false
        }
        contactTimes[id] = clock.now()
        if isInDoubt {
            doubted.insert(id)
        } else {
            doubted.remove(id)
            learn(of: id, report?.availability ?? failure ?? .unknown, behind: obstacle, report?.description)
        }
        let circumstances = ContactSchedule.Circumstances(
            isAvailable: board.printers[id]?.availability.isAvailable ?? false, isWanted: board.isWanted(id),
            pace: obstacle?.pace ?? .usual, isInDoubt: isInDoubt,
            idleInterval: transports[saved.url.scheme]?.idleContactInterval,
            spread: .random(in: 0...1)
        )
        schedule.ended(id, at: clock.now(), circumstances, configuration: configuration)
        if heardMeanwhile.remove(id) != nil { schedule.contactNow(id, at: clock.now()) }
        alarm.ring()
        if let report { await remember(report.description, of: current) }
        return true
    }

    /// A contact may take as long as a connection does to fail. Nil for a printer that has nothing to do: who sends it
    /// a job finds out.
    private func watchForSilence(of id: PrinterID) -> Task<Void, Never>? {
        guard board.printers[id]?.current != nil else { return nil }
        return Task { [clock, configuration] in
            guard (try? await clock.sleep(configuration.silencePatience)) != nil else { return }
            self.noteSilence(of: id)
        }
    }

    private func noteSilence(of id: PrinterID) {
        guard contacts[id] != nil, board.printers[id]?.isSilent == false else { return }
        logger.info("\(id) has a job and does not answer: those that wait go to other printers of their roles")
        board.noteSilence(of: id)
        dispatchAll()
    }

    /// One lost packet is no outage: a printer that works is asked again before its silence counts. A job that meets
    /// the silence goes elsewhere at once all the same.
    private func isWorthDoubting(_ error: TransportError, of id: PrinterID) -> Bool {
        guard error.code == .timedOut || error.code == .connectionLost else { return false }
        return board.printers[id]?.availability.isAvailable == true && !doubted.contains(id)
    }

    static func availability(after error: TransportError) -> Availability {
        switch FailureDecision(error) {
        case .passOver(let availability): availability
        default: Availability(.unreachable, message: error.message)
        }
    }

    /// Stores a description that is new, so that a restart knows what the printer can do.
    private func remember(_ description: PrinterDescription, of printer: SavedPrinter) async {
        if let known = remembered[printer.id], known.description == description, known.url == printer.url { return }
        let contact = JobStore.RememberedContact(url: printer.url, description: description, contactedAt: clock.now())
        remembered[printer.id] = contact
        do {
            try await store.remember(contact, of: printer.id)
        } catch {
            noteStorage(error as? EngineError ?? EngineError.storage(error, doing: "store the printer's description"))
        }
    }

    /// Something was learnt of a printer: transitions are logged and shown, and jobs that it concerns move.
    func learn(
        of id: PrinterID, _ availability: Availability, behind obstacle: Obstacle? = nil,
        _ description: PrinterDescription? = nil
    ) {
        guard let before = board.printers[id] else { return }
        board.printer(id, is: availability, behind: obstacle, described: description)
        let isChanged = before.availability != availability || (description != nil && before.description != description)
        guard isChanged else { return }
        if before.availability.state != availability.state {
            logger.info("\(id) is \(availability.inWords) (was \(before.availability.state.rawValue))")
        }
        hub.publish(.printerChanged, printer: status(of: id))
        dispatchAll()
        if description != nil, before.description != description { abortUnprintable() }
    }

    /// A printer that just printed is there, whatever the last contact said.
    func sawPrinterWork(_ id: PrinterID) {
        failures[id] = nil
        doubted.remove(id)
        schedule.forgive(id)
        schedule.worked(id, at: clock.now(), configuration: configuration)
        switch board.printers[id]?.availability.state {
        case .unreachable, .unknown: learn(of: id, Availability(.ready))
        // It had stopped with a job in it, which is finished: it goes on, or that was the last it could do. It knows.
        case .stopped: contactSoon(id)
        default: break
        }
    }

    /// A job could not be sent to the printer, as it is saved now, for this reason; asks it soon, where that is worth
    /// while. What stood in the way before somebody mended it is no news.
    func learn(
        of printer: SavedPrinter, from error: TransportError, _ availability: Availability? = nil,
        by attempt: DeliveryMonitor
    ) {
        guard board.printers[printer.id]?.saved.target == printer.target, attempt.edits == edits[printer.id, default: 0]
        else { return }
        let obstacle = Obstacle(error.code)
        learn(of: printer.id, availability ?? Self.availability(after: error), behind: obstacle)
        if let obstacle { schedule.holdBack(printer.id, at: clock.now(), obstacle.pace, configuration: configuration) }
    }

    /// Whatever was known of a printer's trust or login does not hold any more: it is asked anew at once.
    func contactAfresh(_ id: PrinterID) {
        edits[id, default: 0] += 1
        schedule.forgive(id)
        // What runs is about the printer as it was; its end begins the next.
        contacts[id]?.cancel()
        contactSoon(id)
    }

    func contactSoon(_ id: PrinterID) {
        guard contacts[id] == nil else { return }
        schedule.contactNow(id, at: clock.now())
        alarm.ring()
    }

    // MARK: The contact loop

    /// Contacts whatever is due, and sleeps until something is.
    func contactLoop() async {
        while !Task.isCancelled {
            let now = clock.now()
            var isFull = false
            for id in schedule.due(at: now) {
                // A job waits for no bound.
                guard schedule.runningCount < configuration.maximumIdleContacts || board.isWanted(id) else {
                    isFull = true
                    continue
                }
                _ = beginContact(id)
            }
            // Where no more of those that are due may run, the end of one of them rings.
            await sleepUntilDue(isFull ? schedule.next(after: now) : schedule.next)
        }
    }

    private func sleepUntilDue(_ next: Timestamp?) async {
        let wait = next.map { $0.millisecondsSince1970 - clock.now().millisecondsSince1970 } ?? Self.longestSleep
        let duration = Duration.milliseconds(min(max(wait, 1), Self.longestSleep))
        await withTaskGroup(of: Void.self) { [clock, alarm] group in
            group.addTask { try? await clock.sleep(duration) }
            group.addTask { await alarm.wait() }
            await group.next()
            group.cancelAll()
        }
    }

    /// In milliseconds: the clock of the machine may be set while nothing is due.
    private static var longestSleep: Int64 { 60_000 }
}

extension Availability {
    /// For a log line.
    fileprivate var inWords: String {
        let reasons = reasons.isEmpty ? "" : ": " + reasons.map(\.ippKeyword).joined(separator: ", ")
        let message = message.map { " – \($0)" } ?? ""
        return "\(state.rawValue)\(reasons)\(message)".withoutControlCharacters
    }
}
