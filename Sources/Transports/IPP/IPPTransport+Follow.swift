import IPPCodec
public import PrintModel

extension IPPTransport {
    public func follow(
        _ job: RemoteJob, on printer: PrinterTarget, update: @escaping @Sendable (JobReport) -> Void
    ) async throws -> JobReport {
        try await call(printer) { client in
            try await self.follow(job, with: client, timer: self.timer(client), update: update)
        }
    }

    private func timer(_ client: IPPClient) -> any PollTimer {
        guard let clock else { return EventLoopPollTimer(client.link) }
        return Self.timer(clock)
    }

    private static func timer(_ clock: some Clock<Duration>) -> any PollTimer { ClockPollTimer(clock) }

    private func follow(
        _ job: RemoteJob, with client: IPPClient, timer: any PollTimer, update: @Sendable (JobReport) -> Void
    ) async throws(TransportError) -> JobReport {
        let request = try question(
            .getJobAttributes, job, client, asking: JobReport.requestedAttributes + JobIdentity.requestedAttributes
        )
        var poller = JobPoller(lostPrinterTimeout: deadlines.lostPrinter)
        var listener: NotificationListener?
        defer { listener?.end() }
        var heard = NotificationListener.Outcome.unavailable
        var falseEvents = 0
        try await pause(client.knowledge.firstPause(of: job), timer, client)
        while true {
            let outcome = try await poll(request, about: job, client)
            switch poller.receive(outcome, elapsed: timer.elapsed) {
            case .wait(let duration, let report):
                if let report {
                    update(report)
                    listener?.jobChanged(after: heard)
                }
                // Events that no change follows must not speed up the polling. They count until the job changes or a
                // whole wait is silent.
                if report != nil || heard == .silence {
                    falseEvents = 0
                } else if heard != .unavailable {
                    falseEvents += 1
                }
                heard = .unavailable
                if JobPoller.isLong(after: timer.elapsed), falseEvents < Self.mostFalseEvents {
                    listener = listener ?? NotificationListener(client, deadlines: deadlines)
                    heard = try await listen(for: job, with: client, listener)
                }
                if heard == .unavailable { try await pause(duration, timer, client) }
            case .finish(let report):
                listener?.jobChanged(after: heard)
                client.knowledge.jobEnded(after: timer.elapsed)
                return report
            case .giveUp(let reason): throw unknownOutcome(of: job, reason, client.printer)
            }
        }
    }

    /// As many as come from a printer that forgets three subscriptions at once: each is made, and then found forgotten.
    private static let mostFalseEvents = 6

    /// Listens to the printer's events until the job is worth a poll.
    private func listen(
        for job: RemoteJob, with client: IPPClient, _ listener: NotificationListener?
    ) async throws(TransportError) -> NotificationListener.Outcome {
        guard let listener else { return .unavailable }
        let user = UserName.make(job.origin?.user)
        let timeouts = deadlines.requestTimeouts
        let heard = await listener.listen(for: job) { IPPRequest(operation: $0, user: user, timeouts: timeouts) }
        guard !Task.isCancelled else {
            throw TransportError(
                HTTPFailure(cause: .cancelled), operation: "Get-Notifications", printer: client.printer)
        }
        return heard
    }

    private func pause(_ duration: Duration, _ timer: any PollTimer, _ client: IPPClient) async throws(TransportError) {
        guard duration > .zero else { return }
        do {
            try await timer.pause(duration)
        } catch {
            throw TransportError(
                HTTPFailure(cause: .cancelled), operation: "Get-Job-Attributes", printer: client.printer
            )
        }
    }

    private func poll(
        _ request: IPPRequest, about job: RemoteJob, _ client: IPPClient
    ) async throws(TransportError) -> JobPoller.Outcome {
        do throws(TransportError) {
            let response = try await client.send(request)
            switch response.message.status {
            case .clientErrorNotFound, .clientErrorGone, .clientErrorNotPossible: return .gone
            case let status where !status.isSuccess: throw client.error(response, request)
            default:
                let attributes = IPPGroup(.job, response.message.groups(.job).flatMap(\.attributes))
                guard Self.isAbout(job, attributes) else { return .gone }
                return JobReport(attributes, job: job).map { .report($0, of: JobIdentity(attributes)) } ?? .gone
            }
        } catch  where error.isPassing {
            return .unreachable(error)
        }
    }

    /// Whether a response may be about this job: a printer that was switched off and on gives its number to another,
    /// and some printers answer about another job than the requested one.
    private static func isAbout(_ job: RemoteJob, _ attributes: IPPGroup) -> Bool {
        if let number = attributes["job-id"]?.integer, number != job.ippJobID { return false }
        guard let id = job.origin?.deliveryID, let name = attributes["job-name"]?.string else { return true }
        return JobName.matches(name, jobID: id)
    }

    /// Makes the request for an operation on a job that the printer took.
    func question(
        _ operation: IPPOperation, _ job: RemoteJob, _ client: IPPClient, asking requested: [String] = []
    ) throws(TransportError) -> IPPRequest {
        guard let jobID = job.ippJobID else {
            throw TransportError(
                .outcomeUnknown, operation: "\(operation)",
                message:
                    "\(client.printer): \"\(job.identifier.cleaned)\" is not the job-id of an IPP printer; check whether it printed"
            )
        }
        var request = IPPRequest(
            operation: operation, user: UserName.make(job.origin?.user), timeouts: deadlines.requestTimeouts)
        request.jobID = jobID
        if !requested.isEmpty {
            request.operationAttributes = [IPPAttribute("requested-attributes", keywords: requested)]
        }
        return request
    }

    private func unknownOutcome(
        of job: RemoteJob, _ cause: JobPoller.Reason, _ printer: PrinterURL
    ) -> TransportError {
        let (reason, underlying): (String, TransportError.NativeCode?) =
            switch cause {
            case .gone: ("the printer no longer knows job \(job.identifier)", nil)
            case .unreachable(let error):
                ("the outcome of job \(job.identifier) cannot be queried: \(error.message)", error.underlying)
            }
        return TransportError(
            .outcomeUnknown, operation: "Get-Job-Attributes",
            message: "\(printer): \(reason); check whether it printed",
            underlying: underlying, remoteJob: job
        )
    }
}

extension TransportError {
    /// Whether polling again later may help: the printer may be restarting, or busy.
    fileprivate var isPassing: Bool {
        [.connectionLost, .connectionRefused, .hostNotFound, .timedOut, .printerBusy, .printerFailed].contains(code)
    }
}
