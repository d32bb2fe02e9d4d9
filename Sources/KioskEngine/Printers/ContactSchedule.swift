import KioskPrintModel

/// When each printer is to be contacted next. A state machine without I/O or clock: times are handed in.
struct ContactSchedule {
    private var due: [PrinterID: Timestamp] = [:]
    /// Printers that are being contacted: whatever is due of them waits for the end of that.
    private var running: Set<PrinterID> = []
    /// When the last contact ended.
    private var ended: [PrinterID: Timestamp] = [:]
    /// Consecutive contacts that found the printer unavailable.
    private var failures: [PrinterID: Int] = [:]
    /// Consecutive contacts that a printer answered as one that cannot be used, while jobs waited for it.
    private var uselessAnswers: [PrinterID: Int] = [:]
    /// Printers that only time or a person makes worth asking again; no job hastens that.
    private var heldBack: Set<PrinterID> = []
    /// Logins that a printer refused since one worked or was changed.
    private var refusals: [PrinterID: Int] = [:]
    /// Printers that are not asked more often when somebody looks on.
    private var slow: Set<PrinterID> = []
    /// Whether somebody looks on: printers are asked about once a second then.
    private var isWatched = false

    /// What decides how soon the next contact is worth its while.
    struct Circumstances {
        var isAvailable: Bool
        var isWanted: Bool
        var pace = Obstacle.Pace.usual
        /// How long the printer asks to be left alone.
        var retryAfter: Duration?
        /// It was silent once, which may be the network's fault: one more silence makes it unreachable.
        var isInDoubt = false
        /// How often an available printer is asked; nil is the configuration's.
        var idleInterval: Duration?
        /// Whether it is asked about once a second while somebody looks on.
        var allowsFrequentContacts = true
        /// Whether it answered. One that is silent is asked less often by those who look on.
        var responded = true
        /// From 0 to 1, by chance: printers that went together do not come back into step.
        var spread = 0.5
    }

    /// Forgets every other printer; a new one is due at once.
    mutating func keep(_ printers: Set<PrinterID>, at now: Timestamp) {
        due = due.filter { printers.contains($0.key) }
        ended = ended.filter { printers.contains($0.key) }
        failures = failures.filter { printers.contains($0.key) }
        uselessAnswers = uselessAnswers.filter { printers.contains($0.key) }
        refusals = refusals.filter { printers.contains($0.key) }
        heldBack.formIntersection(printers)
        slow.formIntersection(printers)
        running.formIntersection(printers)
        for printer in printers where due[printer] == nil { due[printer] = now }
    }

    /// Somebody looks on from now on, or nobody any more.
    mutating func watch(_ isWatched: Bool, at now: Timestamp, configuration: EngineConfiguration) {
        self.isWatched = isWatched
        guard isWatched else { return }
        let soon = now.advanced(by: watchedInterval(configuration))
        for printer in due.keys where !slow.contains(printer) { contact(printer, by: soon) }
    }

    private func watchedInterval(_ configuration: EngineConfiguration) -> Duration {
        max(configuration.watchedContactInterval, configuration.minimumWatchedIntervalPerPrinter * due.count)
    }

    mutating func contactNow(_ printer: PrinterID, at now: Timestamp) {
        guard !heldBack.contains(printer) else { return }
        due[printer] = now
    }

    mutating func contact(_ printer: PrinterID, by time: Timestamp) {
        guard !heldBack.contains(printer), !running.contains(printer), let next = due[printer], next > time else {
            return
        }
        due[printer] = time
    }

    /// It printed, or somebody changed what stood in its way.
    mutating func forgive(_ printer: PrinterID) {
        heldBack.remove(printer)
        refusals[printer] = nil
        uselessAnswers[printer] = nil
    }

    /// A job could not be sent since something stands in the way that a contact may not meet.
    mutating func holdBack(
        _ printer: PrinterID, at now: Timestamp, _ pace: Obstacle.Pace, configuration: EngineConfiguration
    ) {
        guard due[printer] != nil, let interval = longerInterval(printer, pace, configuration) else { return }
        heldBack.insert(printer)
        due[printer] = now.advanced(by: interval)
    }

    /// Until `ended` gives the next time, or `abandoned`, nothing is due.
    mutating func begun(_ printer: PrinterID) {
        guard due[printer] != nil else { return }
        due[printer] = Timestamp(millisecondsSince1970: .max)
        running.insert(printer)
    }

    /// The contact's result was about the printer as it was: another is to follow.
    mutating func abandoned(_ printer: PrinterID) { running.remove(printer) }

    mutating func ended(
        _ printer: PrinterID, at now: Timestamp, _ circumstances: Circumstances, configuration: EngineConfiguration
    ) {
        running.remove(printer)
        guard due[printer] != nil else { return }
        ended[printer] = now
        let count = circumstances.isAvailable ? 0 : failures[printer, default: 0] + 1
        failures[printer] = count
        let isFrequent = circumstances.allowsFrequentContacts && circumstances.retryAfter == nil
        if isFrequent { slow.remove(printer) } else { slow.insert(printer) }
        let isUseless = circumstances.pace == .growing && circumstances.isWanted
        uselessAnswers[printer] = isUseless ? uselessAnswers[printer, default: 0] + 1 : nil
        heldBack.remove(printer)
        let interval = interval(of: printer, circumstances, failures: count, configuration)
        due[printer] = now.advanced(by: max(interval, min(circumstances.retryAfter ?? .zero, Self.maximumRetryAfter)))
        holdBack(printer, at: now, circumstances.pace, configuration: configuration)
    }

    private mutating func longerInterval(
        _ printer: PrinterID, _ pace: Obstacle.Pace, _ configuration: EngineConfiguration
    ) -> Duration? {
        switch pace {
        case .usual, .growing: return nil
        case .slow: return configuration.obstacleContactInterval
        case .rare:
            let count = refusals[printer, default: 0]
            refusals[printer] = count + 1
            return min(configuration.refusedLoginInterval * (1 << min(count, 10)), Self.maximumRefusedLoginInterval)
        }
    }

    private static let maximumRefusedLoginInterval = Duration.seconds(1800)

    /// Jobs began to wait for an unavailable printer.
    mutating func hasten(_ printer: PrinterID, at now: Timestamp, configuration: EngineConfiguration) {
        guard !heldBack.contains(printer) else { return }
        let soon = now.advanced(by: wantedInterval(of: printer, configuration))
        if let time = due[printer], time > soon, time.millisecondsSince1970 != .max { due[printer] = soon }
    }

    /// The interval between contacts of an unavailable printer that jobs wait for.
    private func wantedInterval(of printer: PrinterID, _ configuration: EngineConfiguration) -> Duration {
        let wanted = configuration.wantedContactInterval
        guard let count = uselessAnswers[printer] else { return wanted }
        return min(wanted * (1 << min(count - 1, 10)), max(wanted, Self.maximumUselessInterval))
    }

    /// A service that is no printer, or one that takes no jobs, may be so for good.
    private static let maximumUselessInterval = Duration.seconds(5)
    private static let maximumRetryAfter = Duration.seconds(60)

    private func interval(
        of printer: PrinterID, _ circumstances: Circumstances, failures: Int, _ configuration: EngineConfiguration
    ) -> Duration {
        if circumstances.isInDoubt { return Self.doubtInterval }
        if circumstances.isWanted, !circumstances.isAvailable { return wantedInterval(of: printer, configuration) }
        let idle = idleInterval(circumstances.idleInterval, configuration)
        // Doubles from one second up to the idle interval: a printer that is switched off overnight is asked rarely.
        let interval = circumstances.isAvailable ? idle : min(.seconds(1 << min(max(failures - 1, 0), 10)), idle)
        let spread = interval * (1 - Self.spread / 2 + Self.spread * circumstances.spread)
        guard isWatched, circumstances.allowsFrequentContacts else { return spread }
        let watched = watchedInterval(configuration)
        return min(spread, circumstances.responded ? watched : watched * Self.silentIntervals)
    }

    /// Longer where so many printers are saved that asking them all would be felt.
    private func idleInterval(_ wanted: Duration?, _ configuration: EngineConfiguration) -> Duration {
        max(wanted ?? configuration.idleContactInterval, configuration.minimumIdleIntervalPerPrinter * due.count)
    }

    /// How much longer the interval of a silent printer is while somebody looks on.
    private static let silentIntervals = 5
    private static let doubtInterval = Duration.seconds(1)
    /// The random part of an interval, as a fraction of it.
    private static let spread = 0.2

    /// A job went through: that says as much as a contact would, except of paper that runs low, so now and then one
    /// follows.
    mutating func worked(_ printer: PrinterID, at now: Timestamp, configuration: EngineConfiguration) {
        guard let time = due[printer], !running.contains(printer), let last = ended[printer] else { return }
        let isLookedAt = isWatched && !slow.contains(printer)
        let idle = isLookedAt ? watchedInterval(configuration) : idleInterval(nil, configuration)
        due[printer] = max(time, min(now.advanced(by: idle), last.advanced(by: idle * Self.maximumIntervalsOfWork)))
    }

    /// How long a printer at work goes without a contact, in idle intervals.
    private static let maximumIntervalsOfWork = 3

    /// The clock was set: what is due comes as soon as it would have.
    mutating func move(by duration: Duration) {
        for (printer, time) in due where time.millisecondsSince1970 != .max {
            due[printer] = time.advanced(by: duration)
        }
        ended = ended.mapValues { $0.advanced(by: duration) }
    }

    /// The time of the next contact of a printer that only time or an operator makes worth asking again; nil for any
    /// other, and once it has come.
    func heldBack(_ printer: PrinterID, at now: Timestamp) -> Timestamp? {
        guard heldBack.contains(printer), !running.contains(printer), let time = due[printer], time > now else {
            return nil
        }
        return time
    }

    /// Those that wait longest come first.
    func due(at now: Timestamp) -> [PrinterID] {
        due.filter { $0.value <= now && !running.contains($0.key) }.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
            .map(\.key)
    }

    var runningCount: Int { running.count }

    var next: Timestamp? { next(after: nil) }

    /// When the next contact is due, of those that are not due already at `now`.
    func next(after now: Timestamp?) -> Timestamp? {
        due.filter { due in !running.contains(due.key) && now.map { due.value > $0 } ?? true }.values.min()
    }
}
