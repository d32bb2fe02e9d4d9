import Glibc
public import KioskPrintModel
import KioskQueueListings
public import Logging
public import NIOCore
public import NIOPosix
import Synchronization

/// The transport to printers and print servers that speak LPD (RFC 1179): `lpd://host/queue`.
///
/// Each command has a connection of its own, as the protocol wants it. The daemon's last octet proves that it has the
/// job; where its listing is understood, the job is followed until it has left the queue.
public final class LPDTransport: Transport {
    public let schemes: Set<PrinterURL.Scheme> = [.lpd]
    /// Each contact is a connection, and many devices serve one at a time.
    public let idleContactInterval: Duration? = .seconds(60)

    private let deadlines: Deadlines
    private let group: any EventLoopGroup
    private let clock: any Clock<Duration>
    private let trace: WireTrace
    private let logger: Logger
    /// What this computer is called in control files: spoolers let only the host that sent a job remove it.
    private let hostName: String
    private let numbers: JobNumbers
    /// The makes of daemons, as their listings showed; nil where the listing is none that is understood.
    private let dialects = Mutex<[PrinterTarget: LprSettings.Dialect?]>([:])

    /// - Parameters:
    ///   - group: Carries the connections.
    ///   - clock: Paces the queries of a job.
    public convenience init(
        deadlines: Deadlines = Deadlines(), group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        clock: any Clock<Duration> = ContinuousClock(), trace: WireTrace = WireTrace(),
        logger: Logger = Logger(label: "lpd")
    ) {
        self.init(
            hostName: Self.hostName, deadlines: deadlines, group: group, clock: clock, trace: trace, logger: logger)
    }

    package init(
        hostName: String, deadlines: Deadlines = Deadlines(),
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        clock: any Clock<Duration> = ContinuousClock(), trace: WireTrace = WireTrace(),
        logger: Logger = Logger(label: "lpd")
    ) {
        self.hostName = hostName
        self.deadlines = deadlines
        self.group = group
        self.clock = clock
        self.trace = trace
        self.logger = logger
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        numbers = JobNumbers(milliseconds: Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000)
    }

    private static var hostName: String {
        var name = [CChar](repeating: 0, count: Int(HOST_NAME_MAX) + 1)
        guard gethostname(&name, name.count - 1) == 0 else { return "localhost" }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    public func forget(_ printer: PrinterTarget) async { dialects.withLock { _ = $0.removeValue(forKey: printer) } }

    /// Connections live only as long as calls, which end before.
    public func shutDown() async {}

    private func queue(of printer: PrinterTarget) throws -> LPDQueue {
        guard schemes.contains(printer.url.scheme), let name = printer.url.queue else {
            throw TransportError(
                .notSupported, operation: "connect",
                message: "\(printer.url): this transport serves lpd://host/queue only; save the printer under such a "
                    + "URL")
        }
        return LPDQueue(printer: printer.url, name: name, deadlines: deadlines, group: group, trace: trace)
    }

    // MARK: - Contact

    public func contact(_ printer: PrinterTarget) async throws -> ContactReport {
        let queue = try queue(of: printer)
        let listing = try await listing(of: queue, printer)
        if listing.queue.isMissing { throw queue.missing }
        if let refusal = listing.refusal { throw queue.accessDenied(refusal) }
        var description = PrinterDescription()
        description.ticketSupport = LPDTicket.support(of: listing.dialect)
        // Where a printer's text is not understood, it answers, which is all that is known.
        return ContactReport(
            description: description,
            availability: listing.dialect == nil ? Availability(.ready) : Availability(listing.queue))
    }

    private func listing(of queue: LPDQueue, _ printer: PrinterTarget) async throws -> LPDListing {
        let listing = try await queue.listing()
        if !listing.queue.isMissing { dialects.withLock { _ = $0.updateValue(listing.dialect, forKey: printer) } }
        return listing
    }

    // MARK: - Delivery

    public func deliver(
        _ delivery: Delivery, to printer: PrinterTarget, progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) async throws -> JobReport {
        let delivery = try await delivery.rendered()
        let queue = try queue(of: printer)
        if let refusal = LPDTicket.refusal(delivery.ticket) {
            throw TransportError(.jobRefused, operation: "lpr", message: "\(printer.url): \(refusal)")
        }
        progress(.connecting)
        let known = dialects.withLock { $0[printer] }
        let dialect = known ?? nil
        try await submit(delivery, to: queue, dialect, progress)
        // A printer without a listing is not asked: many serve one connection at a time, and print now.
        var report =
            known == .some(nil)
            ? .acceptedUnlisted : try await findJob(of: delivery, in: queue, printer, hasEnded: dialect == .cups)
        report.remarks += LPDTicket.remarks(delivery.ticket)
        return report
    }

    private func submit(
        _ delivery: Delivery, to queue: LPDQueue, _ dialect: LprSettings.Dialect?,
        _ progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) async throws {
        let length = delivery.document.length
        let job = LPDJob(
            number: numbers.next(), host: hostName, owner: LPDJob.owner(delivery.user),
            title: "\(delivery.jobID) \(delivery.name)", fileName: delivery.jobID,
            copies: delivery.ticket.copies ?? 1,
            format: Self.format(of: delivery, for: dialect, at: queue.printer))
        let submission = LPDSubmission(
            job, queue: queue.name, length: length,
            order: queue.printer.lpdSendsDataFirst ? .dataFirst : .controlFirst)
        let times = SubmissionHandler.Deadlines(
            acknowledgement: deadlines.acknowledgement, document: deadlines.document, ending: deadlines.ending)
        do {
            let document = try await DocumentChunks(delivery.document)
            queue.tell(
                "job \(job.number) is submitted: \(length) octets, \(job.copies) copies, as \(job.format.rawValue)")
            try await LPDConnection.run(at: queue.printer, connecting: deadlines.connect, on: group) {
                // cups-lpd makes a job of what it has only when the connection has ended.
                SubmissionHandler(
                    submission, of: document, on: $0, deadlines: times, awaitsEnd: dialect == .cups,
                    progress: { progress(.sending(bytes: $0, of: length)) }, $1)
            }
        } catch {
            // Printers imitate BSD's short listing, and print while they receive.
            let error = TransportError(
                LPDFailure(error), operation: "lpr", printer: queue.printer, length: length,
                isSpooler: dialect == .cups || dialect == .lprng)
            queue.tell("job \(job.number) failed: \(error.message)")
            throw error
        }
        queue.tell("job \(job.number) is acknowledged")
    }

    /// Spoolers may convert what is not in a printer's own language; printers get the octets as they are.
    private static func format(
        of delivery: Delivery, for dialect: LprSettings.Dialect?, at printer: PrinterURL
    ) -> LPDJob.Format {
        let isUnchanged = delivery.document.format.isPrinterLanguage || dialect == nil || printer.lpdForcesUnchanged
        return isUnchanged ? .unchanged : .filtered
    }

    /// Finds the job in the queue after the daemon has acknowledged it. A fast one may have left the queue already.
    /// `hasEnded`: whether the daemon has ended the connection, and so made a job of what it got.
    private func findJob(
        of delivery: Delivery, in queue: LPDQueue, _ printer: PrinterTarget, hasEnded: Bool
    ) async throws -> JobReport {
        for pause in Self.pauses {
            let listing: LPDListing
            do {
                if let pause { try await clock.sleep(for: pause) }
                listing = try await self.listing(of: queue, printer)
            } catch  where error is CancellationError || (error as? TransportError)?.code == .cancelled {
                throw TransportError(
                    .cancelled, operation: "lpq", message: "\(queue.printer): it has accepted the job",
                    bytesAccepted: delivery.document.length)
            } catch {
                // It has the job, whatever becomes of the queries.
                logger.debug("\(queue.printer): its queue cannot be listed after it accepted a job: \(error)")
                continue
            }
            if let job = listing.queue.job(of: delivery.jobID),
                let report = JobReport(
                    LprJobID(number: job.number, deliveryID: delivery.jobID), in: listing.queue)
            {
                return report
            }
            switch listing.dialect {
            case nil: return .acceptedUnlisted
            // BSD's daemon may list a job a moment later; devices imitate its listing, whatever they have.
            case .bsd: if pause != nil, listing.queue.jobs.isEmpty { return .acceptedUnlisted }
            case .cups: if hasEnded, listing.queue.showsAll { return .leftQueue(nil) }
            // Its daemon tells of the queue from memory for two seconds (lpq_status_interval).
            case .lprng: break
            }
            if listing.queue.showsAll, pause == Self.pauses.last { return .leftQueue(nil) }
        }
        return .acceptedUnlisted
    }

    /// The pauses before the queries.
    private static let pauses: [Duration?] = [nil, .milliseconds(300), .milliseconds(700), .milliseconds(1500)]

    /// What the queue takes of a ticket.
    public func remarks(
        on job: RemoteJob, of delivery: Delivery, at printer: PrinterTarget
    ) async throws -> [String] { LPDTicket.remarks(delivery.ticket) }

    /// A job that is not in the queue may have been printed long ago: line printer queues keep no history.
    public func locate(_ delivery: Delivery, on printer: PrinterTarget) async throws -> RemoteJob? {
        let queue = try queue(of: printer)
        let listing = try await listing(of: queue, printer)
        if let job = listing.queue.job(of: delivery.jobID) {
            return LprJobID(number: job.number, deliveryID: delivery.jobID).remoteJob
        }
        let why =
            listing.queue.isComplete
            ? "it does not list the job, and remembers no jobs that have left its queue"
            : "its listing of the queue cannot be understood\(listing.queue.detail)"
        var error = TransportError(
            .outcomeUnknown, operation: "lpq",
            message: "\(queue.printer): whether it has the job is unknown: \(why); look whether it printed")
        error.isUnanswerable = true
        throw error
    }

    // MARK: - Jobs in the queue

    public func follow(
        _ job: RemoteJob, on printer: PrinterTarget, update: @escaping @Sendable (JobReport) -> Void
    ) async throws -> JobReport {
        let queue = try queue(of: printer)
        guard let id = LprJobID(job) else { throw queue.unknownJob(job) }
        do {
            return try await watch(id, in: queue, printer, by: self.clock, update: update)
        } catch is CancellationError {
            throw TransportError(
                .cancelled, operation: "lpq", message: "\(queue.printer): following job \(id.number) was cancelled",
                remoteJob: job)
        }
    }

    private func watch<C: Clock>(
        _ job: LprJobID, in queue: LPDQueue, _ printer: PrinterTarget, by clock: C,
        update: @Sendable (JobReport) -> Void
    ) async throws -> JobReport where C.Duration == Duration {
        var watch = QueueWatch(
            job, deadlines: .init(lostHost: deadlines.lostHost, unclearQueue: deadlines.unclearQueue))
        let start = clock.now
        while true {
            let result: QueueWatch.QueryResult
            do {
                result = .listing(try await listing(of: queue, printer).queue)
            } catch let error as TransportError where error.code != .cancelled {
                result = .failed(error)
            }
            switch watch.action(after: result, elapsed: start.duration(to: clock.now)) {
            case .wait(let pause, let report):
                if let report { update(report) }
                try await clock.sleep(for: pause)
            case .finish(let report): return report
            case .giveUp(let reason):
                throw TransportError(
                    .outcomeUnknown, operation: "lpq",
                    message:
                        "\(queue.printer): the outcome of job \(job.number) is unknown: \(reason); look whether it "
                        + "printed",
                    remoteJob: job.remoteJob)
            }
        }
    }

    /// Asks for the queue before and after: a daemon confirms a removal only by it, and numbers are used again.
    public func cancel(_ job: RemoteJob, on printer: PrinterTarget) async throws {
        let queue = try queue(of: printer)
        guard let id = LprJobID(job) else { throw queue.unknownJob(job) }
        try await queue.remove(id, owner: LPDJob.owner(job.origin?.user))
    }

    // MARK: - Deadlines

    /// How long to wait for a printer.
    public struct Deadlines: Sendable {
        /// The time to connect.
        public var connect: Duration = .seconds(10)
        /// The time for a whole listing, and for the answer to a removal.
        public var query: Duration = .seconds(30)
        /// The time for the acknowledgement of an announcement: a printer with room for one job makes others wait.
        public var acknowledgement: Duration = .seconds(60)
        /// How long no octet of a document may be taken, and the time for the acknowledgement of all of it: a printer
        /// that prints what it receives answers when it has paper again.
        public var document: Duration = .seconds(300)
        /// The time for the end of a connection that has served its purpose.
        public var ending: Duration = .seconds(5)
        /// How long a printer may be unreachable while it has our job.
        public var lostHost: Duration = .seconds(300)
        /// How long a listing may be unreadable while the queue has our job.
        public var unclearQueue: Duration = .seconds(60)

        public init() {}
    }
}
