import KioskPrintModel

/// The router: decides which job each printer gets next. A state machine without I/O: the engine tells it what happened
/// and carries out the assignments that it returns.
///
/// One job at a time is on a printer. A role's candidates are those that do the job type and take the format. Where the
/// role fails over, they are tried in order: the first that is available is the job's printer; a printer that has not
/// answered yet is waited for until its response is overdue. Where the role spreads, whichever is free takes the next
/// job.
///
/// What a step costs grows with the roles that name the printer and the kinds of their waiting jobs, never with how
/// many wait.
struct DispatchBoard {
    /// Says what becomes of documents that no printer takes as they are.
    private let preparation: (any DocumentPreparation)?
    private(set) var printers: [PrinterID: PrinterState] = [:]
    private var roles: [RoleName: Role] = [:]
    /// Where jobs may wait that a printer could print.
    private var destinations: [PrinterID: [WaitingJob.Destination]] = [:]
    private var queues: [WaitingJob.Destination: WaitingQueue] = [:]
    /// Jobs that a printer may have already, in order; they come before anything that waits.
    private var resumptions: [PrinterID: [Int64]] = [:]

    init(preparation: (any DocumentPreparation)? = nil) { self.preparation = preparation }

    struct PrinterState {
        var saved: SavedPrinter
        var availability = Availability.unknown
        /// What made it unavailable, where somebody has to act.
        var obstacle: Obstacle?
        var description: PrinterDescription?
        var profileJobTypes: JobTypes?
        /// The formats that are turned into something for it.
        var preparable: Set<DocumentFormat> = []
        /// The job that is on it.
        var current: Int64?
        /// It had its time to answer; jobs no longer wait for it while another candidate can print.
        var isResponseOverdue = false
        /// Its deliveries failed in a row: it gets no job until it is woken.
        var isPaused = false
        /// It has a job and does not answer: those behind that job go where another candidate can print them.
        var isSilent = false
    }

    enum Assignment: Hashable, Sendable {
        case deliver(job: Int64, printer: PrinterID)
        case resume(job: Int64, printer: PrinterID)
    }

    // MARK: What happened

    mutating func configure(
        printers saved: [SavedPrinter], roles: [Role], profileJobTypes: [PrinterID: JobTypes] = [:]
    ) {
        self.roles = Dictionary(uniqueKeysWithValues: roles.map { ($0.name, $0) })
        destinations = Dictionary(uniqueKeysWithValues: saved.map { ($0.id, [.printer($0.id)]) })
        for role in roles {
            for id in Set(role.printers) { destinations[id, default: [.printer(id)]].append(.role(role.name)) }
        }
        var states: [PrinterID: PrinterState] = [:]
        for printer in saved {
            var state = printers[printer.id] ?? PrinterState(saved: printer)
            if state.saved.url != printer.url {
                // Another device: nothing that was known of the old one holds.
                let current = state.current
                state = PrinterState(saved: printer)
                state.current = current
            }
            state.saved = printer
            state.profileJobTypes = profileJobTypes[printer.id]
            state.preparable = preparable(for: state)
            states[printer.id] = state
        }
        printers = states
    }

    mutating func printer(
        _ id: PrinterID, is availability: Availability, behind obstacle: Obstacle? = nil,
        described description: PrinterDescription? = nil
    ) {
        guard var state = printers[id] else { return }
        state.availability = availability
        state.obstacle = obstacle
        state.isSilent = false
        if let description, description != state.description {
            state.description = description
            state.preparable = preparable(for: state)
        }
        if state.isKnown { state.isResponseOverdue = false }
        printers[id] = state
    }

    mutating func noteOverdueResponse(of id: PrinterID) {
        printers[id]?.isResponseOverdue = true
    }

    /// It has not responded for a long time.
    mutating func noteSilence(of id: PrinterID) { printers[id]?.isSilent = true }

    /// Its deliveries failed in a row: it gets no job until `wake`.
    mutating func pause(_ id: PrinterID) { printers[id]?.isPaused = true }

    mutating func wake(_ id: PrinterID) { printers[id]?.isPaused = false }

    /// Keeps a free printer for a job that is about to be accepted, where the job would be the next on it anyway.
    mutating func claim(for job: WaitingJob) -> PrinterID? {
        // It will have the highest number.
        var job = job
        job.id = .max
        guard case .printer(let id) = choice(for: job), let state = printers[id], state.current == nil,
            resumptions[id, default: []].isEmpty, firstJob(for: id) == nil
        else { return nil }
        printers[id]?.current = Self.unnamed
        return id
    }

    /// The job that a printer was kept for was accepted under this number; nil when it was not.
    mutating func settleClaim(on id: PrinterID, for job: Int64?) {
        guard printers[id]?.current == Self.unnamed else { return }
        printers[id]?.current = job
    }

    /// Stands for a job that has no number yet; numbers begin at 1.
    private static let unnamed: Int64 = 0

    mutating func add(_ job: WaitingJob) {
        queues[job.destination, default: WaitingQueue()].insert(job)
    }

    mutating func addResumption(of job: Int64, on printer: PrinterID) {
        let jobs = resumptions[printer, default: []]
        guard !jobs.contains(job) else { return }
        resumptions[printer] = (jobs + [job]).sorted()
    }

    /// Takes a job off the board wherever it waits.
    mutating func remove(_ job: Int64, from destination: WaitingJob.Destination) {
        queues[destination]?.remove(job)
        for id in resumptions.keys { resumptions[id]?.removeAll { $0 == job } }
    }

    /// The printer is free again.
    mutating func finished(_ job: Int64, on printer: PrinterID) {
        guard printers[printer]?.current == job else { return }
        printers[printer]?.current = nil
        printers[printer]?.isSilent = false
    }

    // MARK: What to do

    /// Gives every free printer its next job.
    mutating func assignments() -> [Assignment] {
        printers.keys.sorted().compactMap { nextAssignment(for: $0) }
    }

    /// Gives one printer its next job, if it is free and there is one for it.
    mutating func nextAssignment(for id: PrinterID) -> Assignment? {
        guard let state = printers[id], state.current == nil else { return nil }
        if state.canResume, let job = resumptions[id]?.first {
            resumptions[id]?.removeFirst()
            printers[id]?.current = job
            return .resume(job: job, printer: id)
        }
        guard state.availability.isAvailable, let job = firstJob(for: id) else { return nil }
        queues[job.destination]?.remove(job.id)
        printers[id]?.current = job.id
        return .deliver(job: job.id, printer: id)
    }

    private func firstJob(for id: PrinterID) -> WaitingJob? {
        var best: WaitingJob?
        for destination in destinations[id] ?? [] {
            // Of one kind, whatever keeps the first from the printer keeps all of them.
            for job in queues[destination]?.firsts ?? [] where best.map({ job.precedes($0) }) ?? true && isFor(id, job)
            { best = job }
        }
        return best
    }

    /// Whether a printer that is free may take the job.
    private func isFor(_ id: PrinterID, _ job: WaitingJob) -> Bool {
        switch policy(of: job.destination) {
        // A job that was accepted before its role printed on all goes to one.
        case .failover, .all: choice(for: job) == .printer(id)
        case .leastBusy: eligibility(of: id, for: job) == .yes
        }
    }

    enum Choice: Hashable {
        case printer(PrinterID)
        /// A candidate has not answered yet.
        case undecided
        /// No candidate can print it now.
        case none
        /// No candidate will ever take it as things are; each is known and does not suit.
        case impossible
    }

    /// The printer that the job waits for or gets; where its role spreads, that with the fewest jobs before it as
    /// things are.
    func choice(for job: WaitingJob) -> Choice {
        let spreads = policy(of: job.destination) == .leastBusy
        var best: (printer: PrinterID, load: Int)?
        var (isUndecided, canBecomePossible) = (false, false)
        for id in names(of: job.destination) {
            switch eligibility(of: id, for: job) {
            case .yes:
                guard spreads else { return .printer(id) }
                let load = load(of: id, before: job)
                if best.map({ load < $0.load }) ?? true { best = (id, load) }
            case .notKnownYet:
                guard spreads else { return .undecided }
                isUndecided = true
            case .notNow: canBecomePossible = true
            case .never: continue
            }
        }
        if let best { return .printer(best.printer) }
        return isUndecided ? .undecided : canBecomePossible ? .none : .impossible
    }

    /// The jobs that this printer is certain to have before the job: the one on it, those that it is to be asked for,
    /// and those that were sent to it alone. A job that waits for a role belongs to no printer yet.
    private func load(of id: PrinterID, before job: WaitingJob) -> Int {
        let waiting = queues[.printer(id)]?.count(before: job) ?? 0
        return waiting + (resumptions[id]?.count ?? 0) + (printers[id]?.current == nil ? 0 : 1)
    }

    private enum Eligibility { case yes, notKnownYet, notNow, never }

    private func eligibility(of id: PrinterID, for job: WaitingJob) -> Eligibility {
        guard let state = printers[id], !job.refusedBy.contains(id) else { return .never }
        if let needed = jobType(of: job), state.supports(needed) == false { return .never }
        guard takes(job.format, state) else { return .never }
        let notYet = state.isResponseOverdue ? Eligibility.notNow : .notKnownYet
        // One may have told how it does by itself, before it was asked what it is.
        let isAStranger = state.description == nil && isPrepared(job.format) && !state.preparable.contains(job.format)
        switch state.availability.state {
        case .ready, .busy, .attention:
            if isAStranger { return notYet }
            return state.isPaused || state.isSilent && state.current != nil ? .notNow : .yes
        case .stopped, .unreachable: return .notNow
        case .unknown: return notYet
        }
    }

    /// Whether it takes documents of this format, as they are or turned into what it takes; also while that is unknown.
    private func takes(_ format: DocumentFormat, _ state: PrinterState) -> Bool {
        guard let description = state.description else { return true }
        return isPrepared(format) ? state.preparable.contains(format) : description.announcedFormat(for: format) != nil
    }

    private func preparable(for state: PrinterState) -> Set<DocumentFormat> {
        guard let preparation else { return [] }
        return preparation.formats.filter { preparation.preparedFormat(of: $0, for: state.preparationTarget) != nil }
    }

    // MARK: Questions

    /// Whether documents of this format are turned into what a printer takes before they are sent.
    func isPrepared(_ format: DocumentFormat) -> Bool { preparation?.formats.contains(format) == true }

    /// Whether a printer gets the job's document as it came in.
    func goesUnchanged(_ job: Job, to printer: PrinterID) -> Bool {
        goesUnchanged(job.format, with: job.ticket, to: printer)
    }

    private func goesUnchanged(_ format: DocumentFormat, with ticket: Ticket, to printer: PrinterID) -> Bool {
        guard let preparation, isPrepared(format) else { return true }
        guard let state = printers[printer] else { return false }
        return preparation.leavesUnchanged(format, with: ticket, for: state.preparationTarget)
    }

    /// Whether a document is made into pages for a printer, with all of its ticket that concerns pages.
    func rendersPages(of format: DocumentFormat?, with ticket: Ticket, for printer: PrinterID) -> Bool {
        guard let format, !format.isReceipt else { return false }
        return !goesUnchanged(format, with: ticket, to: printer)
    }

    /// Whether the document is sent once for each copy: the printer makes no copies of this format, or not as many.
    /// What is prepared has all of its copies in it.
    func sendsDocumentPerCopy(of job: Job, on printer: PrinterID) -> Bool {
        guard let copies = job.ticket.copies, copies > 1, goesUnchanged(job, to: printer),
            let description = printers[printer]?.description, let support = description.ticketSupport
        else { return false }
        return copies > support.copies(of: description.announcedFormat(for: job.format) ?? job.format)
    }

    func names(of destination: WaitingJob.Destination) -> [PrinterID] {
        switch destination {
        case .role(let name): roles[name]?.printers ?? []
        case .printer(let id): [id]
        }
    }

    private func policy(of destination: WaitingJob.Destination) -> Role.PrinterPolicy {
        if case .role(let name) = destination { roles[name]?.policy ?? .failover } else { .failover }
    }

    private func jobType(of job: WaitingJob) -> JobTypes? {
        switch job.destination {
        case .role(let name): roles[name]?.jobType
        case .printer: job.copiedFor.flatMap { roles[$0]?.jobType }
        }
    }

    /// Whether another candidate could print the job at once.
    func hasAlternative(to id: PrinterID, for job: WaitingJob) -> Bool {
        names(of: job.destination).contains { $0 != id && eligibility(of: $0, for: job) == .yes }
    }

    /// Whether jobs wait that this printer could print.
    func isWanted(_ id: PrinterID) -> Bool {
        if let jobs = resumptions[id], !jobs.isEmpty { return true }
        return destinations[id, default: []].contains { queues[$0]?.isEmpty == false }
    }

    /// The jobs on the printer and waiting for it; a role's are counted where its first candidate is.
    func waitingCount(for id: PrinterID) -> Int {
        let waiting = destinations[id, default: []].reduce(0) {
            $0 + (names(of: $1).first == id ? queues[$1]?.count ?? 0 : 0)
        }
        return waiting + (resumptions[id]?.count ?? 0) + (printers[id]?.current == nil ? 0 : 1)
    }

    /// Waiting jobs that are no longer worth printing.
    func expired(at now: Timestamp) -> [Int64] {
        queues.values.flatMap { $0.jobs.filter { $0.expiresAt <= now }.map(\.id) }
    }

    /// The clock was set.
    mutating func moveExpiry(by duration: Duration) {
        for destination in queues.keys { queues[destination]?.moveExpiry(by: duration) }
    }

    /// Waiting jobs, with the destination under which each waits.
    var waiting: [WaitingJob] { queues.values.flatMap(\.jobs) }
}

extension DispatchBoard.PrinterState {
    /// Whether it has answered, and said what it is.
    var isKnown: Bool { availability.state != .unknown && description != nil }

    var preparationTarget: PreparationTarget {
        PreparationTarget(PrinterStatus(printer: saved, description: description, profileJobTypes: profileJobTypes))
    }

    /// Whether the printer does all of these; nil while that is unknown.
    func supports(_ jobTypes: JobTypes) -> Bool? {
        PrinterStatus(printer: saved, description: description, profileJobTypes: profileJobTypes).supports(jobTypes)
    }

    /// A job that the printer may have can be asked for whenever the printer answers, even if it does not print just
    /// now.
    fileprivate var canResume: Bool {
        switch availability.state {
        case .ready, .busy, .attention: true
        case .stopped: obstacle == nil
        case .unreachable, .unknown: false
        }
    }
}
