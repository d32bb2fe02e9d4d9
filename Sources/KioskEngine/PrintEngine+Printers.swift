internal import Logging
public import PrintModel
internal import PrinterRegistry

extension PrintEngine {
    /// Every saved printer with what is known of it, in the registry's order.
    public func printers() -> [PrinterStatus] {
        snapshot.printers.compactMap { status(of: $0.id) }
    }

    func status(of id: PrinterID) -> PrinterStatus? {
        guard let state = board.printers[id] else { return nil }
        return PrinterStatus(
            printer: state.saved, availability: state.availability, description: state.description,
            profileJobTypes: state.profileJobTypes, contactedAt: contactTimes[id], roles: snapshot.roles.filter { $0.printers.contains(id) }.map(\.name),
            jobCount: board.waitingCount(for: id)
        )
    }

    /// Contacts a printer now, and returns what is known of it then. Throws `unknown-printer`.
    ///
    /// Calls for the same printer share one contact. A printer that cannot be reached is an availability, not an error.
    public func contact(_ id: PrinterID) async throws -> PrinterStatus {
        guard snapshot.printer(id) != nil, let status = await beginContact(id).value else {
            throw EngineError(.unknownPrinter, "there is no printer \"\(id)\"; list them with: kioskctl printers list")
        }
        return status
    }

    private func beginContact(_ id: PrinterID) -> Task<PrinterStatus?, Never> {
        if let running = contacts[id] { return running }
        schedule.begun(id)
        let contact = Task { await performContact(id) }
        contacts[id] = contact
        return contact
    }

    /// Nil when the printer was removed meanwhile.
    private func performContact(_ id: PrinterID) async -> PrinterStatus? {
        defer { contacts[id] = nil }
        guard let saved = board.printers[id]?.saved else { return nil }
        var report: ContactReport?
        var failure: Availability?
        do {
            guard let transport = transports[saved.url.scheme] else {
                throw EngineError(.noTransport, "no transport for \(saved.url.scheme) is built in; see the limits in the manual")
            }
            report = try await transport.contact(saved.target)
        } catch let error as TransportError {
            failure = Self.availability(after: error)
        } catch {
            failure = Availability(.unreachable, message: "\(error)")
        }
        // The registry may have given the name to another device meanwhile; then the answer is not about it.
        guard let current = board.printers[id]?.saved, current.url == saved.url, !Task.isCancelled else {
            // While this contact ran, none of that other device was begun.
            contacts[id] = nil
            if board.printers[id] != nil { contactSoon(id) }
            return status(of: id)
        }
        contactTimes[id] = clock.now()
        learn(of: id, report?.availability ?? failure ?? .unknown, report?.description)
        let circumstances = ContactSchedule.Circumstances(
            isAvailable: board.printers[id]?.availability.isAvailable ?? false, isWanted: board.isWanted(id)
        )
        schedule.ended(id, at: clock.now(), circumstances, configuration: configuration)
        alarm.ring()
        if let report { await remember(report.description, of: current) }
        return status(of: id)
    }

    private static func availability(after error: TransportError) -> Availability {
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
            noteStorage(EngineError.storage(error, doing: "store the printer's description"))
        }
    }

    /// Something was learnt of a printer: transitions are logged and shown, and jobs that it concerns move.
    func learn(of id: PrinterID, _ availability: Availability, _ description: PrinterDescription? = nil) {
        guard let before = board.printers[id] else { return }
        board.printer(id, is: availability, described: description)
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
        guard let state = board.printers[id]?.availability.state, state == .unreachable || state == .unknown else { return }
        learn(of: id, Availability(.ready))
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
            for id in schedule.due(at: clock.now()) { _ = beginContact(id) }
            await sleepUntilDue()
        }
    }

    private func sleepUntilDue() async {
        let wait = schedule.next.map { $0.millisecondsSince1970 - clock.now().millisecondsSince1970 } ?? Self.longestSleep
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
