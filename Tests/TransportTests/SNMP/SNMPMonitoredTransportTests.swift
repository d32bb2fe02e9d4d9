import Glibc
import KioskPrintModel
import KioskTestSupport
import Synchronization
import Testing

@testable import KioskSNMP
@testable import KioskSocket

/// Contacts of printers whose agents are asked beside them.
@Suite struct SNMPMonitoredTransportTests {
    /// A raw printer that takes connections and says nothing, behind which an agent may stand.
    private final class RawListener: Sendable {
        let port: Int
        private let descriptor: Int32

        init() throws { (descriptor, port) = try listenOnLoopback() }
        deinit { close(descriptor) }

        func target() throws -> PrinterTarget { PrinterTarget(url: try PrinterURL("socket://127.0.0.1:\(port)")) }
    }

    @Test(.enabled(if: SNMPDaemon.obstacle == nil, "snmpd is missing"))
    func `a raw printer has the toner, the model and the empty tray that Debian's snmpd tells`() async throws {
        let (listener, daemon) = (try RawListener(), try await SNMPDaemon(SNMPDaemon.printer(errors: "0x4000")))
        let transport = SNMPMonitoredTransport(
            SocketTransport(), community: { _ in "public" }, port: daemon.port)
        let printer = try listener.target()
        let report = try await eventuallyValue("what the agent says") {
            let report = try await transport.contact(printer)
            return report.description.supplies.isEmpty ? nil : report
        }
        #expect(report.availability.state == .attention)
        #expect(report.availability.reasons.map(\.ippKeyword) == ["media-empty-warning"])
        #expect(report.description.makeAndModel == "Acme Laser 4250")
        #expect(report.description.supplies.first == Supply(name: "Black Toner", type: "toner", level: 42))
        await transport.shutDown()
    }

    @Test func `a printer without an agent is contacted as without any`() async throws {
        let listener = try RawListener()
        let agent = try ScriptedSNMPAgent { _ in [] }
        defer { agent.stop() }
        let (base, asked) = (SocketTransport(), SocketTransport())
        let transport = SNMPMonitoredTransport(asked, community: { _ in "public" }, port: agent.port)
        let printer = try listener.target()
        #expect(try await transport.contact(printer) == base.contact(printer))
        try await eventually("the request") { !agent.datagrams.isEmpty }
        await transport.shutDown()
        await base.shutDown()
    }

    @Test func `a printer without a community is not asked`() async throws {
        let listener = try RawListener()
        let agent = try ScriptedSNMPAgent { _ in [] }
        defer { agent.stop() }
        let transport = SNMPMonitoredTransport(SocketTransport(), community: { _ in nil }, port: agent.port)
        _ = try await transport.contact(listener.target())
        await transport.shutDown()
        #expect(agent.datagrams.isEmpty)
    }

    @Test func `what the other transport says itself stays, and its error is told`() async throws {
        let mib = ScriptedMIB(ScriptedMIB.printer([0x08]))
        let agent = try ScriptedSNMPAgent { datagram in
            [(try? SNMPMessage(decoding: datagram)).map { mib.response(to: $0).encoded } ?? []]
        }
        defer { agent.stop() }
        let base = StandInTransport()
        let transport = SNMPMonitoredTransport(base, community: { _ in "public" }, port: agent.port)
        let printer = PrinterTarget(url: try PrinterURL("socket://127.0.0.1"))
        try await eventually("the agent's words") {
            try await transport.contact(printer).availability
                == Availability(.stopped, reasons: [StateReason(keyword: "door-open", severity: .error)])
        }
        let own = ContactReport(
            description: PrinterDescription(makeAndModel: "Other", supplies: [Supply(name: "Ribbon")]),
            availability: Availability(.attention, reasons: [StateReason(keyword: "media-low", severity: .warning)]))
        base.report.withLock { $0 = .success(own) }
        #expect(try await transport.contact(printer) == own)
        let failure = TransportError(.connectionRefused, operation: "connect", message: "no route")
        base.report.withLock { $0 = .failure(failure) }
        let error = try await transportError { _ = try await transport.contact(printer) }
        #expect(error.message == "no route")
        await transport.shutDown()
    }

    @Test func `all else is the other transport's`() async throws {
        let base = StandInTransport()
        let transport = SNMPMonitoredTransport(base, community: { _ in nil }, port: 9)
        let printer = PrinterTarget(url: try PrinterURL("socket://192.0.2.1"))
        let job = RemoteJob(identifier: "7")
        #expect(transport.schemes == [.socket] && transport.idleContactInterval == .seconds(7))
        #expect(transport.taskExecutor == nil)
        #expect(await transport.healthChecks.map(\.code) == ["stand-in"])
        #expect(transport.news() != nil)
        #expect(try await transport.identity(of: printer) == nil)
        let delivery = Delivery.receipt("k1", [1])
        #expect(try await transport.deliver(delivery, to: printer) { _ in }.remoteJob == job)
        #expect(try await transport.follow(job, on: printer) { _ in }.evidence == .printed)
        #expect(try await transport.locate(delivery, on: printer) == job)
        #expect(try await transport.remarks(on: job, of: delivery, at: printer) == ["stapled by hand"])
        try await transport.cancel(job, on: printer)
        #expect(try await transport.identify(printer, message: "here") == ["sound"])
        transport.recall(LearnedBehavior(), of: printer)
        await transport.forget(printer)
        await transport.shutDown()
        #expect(
            base.calls.all == [
                "news", "identity", "deliver", "follow", "locate", "remarks", "cancel", "identify here", "recall",
                "forget", "shutDown",
            ])
    }
}

/// A transport that notes its calls; no requirement has its default.
private final class StandInTransport: Transport {
    let calls = Recorder<String>()
    let report = Mutex<Result<ContactReport, TransportError>>(
        .success(ContactReport(description: PrinterDescription(), availability: Availability(.ready))))
    let schemes: Set<PrinterURL.Scheme> = [.socket]
    let idleContactInterval: Duration? = .seconds(7)
    private let job = RemoteJob(identifier: "7")

    func contact(_ printer: PrinterTarget) async throws -> ContactReport { try report.withLock { $0 }.get() }
    func identity(of printer: PrinterTarget) async throws -> JudgedIdentity? {
        calls.add("identity")
        return nil
    }
    func deliver(
        _ delivery: Delivery, to printer: PrinterTarget, progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) async throws -> JobReport {
        calls.add("deliver")
        return JobReport(state: .processing, evidence: .accepted, remoteJob: job)
    }
    func follow(
        _ job: RemoteJob, on printer: PrinterTarget, update: @escaping @Sendable (JobReport) -> Void
    ) async throws -> JobReport {
        calls.add("follow")
        return JobReport(state: .completed, evidence: .printed)
    }
    func locate(_ delivery: Delivery, on printer: PrinterTarget) async throws -> RemoteJob? {
        calls.add("locate")
        return job
    }
    func remarks(on job: RemoteJob, of delivery: Delivery, at printer: PrinterTarget) async throws -> [String] {
        calls.add("remarks")
        return ["stapled by hand"]
    }
    func cancel(_ job: RemoteJob, on printer: PrinterTarget) async throws { calls.add("cancel") }
    func identify(_ printer: PrinterTarget, message: String?) async throws -> [String] {
        calls.add("identify \(message ?? "")")
        return ["sound"]
    }
    func recall(_ learned: LearnedBehavior, of printer: PrinterTarget) { calls.add("recall") }
    func forget(_ printer: PrinterTarget) async { calls.add("forget") }
    func news() -> AsyncStream<PrinterNews>? {
        calls.add("news")
        return AsyncStream { $0.finish() }
    }
    var healthChecks: [HealthReport.Check] {
        get async { [HealthReport.Check(code: "stand-in", status: .ok, message: "it stands in")] }
    }
    func shutDown() async { calls.add("shutDown") }
}
