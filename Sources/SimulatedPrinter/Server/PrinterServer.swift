import KioskDigests
import KioskIPPCodec
import KioskPrintModel
import NIOCore
import NIOHTTP1

/// The running printer, which joins the service, the network and the spool folder. It lives on one event loop and is
/// used only there.
final class PrinterServer {
    /// The number of entries that the lists of documents and paper keep.
    private static let historyLimit = 10_000

    let listener: PrinterListener
    let folder: String
    private let loop: any EventLoop
    private let onEvent: @Sendable (PrinterEvent) -> Void
    private let start = NIODeadline.now()
    private var timer: Scheduled<Void>?

    private var service: PrinterService
    private var loginVerifier: LoginVerifier?
    private var publishedState: (PrinterModel.State, [String])
    /// Connections that wait for an event, and how to respond to them.
    private var eventWaits: [ObjectIdentifier: (wait: EventWait, respond: (IPPMessage) -> Void)] = [:]

    private(set) var documents: [ReceivedDocument] = []
    private(set) var paper: [PaperRecord] = []
    private var documentCount = 0

    private var faults = ResponseFaultQueue()
    /// The power goes after this many bytes of the next document.
    private(set) var powerLossOffset: Int64?
    private(set) var losesPowerBeforeResponse = false
    /// How long reading 1,024 bytes of a document takes.
    private var readTimePerKilobyte: Duration = .zero

    init(
        listener: PrinterListener, folder: String, service: PrinterService, login: PrinterLogin?,
        onEvent: @escaping @Sendable (PrinterEvent) -> Void
    ) {
        self.listener = listener
        self.folder = folder
        self.service = service
        self.onEvent = onEvent
        loop = listener.loop
        loginVerifier = login.map(LoginVerifier.init)
        publishedState = (service.model.state, service.model.reasons)
    }

    var identity: PrinterIdentity { service.identity }
    var model: PrinterModel { service.model }
    var subscriptionCount: Int { service.subscriptions.count }
    var eventWaitCount: Int { eventWaits.count }

    func report(_ event: PrinterEvent) { onEvent(event) }

    // MARK: Requests

    /// Verifies the login of a request; nil where the printer requires none.
    func authenticate(_ head: HTTPRequestHead) throws(DigestError) -> LoginVerifier.Outcome? {
        let fields = head.headers["authorization"]
        return try loginVerifier?.verify(fields, method: head.method.rawValue, uri: head.uri, at: now)
    }

    /// Handles a request whose attributes have arrived. `login` is the authenticated user.
    func handle(_ message: IPPMessage, from login: String?) -> PrinterService.Outcome {
        let outcome = service.handle(message, from: login, at: now)
        publishChanges()
        return outcome
    }

    /// The number of injected faults that no response has had yet.
    var pendingFaultCount: Int { faults.count }

    /// The fault of the next response, if any.
    func nextFault(hasDocument: Bool) -> ResponseFault? { faults.next(hasDocument: hasDocument) }

    /// Begins a document that arrives, and gives it its number.
    func beginDocument(
        _ document: inout DocumentRequest
    ) throws(PrinterModel.JobError) -> (number: Int, job: SimulatedJob?) {
        documentCount += 1
        let number = documentCount
        let job = try service.jobs.beginDocument(&document, number: number, at: now)
        publishChanges()
        return (number, job)
    }

    /// Notes how many bytes of the job's document have arrived in all.
    func received(_ job: SimulatedJob, bytes: Int64) { service.jobs.received(job.id, bytes: bytes) }

    /// Ends a document, which is `bytes` long, and returns the response to its request.
    func finishDocument(_ document: DocumentRequest, bytes: Int64) -> IPPMessage {
        let response = service.finishDocument(document, bytes: bytes, at: now)
        publishChanges()
        return response
    }

    /// Aborts the job of a document that ends in the middle.
    func abandonDocument(of job: SimulatedJob) {
        guard service.model.job(job.id)?.document == job.document else { return }
        apply { $0.abandonDocument(job.id, at: $1) }
    }

    func record(_ document: ReceivedDocument) {
        documents.append(document)
        if documents.count > Self.historyLimit { documents.removeFirst() }
        onEvent(.received(document))
    }

    /// Pauses reading for as long as these bytes of a document take. Meanwhile the client's bytes stay in the kernel.
    func pauseReading(_ channel: any Channel, after bytes: Int) {
        guard readTimePerKilobyte > .zero, channel.isActive else { return }
        let time = readTimePerKilobyte * (Double(bytes) / 1024)
        try? channel.syncOptions?.setOption(.autoRead, value: false)
        channel.eventLoop.scheduleTask(in: .milliseconds(max(1, time.milliseconds))) {
            channel.setOption(.autoRead, value: true).whenSuccess { channel.read() }
        }
    }

    // MARK: Requests that wait for an event

    /// Calls `respond` once there is an event for a request, or when its wait ends.
    func wait(_ wait: EventWait, for connection: ObjectIdentifier, respond: @escaping (IPPMessage) -> Void) {
        eventWaits[connection] = (wait, respond)
        publishChanges()
    }

    func cancelWait(for connection: ObjectIdentifier) { eventWaits[connection] = nil }

    /// Responds to the requests that have an event, and to those whose wait ends.
    private func respondToWaits() {
        for (connection, waiting) in eventWaits {
            guard let response = service.response(to: waiting.wait, at: now) else { continue }
            eventWaits[connection] = nil
            waiting.respond(response)
        }
    }

    // MARK: Time and events

    /// The time since the simulation's start.
    private var now: Duration { .nanoseconds((NIODeadline.now() - start).nanoseconds) }

    /// Reports what the last input led to, and sets the timer for what happens without one. Follows every input.
    private func publishChanges() {
        for action in service.jobs.takeActions() {
            switch action {
            case .jobCreated(let job):
                service.notify(of: job, isNew: true, at: now)
                onEvent(.job(job))
            case .jobChanged(let job):
                service.notify(of: job, isNew: false, at: now)
                onEvent(.job(job))
            case .paper(let job, let bytes, let isComplete): record(job, bytes, isComplete)
            }
        }
        if service.takeIdentification() { onEvent(.identify) }
        let state = (service.model.state, service.model.reasons)
        if state != publishedState {
            publishedState = state
            service.notifyOfPrinterState(at: now)
            onEvent(.state("\(state.0)", reasons: state.1))
        }
        respondToWaits()
        setTimer()
    }

    private func record(_ job: SimulatedJob, _ bytes: Int64, _ isComplete: Bool) {
        let record = PaperRecord(
            document: job.document ?? 0, jobID: job.id, jobName: job.name, bytes: bytes, isComplete: isComplete)
        paper.append(record)
        if paper.count > Self.historyLimit { paper.removeFirst() }
        onEvent(.paper(record))
    }

    private func setTimer() {
        timer?.cancel()
        timer = nil
        let deadlines = [service.model.nextDeadline, eventWaits.values.map(\.wait.endsAt).min()].compactMap { $0 }
        guard let deadline = deadlines.min() else { return }
        // Waking early does no harm, and more nanoseconds than fit an Int64 must not be counted.
        let wait = min(max(.zero, deadline - now), .seconds(86_400))
        let nanoseconds = wait.components.seconds * 1_000_000_000 + wait.components.attoseconds / 1_000_000_000
        timer = loop.assumeIsolated().scheduleTask(in: .nanoseconds(nanoseconds)) { [weak self] in
            self?.apply { $0.advance(to: $1) }
        }
    }

    /// Passes an input to the model at the current time.
    private func apply(_ input: (inout PrinterModel, Duration) -> [PrinterModel.Action]) {
        let moment = now
        service.jobs.apply { input(&$0, moment) }
        publishChanges()
    }

    // MARK: Commands

    /// Does something to the printer; the future succeeds when it is done.
    func perform(_ command: PrinterCommand) -> EventLoopFuture<Void> {
        switch command {
        case .paperOut: change { $0.isPaperOut = true }
        case .paperLow: change { $0.isPaperLow = true }
        case .paperIn:
            change {
                $0.isPaperOut = false
                $0.isPaperLow = false
            }
        case .coverOpen: change { $0.isCoverOpen = true }
        case .coverClose: change { $0.isCoverOpen = false }
        case .jam: change { $0.isJammed = true }
        case .unjam: change { $0.isJammed = false }
        case .slow(let milliseconds): change { $0.timePerKilobyte = .milliseconds(milliseconds) }
        case .hold: change { $0.isHoldingJobs = true }
        case .release: change { $0.isHoldingJobs = false }
        case .refuse: change { $0.isRejectingJobs = true }
        case .accept: change { $0.isRejectingJobs = false }
        case .trickle(let milliseconds): readTimePerKilobyte = .milliseconds(milliseconds)
        case .busy(let count): service.jobs.busyResponses = count
        case .injectFault(let fault, let count, let documentsOnly):
            faults.add(fault, count: count, documentsOnly: documentsOnly)
        case .abort: apply { $0.abortCurrentJob(at: $1) }
        case .forget: service.jobs.forgetHistory()
        case .forgetAtEnd(let forgets): change { $0.forgetsFinishedJobs = forgets }
        case .ignoreValidation(let ignores): service.ignoresValidation = ignores
        case .ignoreTemplates(let ignores): service.jobs.ignoresTemplates = ignores
        case .losePowerAfter(let bytes): powerLossOffset = bytes
        case .losePowerBeforeResponse: losesPowerBeforeResponse = true
        case .powerOff: losePower()
        case .dropConnections: listener.resetConnections()
        case .goOffline(let milliseconds): goOffline(for: milliseconds)
        case .goOnline: return goOnline()
        case .newCertificate: return renewCertificate()
        }
        return loop.makeSucceededVoidFuture()
    }

    private func change(_ edit: (inout PrinterCondition) -> Void) {
        var condition = service.model.condition
        edit(&condition)
        apply { $0.setCondition(condition, at: $1) }
    }

    func losePower() {
        service.losePower(at: now)
        powerLossOffset = nil
        losesPowerBeforeResponse = false
        publishChanges()
        goOffline()
    }

    private func renewCertificate() -> EventLoopFuture<Void> {
        guard let tls = listener.tls else {
            return loop.makeFailedFuture(SimulatedPrinterError("The printer has no certificate; start it with --tls."))
        }
        do {
            try tls.renew()
        } catch {
            return loop.makeFailedFuture(error)
        }
        report(.certificate(tls.certificate))
        return loop.makeSucceededVoidFuture()
    }

    private func goOffline(for milliseconds: Int?) {
        goOffline()
        guard let milliseconds else { return }
        loop.assumeIsolated().scheduleTask(in: .milliseconds(Int64(milliseconds))) { [weak self] in
            guard let self else { return }
            let server = NIOLoopBound(self, eventLoop: loop)
            goOnline().whenFailure {
                server.value.report(.failure("The printer cannot listen on its port again: \($0)"))
            }
        }
    }

    private func goOffline() {
        if listener.close() { report(.offline) }
    }

    private func goOnline() -> EventLoopFuture<Void> {
        guard !listener.isListening else { return loop.makeSucceededVoidFuture() }
        if !service.model.isOn { service.jobs.powerOn(at: now) }
        let server = NIOLoopBound(self, eventLoop: loop)
        return listener.listenAgain(for: self).map {
            server.value.report(.online)
            server.value.publishChanges()
        }
    }

    /// Goes off the network for good.
    func stop() {
        timer?.cancel()
        timer = nil
        goOffline()
    }
}
