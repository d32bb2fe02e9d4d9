import IPPCodec
import NIOCore
import NIOPosix
import PrintModel

/// The running printer: joins service, network and files. Lives on one event loop and is touched only there.
final class PrinterCore {
    /// The list of what happened keeps so many entries.
    private static let historyLimit = 10_000

    let loop: any EventLoop
    let folder: String
    private let onEvent: @Sendable (PrinterEvent) -> Void
    private let start = NIODeadline.now()
    private var timer: Scheduled<Void>?
    private var shownState: (PrinterModel.State, [String])

    let tls: PrinterTLS?
    var loginCheck: LoginCheck?
    var service: PrinterService
    var faults = AnswerFaults()
    var dieAfter: Int64?
    var diesBeforeAnswer = false
    /// How long reading 1,024 bytes of a document takes.
    var trickle: Duration = .zero
    var listeners: [any Channel] = []
    /// The port that it chose itself.
    private var port: ReservedPort?
    var connections: [ObjectIdentifier: any Channel] = [:]
    /// Connections that wait for an event, and how to answer them.
    var waits: [ObjectIdentifier: (wait: NotificationWait, answer: (IPPMessage) -> Void)] = [:]
    private(set) var documents: [ReceivedDocument] = []
    private(set) var paper: [PaperRecord] = []
    private var documentCount = 0

    init(
        loop: any EventLoop, folder: String, service: PrinterService, tls: PrinterTLS? = nil,
        login: PrinterLogin? = nil,
        onEvent: @escaping @Sendable (PrinterEvent) -> Void
    ) {
        self.tls = tls
        loginCheck = login.map(LoginCheck.init)
        self.loop = loop
        self.folder = folder
        self.service = service
        self.onEvent = onEvent
        shownState = (service.model.state, service.model.condition.reasons)
    }

    /// Time since the simulation's start.
    var now: Duration { .nanoseconds((NIODeadline.now() - start).nanoseconds) }

    func nextDocumentNumber() -> Int {
        documentCount += 1
        return documentCount
    }

    func reservePort() throws -> Int {
        let port = try ReservedPort()
        self.port = port
        return port.number
    }

    func record(_ document: ReceivedDocument) {
        documents.append(document)
        if documents.count > Self.historyLimit { documents.removeFirst() }
        onEvent(.received(document))
    }

    func report(_ event: PrinterEvent) { onEvent(event) }

    /// Tells what the last input led to, and sets the timer for what comes by itself. Follows every use of the service.
    func settle() {
        let actions = service.actions
        service.actions = []
        for action in actions {
            switch action {
            case .jobChanged(let job):
                service.tell(of: job, at: now)
                onEvent(.job(job))
            case .paper(let job, let bytes, let isComplete): print(job, bytes, isComplete)
            }
        }
        if service.isIdentifying {
            service.isIdentifying = false
            onEvent(.identify)
        }
        let state = (service.model.state, service.model.condition.reasons)
        if state != shownState {
            shownState = state
            service.tellOfPrinter(at: now)
            onEvent(.state("\(state.0)", reasons: state.1))
        }
        answerWaits()
        setTimer()
    }

    private func print(_ job: SimulatedJob, _ bytes: Int64, _ isComplete: Bool) {
        let record = PaperRecord(
            document: job.document ?? 0, jobID: job.id, jobName: job.name, bytes: bytes, isComplete: isComplete)
        paper.append(record)
        if paper.count > Self.historyLimit { paper.removeFirst() }
        onEvent(.paper(record))
    }

    private func setTimer() {
        timer?.cancel()
        timer = nil
        let deadlines = [service.model.nextDeadline, waits.values.map(\.wait.endsAt).min()].compactMap { $0 }
        guard let deadline = deadlines.min() else { return }
        // Waking early does no harm, and more nanoseconds than fit an Int64 must not be counted.
        let wait = min(max(.zero, deadline - now), .seconds(86_400))
        let nanoseconds = wait.components.seconds * 1_000_000_000 + wait.components.attoseconds / 1_000_000_000
        timer = loop.assumeIsolated().scheduleTask(in: .nanoseconds(nanoseconds)) { [weak self] in self?.advance() }
    }

    func advance() {
        service.actions += service.model.advance(to: now)
        settle()
    }

    func stopTimer() {
        timer?.cancel()
        timer = nil
    }
}
