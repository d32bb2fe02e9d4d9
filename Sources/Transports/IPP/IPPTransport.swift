import KioskIPPCodec
public import KioskPrintModel
public import Logging
public import NIOCore
import NIOPosix
import Synchronization

/// The transport to printers that speak IPP (RFC 8010, RFC 8011), over the network or over connections that a dialer
/// opens.
///
/// One transport serves any number of printers. For each it keeps at most two connections, which it closes when they
/// are idle for some seconds, and what it learned: the version that works and what the printer supports.
public final class IPPTransport: Transport {
    public let schemes: Set<PrinterURL.Scheme>

    let credentials: (any CredentialSource)?
    let quirks: @Sendable (PrinterIdentity) -> [Quirk]
    let deadlines: Deadlines
    private let clock: (any Clock<Duration>)?
    private let trace: WireTrace
    let logger: Logger
    let threadPool: NIOThreadPool
    private let dialer: (any PrinterDialer)?
    private let staysInside: @Sendable (SocketAddress) -> Bool
    private let executor: EventLoopTaskExecutor
    /// The event loops that end with this transport: the one that it made itself.
    private let ownGroup: MultiThreadedEventLoopGroup?
    private let state = Mutex(State())

    private struct State {
        var links: [PrinterTarget: PrinterLink] = [:]
        /// What earlier runs and earlier links learned of printers.
        var recalled: [PrinterURL: LearnedBehavior] = [:]
        /// The calls in progress: they run on the event loops, which must outlive them.
        var calls = 0
        var isShutDown = false
        var shutDowns: [CheckedContinuation<Void, Never>] = []
    }

    /// - Parameters:
    ///   - credentials: The logins that the printers' `credentials` name; without them, no login is sent.
    ///   - dialer: Opens the connections, to printers of its schemes; without one, the transport connects over the
    ///     network, to ipp:// and ipps://.
    ///   - quirks: How a printer's model departs from IPP, the most specific first; called again when the model becomes
    ///     known.
    ///   - group: One of its event loops carries the connections; without a group, the transport makes and ends its
    ///     own loop.
    ///   - clock: Paces the polling of jobs; without one, the event loop's time does.
    ///   - trace: Told the operations, connections and TLS handshakes.
    public convenience init(
        credentials: (any CredentialSource)? = nil, dialer: (any PrinterDialer)? = nil,
        quirks: @escaping @Sendable (PrinterIdentity) -> [Quirk] = { _ in [] },
        deadlines: Deadlines = Deadlines(), group: (any EventLoopGroup)? = nil,
        clock: (any Clock<Duration>)? = nil, trace: WireTrace = WireTrace(), logger: Logger = Logger(label: "ipp")
    ) {
        self.init(
            credentials: credentials, dialer: dialer, quirks: quirks, deadlines: deadlines, group: group, clock: clock,
            trace: trace, logger: logger, staysInside: \.isLoopback
        )
    }

    /// `staysInside`: whether data sent to an address never leaves this computer.
    init(
        credentials: (any CredentialSource)? = nil, dialer: (any PrinterDialer)? = nil,
        quirks: @escaping @Sendable (PrinterIdentity) -> [Quirk] = { _ in [] },
        deadlines: Deadlines = Deadlines(), group: (any EventLoopGroup)? = nil,
        clock: (any Clock<Duration>)? = nil, trace: WireTrace = WireTrace(), logger: Logger = Logger(label: "ipp"),
        staysInside: @escaping @Sendable (SocketAddress) -> Bool
    ) {
        schemes = dialer?.schemes ?? [.ipp, .ipps]
        self.dialer = dialer
        self.staysInside = staysInside
        self.credentials = credentials
        self.quirks = quirks
        self.deadlines = deadlines
        self.clock = clock
        self.trace = trace
        self.logger = logger
        let ownGroup = group == nil ? MultiThreadedEventLoopGroup(numberOfThreads: 1) : nil
        self.ownGroup = ownGroup
        executor = EventLoopTaskExecutor((group ?? ownGroup ?? MultiThreadedEventLoopGroup.singleton).next())
        threadPool = .singleton
    }

    /// Sends the printer nothing: its trust and its login may just have been replaced.
    public func forget(_ printer: PrinterTarget) async {
        let link = state.withLock { state in
            guard let link = state.links.removeValue(forKey: printer) else { return nil as PrinterLink? }
            state.calls += 1
            return link
        }
        guard let link else { return }
        link.close()
        leave()
    }

    public func shutDown() async {
        let links = state.withLock { state in
            state.isShutDown = true
            state.calls += 1
            defer { state.links = [:] }
            return Array(state.links.values)
        }
        let cancellations = links.compactMap { SubscriptionCancellation($0, deadlines: deadlines, logger: logger) }
        for link in links { link.close() }
        await SubscriptionCancellation.send(cancellations)
        leave()
        await callsToEnd()
        guard let ownGroup else { return }
        do {
            try await ownGroup.shutdownGracefully()
        } catch {
            logger.warning("the event loop did not end cleanly: \(error)")
        }
    }

    /// The event loop of the connections: a delivery waits for nothing else.
    public var taskExecutor: (any TaskExecutor)? { executor }

    /// Whether a dialer opens the connections; they have no TLS.
    var isDialed: Bool { dialer != nil }

    private func callsToEnd() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                guard state.calls > 0 else { return true }
                state.shutDowns.append(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
    }
}

extension IPPTransport {
    /// Runs a call for a printer on the event loop of its connections.
    func call<Value: Sendable>(
        _ printer: PrinterTarget, _ work: @Sendable (IPPClient) async throws -> Value
    ) async throws -> Value {
        let client = try enter(printer)
        defer { leave() }
        return try await client.link.run { try await work(client) }
    }

    private func enter(_ printer: PrinterTarget) throws(TransportError) -> IPPClient {
        guard schemes.contains(printer.url.scheme) else {
            throw TransportError(
                .notSupported, operation: "connect",
                message:
                    "\(printer.url): this transport serves \(schemes.map(\.name).sorted().joined(separator: ", ")) only; save the printer under such a URL"
            )
        }
        let link: PrinterLink? = state.withLock { state in
            guard !state.isShutDown else { return nil }
            state.calls += 1
            if let link = state.links[printer] { return link }
            let link = PrinterLink(
                printer,
                connector: Connector(
                    executor: executor, threadPool: threadPool, connectTimeout: TimeAmount(deadlines.connect),
                    dialer: dialer, staysInside: staysInside, trace: PrinterTrace(trace, printer.url), logger: logger
                ), credentials: credentials, idleTimeout: IdleTimeout(TimeAmount(deadlines.idle))
            )
            link.knowledge.quirks = IPPQuirks(quirks(PrinterIdentity(profile: printer.profile)))
            if let learned = state.recalled[printer.url] { link.knowledge.recall(learned) }
            state.links[printer] = link
            return link
        }
        guard let link else {
            throw TransportError(HTTPFailure(cause: .cancelled), operation: "connect", printer: printer.url)
        }
        return IPPClient(link: link, deadlines: deadlines, logger: logger)
    }

    private func leave() {
        let waiting = state.withLock { state in
            state.calls -= 1
            guard state.calls == 0 else { return [] as [CheckedContinuation<Void, Never>] }
            defer { state.shutDowns = [] }
            return state.shutDowns
        }
        for continuation in waiting { continuation.resume() }
    }
}

// Contact.
extension IPPTransport {
    public func contact(_ printer: PrinterTarget) async throws -> ContactReport {
        let (attributes, lacksJobHistory, learned) = try await call(printer) {
            (try await self.learn($0), $0.knowledge.lacksJobHistory, $0.knowledge.learned)
        }
        var availability = Availability(attributes)
        if lacksJobHistory { availability.reasons.append(.missingJobHistory) }
        var description = PrinterDescription(attributes)
        description.learned = learned
        if let learned { state.withLock { $0.recalled[printer.url] = learned } }
        return ContactReport(description: description, availability: availability)
    }

    /// Takes over what an earlier run learned of a printer.
    public func recall(_ learned: LearnedBehavior, of printer: PrinterTarget) {
        state.withLock { state in
            state.recalled[printer.url] = learned
            state.links[printer]?.knowledge.recall(learned)
        }
    }

    /// Sends Get-Printer-Attributes, and keeps what deliveries need of the response.
    @discardableResult
    func learn(_ client: IPPClient, carryingLogin: Bool = true) async throws(TransportError) -> IPPGroup {
        client.knowledge.doubtNameRefusal()
        let request = IPPRequest(
            operation: .getPrinterAttributes, user: UserName.make(nil),
            operationAttributes: [
                IPPAttribute("requested-attributes", keywords: PrinterCapabilities.requestedAttributes)
            ],
            timeouts: deadlines.requestTimeouts, carriesLogin: carryingLogin
        )
        let response = try await client.send(request)
        // Groups may be repeated (RFC 8010 §3.1.2); of a repeated attribute the first counts.
        let attributes = IPPGroup(.printer, response.message.groups(.printer).flatMap(\.attributes))
        // The Canon SELPHY CP1500 responds with an internal error, and all requested attributes.
        let isAnswered = attributes["printer-state"] != nil && attributes["operations-supported"] != nil
        guard response.message.status.isSuccess || isAnswered else { throw client.error(response, request) }
        client.knowledge.capabilities = PrinterCapabilities(attributes)
        client.knowledge.quirks = ippQuirks(of: client.link.target, attributes)
        return attributes
    }

    /// What the printer supports; requested where it is not known yet.
    func capabilities(_ client: IPPClient) async throws(TransportError) -> PrinterCapabilities {
        if let capabilities = client.knowledge.capabilities { return capabilities }
        return PrinterCapabilities(try await learn(client))
    }

    /// The quirks of a printer that has said what it is; the profile in the registry still comes first.
    func ippQuirks(of printer: PrinterTarget, _ attributes: IPPGroup) -> IPPQuirks {
        let description = PrinterDescription(attributes)
        let identity = PrinterIdentity(
            profile: printer.profile, makeAndModel: description.makeAndModel,
            deviceID: description.deviceID)
        return IPPQuirks(quirks(identity))
    }
}

// Jobs.
extension IPPTransport {
    public func follow(
        _ job: RemoteJob, on printer: PrinterTarget, update: @escaping @Sendable (JobReport) -> Void
    ) async throws -> JobReport {
        try await call(printer) { client in
            try await JobFollower(job, client: client, clock: self.clock).follow(update: update)
        }
    }

    public func locate(_ delivery: Delivery, on printer: PrinterTarget) async throws -> RemoteJob? {
        try await call(printer) { client in
            let upTime = try await self.learn(client)["printer-up-time"]?.integer
            return try await client.locate(delivery, upTime: upTime.map(Int64.init))
        }
    }

    public func cancel(_ job: RemoteJob, on printer: PrinterTarget) async throws {
        try await call(printer) { try await self.cancel(job, with: $0) }
    }

    private func cancel(_ job: RemoteJob, with client: IPPClient) async throws {
        let request = try client.jobRequest(.cancelJob, job)
        let response = try await client.send(request)
        switch response.message.status {
        case let status where status.isSuccess: return
        case .clientErrorNotPossible where try await isFinal(job, client): return
        case .clientErrorNotFound, .clientErrorGone:
            throw TransportError(
                .outcomeUnknown, operation: "Cancel-Job",
                message:
                    "\(client.printer): the printer no longer knows job \(job.identifier); check whether it printed",
                underlying: .ippStatus(Int(response.message.code)), remoteJob: job
            )
        default: throw client.error(response, request)
        }
    }

    /// Whether the job has ended, so that nothing is left to cancel.
    private func isFinal(_ job: RemoteJob, _ client: IPPClient) async throws(TransportError) -> Bool {
        let request = try client.jobRequest(.getJobAttributes, job, requesting: JobReport.requestedAttributes)
        let response = try await client.send(request)
        let attributes = IPPGroup(.job, response.message.groups(.job).flatMap(\.attributes))
        return JobReport(attributes, job: job)?.state.isFinal ?? false
    }
}

extension IPPTransport {
    /// How long to wait for a printer.
    public struct Deadlines: Sendable {
        /// The time to connect. Printers that sleep need seconds to wake.
        public var connect: Duration = .seconds(5)
        /// The time without a byte of the response, once a request is sent.
        public var response: Duration = .seconds(30)
        /// The time for a whole request without a document.
        public var total: Duration = .seconds(60)
        /// The time for a whole Validate-Job: whoever does not answer it by then is sent the job without it, now and
        /// later.
        public var validation: Duration = .seconds(5)
        /// The time without a byte moving while a document is sent: a printer out of paper accepts none until someone
        /// comes.
        public var stall: Duration = .seconds(300)
        /// The time for a whole request with its document.
        public var delivery: Duration = .seconds(4 * 3600)
        /// The time without a byte of the response, once a document is sent: some printers respond only after printing.
        public var documentResponse: Duration = .seconds(300)
        /// Idle, until a connection is closed; sooner where the printer closes it sooner. The default is shorter than
        /// any reboot, and than the usual keep-alive times of printers (15 to 60 s).
        public var idle: Duration = .seconds(5)
        /// How long a printer may be unreachable while it has our job: it may be restarting.
        public var lostPrinter: Duration = .seconds(300)
        /// The limit of a response's length in bytes: the requested attributes of the largest printers take some ten
        /// kilobytes.
        public var maximumResponseLength = 1 << 20

        public init() {}
    }
}

extension IPPTransport.Deadlines {
    var requestTimeouts: HTTPRequest.Timeouts {
        HTTPRequest.Timeouts(
            stall: TimeAmount(response), response: TimeAmount(response), total: TimeAmount(total),
            maximumResponseLength: maximumResponseLength
        )
    }

    var validationTimeouts: HTTPRequest.Timeouts {
        var timeouts = requestTimeouts
        timeouts.response = TimeAmount(min(response, validation))
        timeouts.total = TimeAmount(min(total, validation))
        return timeouts
    }

    var documentTimeouts: HTTPRequest.Timeouts {
        HTTPRequest.Timeouts(
            stall: TimeAmount(stall), response: TimeAmount(documentResponse), total: TimeAmount(delivery),
            maximumResponseLength: maximumResponseLength
        )
    }
}
