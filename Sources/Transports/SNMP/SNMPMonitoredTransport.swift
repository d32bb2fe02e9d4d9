public import KioskPrintModel
public import NIOCore
public import NIOPosix

/// A transport to office printers whose own protocol tells little, `socket://` and `lpd://`, that asks each printer's
/// SNMP agent as well: for paper, doors and jams, its model and its supplies.
///
/// The agent is queried during a contact and never makes it fail. A contact waits at most half a second, and only for
/// an agent that responded last time; a later response counts for the next contact. A silent agent is not asked again
/// for ten minutes. Deliveries and evidence are not affected.
public final class SNMPMonitoredTransport: Transport {
    private let base: any Transport
    private let community: @Sendable (PrinterTarget) -> String?
    private let watch: AgentWatch

    /// The community of agents that nobody has set another one for.
    public static let defaultCommunity = "public"

    /// Creates a transport around `base`.
    /// - Parameters:
    ///   - community: The community to ask a printer's agent with; nil for a printer that is not asked.
    ///   - group: Carries the datagrams.
    public convenience init(
        _ base: any Transport,
        community: @escaping @Sendable (PrinterTarget) -> String? = { _ in defaultCommunity },
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton, trace: WireTrace = WireTrace()
    ) {
        self.init(
            base, community: community, port: Self.standardPort, deadlines: SNMPAgent.Deadlines(), group: group,
            clock: ContinuousClock(), trace: trace)
    }

    package init(
        _ base: any Transport, community: @escaping @Sendable (PrinterTarget) -> String?, port: Int,
        deadlines: SNMPAgent.Deadlines = SNMPAgent.Deadlines(),
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        clock: some Clock<Duration> = ContinuousClock(), trace: WireTrace = WireTrace()
    ) {
        self.base = base
        self.community = community
        watch = AgentWatch(clock: clock) { printer, community in
            let agent = SNMPAgent(
                host: printer.url.resolvableHost, port: port, community: community, deadlines: deadlines, group: group)
            let outcome = await agent.report()
            trace.tell(.snmp, printer.url, outcome.description)
            return outcome
        }
    }

    /// RFC 3417 §3.1.
    private static let standardPort = 161

    /// Contacts the printer, and adds what its agent says.
    public func contact(_ printer: PrinterTarget) async throws -> ContactReport {
        guard let community = community(printer) else { return try await base.contact(printer) }
        watch.begin(printer, community: community)
        var report = try await base.contact(printer)
        await watch.wait(for: printer)
        if let (said, isCurrent) = watch.report(of: printer) {
            if isCurrent { report.availability = said.applied(to: report.availability) }
            report.description.add(said)
        }
        return report
    }

    public func forget(_ printer: PrinterTarget) async {
        await watch.forget(printer)
        await base.forget(printer)
    }

    public func shutDown() async {
        await watch.shutDown()
        await base.shutDown()
    }

    // MARK: As the other transport has it

    public var schemes: Set<PrinterURL.Scheme> { base.schemes }
    public var idleContactInterval: Duration? { base.idleContactInterval }
    public var allowsFrequentContacts: Bool { base.allowsFrequentContacts }
    public var taskExecutor: (any TaskExecutor)? { base.taskExecutor }
    public var healthChecks: [HealthReport.Check] { get async { await base.healthChecks } }

    public func identity(of printer: PrinterTarget) async throws -> JudgedIdentity? {
        try await base.identity(of: printer)
    }

    public func deliver(
        _ delivery: Delivery, to printer: PrinterTarget, progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) async throws -> JobReport { try await base.deliver(delivery, to: printer, progress: progress) }

    public func follow(
        _ job: RemoteJob, on printer: PrinterTarget, update: @escaping @Sendable (JobReport) -> Void
    ) async throws -> JobReport { try await base.follow(job, on: printer, update: update) }

    public func locate(_ delivery: Delivery, on printer: PrinterTarget) async throws -> RemoteJob? {
        try await base.locate(delivery, on: printer)
    }

    public func remarks(
        on job: RemoteJob, of delivery: Delivery, at printer: PrinterTarget
    ) async throws -> [String] { try await base.remarks(on: job, of: delivery, at: printer) }

    public func cancel(_ job: RemoteJob, on printer: PrinterTarget) async throws {
        try await base.cancel(job, on: printer)
    }

    public func identify(_ printer: PrinterTarget, message: String?) async throws -> [String] {
        try await base.identify(printer, message: message)
    }

    public func recall(_ learned: LearnedBehavior, of printer: PrinterTarget) { base.recall(learned, of: printer) }

    public func news() -> AsyncStream<PrinterNews>? { base.news() }
}

extension PrinterDescription {
    /// Adds what a printer's agent said where the printer's own protocol says nothing.
    fileprivate mutating func add(_ report: PrinterReport) {
        makeAndModel = makeAndModel ?? report.model
        if supplies.isEmpty { supplies = report.supplies.compactMap { Supply($0) } }
    }
}

extension SNMPAgent.Outcome: CustomStringConvertible {
    /// For the trace: what the agent said, in the terms of its MIBs.
    var description: String {
        switch self {
        case .silence(let reason): return "the agent is silent: \(reason)"
        case .report(let report):
            let state = report.errorState.map { "errors \(String($0.rawValue, radix: 16))" } ?? "no state of a printer"
            let parts = [
                report.model, report.serialNumber.map { "serial number \($0)" }, state,
                report.lifeCount.map { "life count \($0)" }, "\(report.supplies.count) supplies",
            ]
            return parts.compactMap(\.self).joined(separator: ", ")
        }
    }
}
