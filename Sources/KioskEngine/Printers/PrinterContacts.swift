import KioskAsyncPrimitives
import KioskPrintModel

/// The contacts with printers: when each is due, which run, and what the last ones showed. Owned by the engine, which
/// makes the contacts.
struct PrinterContacts {
    /// Raised when a contact became due earlier than the contact loop sleeps.
    let dueSooner = AsyncSignal()
    private let configuration: EngineConfiguration
    private var schedule = ContactSchedule()
    /// The value of a task is false where an edit of the printer overtook its contact.
    private var running: [PrinterID: Task<Bool, Never>] = [:]
    /// Printers that sent news during a contact, whose result may be older than the news.
    private var heardMeanwhile: Set<PrinterID> = []
    /// Printers that were silent once, and do not count as unreachable yet.
    private var doubted: Set<PrinterID> = []
    /// How often what a printer asks for was edited: its trust, its login, its secrets.
    private var edits: [PrinterID: Int] = [:]
    private var times: [PrinterID: Timestamp] = [:]
    private var remembered: [PrinterID: JobStore.RememberedContact] = [:]
    /// How many look on.
    private var watchers = 0
    /// The number of deliveries in a row that a printer failed.
    private var failedDeliveries: [PrinterID: Int] = [:]

    /// `remembered`: the descriptions that an earlier run stored.
    init(configuration: EngineConfiguration, remembered: [PrinterID: JobStore.RememberedContact]) {
        self.configuration = configuration
        self.remembered = remembered
    }

    // MARK: The registry

    /// Forgets every printer that is no longer saved; a new one is due at once.
    mutating func keep(_ printers: Set<PrinterID>, at now: Timestamp) {
        schedule.keep(printers, at: now)
        doubted.formIntersection(printers)
        dueSooner.raise()
    }

    /// The printer's id names another device now.
    mutating func forgetTime(of id: PrinterID) { times[id] = nil }

    /// Nothing that was learnt of a printer's trust or login holds any more: it is contacted at once. A running contact
    /// is about the printer as it was; its end begins the next.
    mutating func contactAfresh(_ id: PrinterID, at now: Timestamp) {
        edits[id, default: 0] += 1
        schedule.forgive(id)
        running[id]?.cancel()
        contactSoon(id, at: now)
    }

    func editCount(of id: PrinterID) -> Int { edits[id, default: 0] }

    /// Somebody looks on: printers are asked about once a second until `endWatch` was called as often.
    mutating func beginWatch(at now: Timestamp) {
        watchers += 1
        guard watchers == 1 else { return }
        schedule.watch(true, at: now, configuration: configuration)
        dueSooner.raise()
    }

    mutating func endWatch(at now: Timestamp) {
        watchers -= 1
        if watchers == 0 { schedule.watch(false, at: now, configuration: configuration) }
    }

    // MARK: One contact

    func task(of id: PrinterID) -> Task<Bool, Never>? { running[id] }

    mutating func begin(_ id: PrinterID, _ task: Task<Bool, Never>) {
        schedule.begun(id)
        running[id] = task
    }

    /// The contact's result is about the printer as it was before an edit: another follows, where it is still saved.
    mutating func abandon(_ id: PrinterID, isSaved: Bool, at now: Timestamp) {
        running[id] = nil
        schedule.abandoned(id)
        if isSaved { contactSoon(id, at: now) }
    }

    /// Notes the end of a contact. `isInDoubt`: the printer was silent, which does not count yet.
    mutating func noteResult(of id: PrinterID, at now: Timestamp, isInDoubt: Bool) {
        times[id] = now
        if isInDoubt { doubted.insert(id) } else { doubted.remove(id) }
    }

    /// Sets when the printer is contacted next.
    mutating func scheduleNext(_ id: PrinterID, at now: Timestamp, _ circumstances: ContactSchedule.Circumstances) {
        schedule.ended(id, at: now, circumstances, configuration: configuration)
        if heardMeanwhile.remove(id) != nil { schedule.contactNow(id, at: now) }
        dueSooner.raise()
    }

    mutating func end(_ id: PrinterID) { running[id] = nil }

    /// Ends all contacts at once, at the engine's end.
    func cancelAll() {
        for task in running.values { task.cancel() }
    }

    func isDoubted(_ id: PrinterID) -> Bool { doubted.contains(id) }

    /// When the printer's last contact ended.
    func time(of id: PrinterID) -> Timestamp? { times[id] }

    // MARK: Descriptions

    /// Takes a stored description over for a printer that this run did not contact yet; nil where there is none of this
    /// device.
    mutating func recall(_ printer: SavedPrinter) -> PrinterDescription? {
        guard let known = remembered[printer.id], known.url == printer.url else { return nil }
        times[printer.id] = known.contactedAt
        return known.description
    }

    /// What is to be stored of a description; nil where the same is stored already.
    mutating func remember(
        _ description: PrinterDescription, of printer: SavedPrinter, at now: Timestamp
    ) -> JobStore.RememberedContact? {
        if let known = remembered[printer.id], known.description == description, known.url == printer.url { return nil }
        let contact = JobStore.RememberedContact(url: printer.url, description: description, contactedAt: now)
        remembered[printer.id] = contact
        return contact
    }

    /// What `remember` returned could not be stored: the next contact tries it again.
    mutating func noteUnstored(_ id: PrinterID) { remembered[id] = nil }

    // MARK: What jobs and news show

    /// News came of a printer.
    mutating func noteNews(of id: PrinterID) {
        if running[id] != nil { heardMeanwhile.insert(id) }
    }

    /// A job went through the printer.
    mutating func noteSuccess(of id: PrinterID, at now: Timestamp) {
        failedDeliveries[id] = nil
        doubted.remove(id)
        schedule.forgive(id)
        schedule.worked(id, at: now, configuration: configuration)
    }

    /// The printer failed a delivery. Returns how many it failed in a row before.
    mutating func noteFailedDelivery(to id: PrinterID) -> Int {
        defer { failedDeliveries[id, default: 0] += 1 }
        return failedDeliveries[id, default: 0]
    }

    /// A job could not be sent, for a reason that a contact may not meet.
    mutating func holdBack(_ id: PrinterID, behind obstacle: Obstacle, at now: Timestamp) {
        schedule.holdBack(id, at: now, obstacle.pace, configuration: configuration)
    }

    /// Contacts the printer as soon as nothing else is due; nothing changes where it is being contacted.
    mutating func contactSoon(_ id: PrinterID, at now: Timestamp) {
        guard running[id] == nil else { return }
        schedule.contactNow(id, at: now)
        dueSooner.raise()
    }

    /// A job waits behind another on a printer that was not heard of lately: it may have vanished with that job.
    mutating func contactIfSilentLong(_ id: PrinterID, at now: Timestamp) {
        guard running[id] == nil, let last = times[id] else { return }
        schedule.contact(id, by: max(now, last.advanced(bySeconds: 1)))
        dueSooner.raise()
    }

    /// Jobs wait for these printers, which are not available.
    mutating func hasten(_ ids: [PrinterID], at now: Timestamp) {
        for id in ids { schedule.hasten(id, at: now, configuration: configuration) }
        dueSooner.raise()
    }

    // MARK: Time

    /// The clock was set.
    mutating func clockMoved(by duration: Duration) {
        schedule.move(by: duration)
        times = times.mapValues { $0.advanced(by: duration) }
        dueSooner.raise()
    }

    /// The time of the next contact of a printer that waits after a lasting failure; nil for any other.
    func heldBack(_ id: PrinterID, at now: Timestamp) -> Timestamp? { schedule.heldBack(id, at: now) }

    /// The printers that may be contacted now, those that wait longest first, and whether the limit keeps others back.
    /// `isWanted`: a job waits for the printer; such a contact is not limited in number.
    func due(at now: Timestamp, isWanted: (PrinterID) -> Bool) -> (ids: [PrinterID], isLimited: Bool) {
        var ids: [PrinterID] = []
        var new = 0
        var isLimited = false
        for id in schedule.due(at: now) {
            if schedule.runningCount + new < configuration.maximumIdleContacts || isWanted(id) {
                ids.append(id)
                // One whose last contact still stores its description begins none.
                if running[id] == nil { new += 1 }
            } else {
                isLimited = true
            }
        }
        return (ids, isLimited)
    }

    /// When the next contact is due. Those that the limit keeps back do not count: the end of a contact raises the
    /// signal.
    func next(after now: Timestamp, isLimited: Bool) -> Timestamp? {
        isLimited ? schedule.next(after: now) : schedule.next
    }
}

/// The kept connections of printers as they were saved before an edit.
///
/// They close when no job that was sent over them is on the printer any more: a new password does not cut paper in two.
/// A connection that begins meanwhile waits for that, or it would be closed too. Owned by the engine.
struct OutdatedConnections {
    private let transports: [PrinterURL.Scheme: any Transport]
    /// Targets that a job is on.
    private var targets: [PrinterID: [PrinterTarget]] = [:]
    private var closing: [PrinterID: Task<Void, Never>] = [:]

    init(transports: [PrinterURL.Scheme: any Transport]) { self.transports = transports }

    /// Keeps a target until its printer is free.
    mutating func add(_ target: PrinterTarget, of printer: PrinterID) {
        targets[printer, default: []].append(target)
    }

    /// Closes the connections of a printer that is free now.
    ///
    /// The printer as it is saved now may be among them, where only its secrets changed, or where it was changed back: the
    /// connection is still the old one's. What was `learned` of it holds all the same.
    mutating func close(of printer: PrinterID, savedAs current: PrinterTarget?, learned: LearnedBehavior?) {
        guard let targets = targets.removeValue(forKey: printer) else { return }
        closing[printer] = Task { [transports, before = closing[printer]] in
            await before?.value
            for target in targets {
                await transports[target.url.scheme]?.forget(target)
                if target == current, let learned { transports[target.url.scheme]?.recall(learned, of: target) }
            }
        }
    }

    /// Ends when the connections that `close` found are closed; nil where there are none.
    func closing(of printer: PrinterID) -> Task<Void, Never>? { closing[printer] }

    /// Forgets the tasks of printers that are no longer saved.
    mutating func keep(_ isSaved: (PrinterID) -> Bool) { closing = closing.filter { isSaved($0.key) } }
}
