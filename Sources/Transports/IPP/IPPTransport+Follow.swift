import IPPCodec
public import PrintModel

extension IPPTransport {
    public func follow(
        _ job: RemoteJob, on printer: PrinterTarget, update: @escaping @Sendable (JobReport) -> Void
    ) async throws -> JobReport {
        try await call(printer) { client in
            try await self.follow(job, with: client, pacer: self.pacer(client), update: update)
        }
    }

    private func pacer(_ client: IPPClient) -> any Pacer {
        guard let clock else { return EventLoopPacer(client.link) }
        return Self.pacer(clock)
    }

    private static func pacer(_ clock: some Clock<Duration>) -> any Pacer { ClockPacer(clock) }

    private func follow(
        _ job: RemoteJob, with client: IPPClient, pacer: any Pacer, update: @Sendable (JobReport) -> Void
    ) async throws(TransportError) -> JobReport {
        let request = try question(
            .getJobAttributes, job, client, asking: JobReport.requestedAttributes + JobIdentity.requestedAttributes
        )
        var watch = JobWatch(lostPatience: deadlines.lostPrinter)
        var listener: NoticeListener?
        defer { listener?.end() }
        var hearing = NoticeListener.Hearing.deaf
        var misleadings = 0
        try await pause(client.knowledge.firstPause(of: job), pacer, client)
        while true {
            let answer = try await ask(request, about: job, client)
            switch watch.took(answer, elapsed: pacer.elapsed) {
            case .wait(let duration, let report):
                if let report {
                    update(report)
                    listener?.jobChanged(after: hearing)
                }
                // A printer that keeps telling what is not so is asked no faster for it, until something is so or it
                // held still for a whole wait.
                if report != nil || hearing == .silence {
                    misleadings = 0
                } else if hearing != .deaf {
                    misleadings += 1
                }
                hearing = .deaf
                if JobWatch.isLong(after: pacer.elapsed), misleadings < Self.mostMisleadings {
                    listener = listener ?? NoticeListener(client, deadlines: deadlines)
                    hearing = try await hear(of: job, with: client, listener)
                }
                if hearing == .deaf { try await pause(duration, pacer, client) }
            case .finish(let report):
                listener?.jobChanged(after: hearing)
                client.knowledge.jobEnded(after: pacer.elapsed)
                return report
            case .giveUp(let reason): throw unknownOutcome(of: job, reason, client.printer)
            }
        }
    }

    /// As many as a printer brings about that forgets three subscriptions at once, each made and found forgotten.
    private static let mostMisleadings = 6

    /// Listens to the printer's events until the job is worth a question.
    private func hear(
        of job: RemoteJob, with client: IPPClient, _ listener: NoticeListener?
    ) async throws(TransportError) -> NoticeListener.Hearing {
        guard let listener else { return .deaf }
        let user = UserName.make(job.origin?.user)
        let patience = deadlines.forQuestion
        let hearing = await listener.hear(of: job) { IPPRequest(operation: $0, user: user, patience: patience) }
        guard !Task.isCancelled else {
            throw TransportError(
                HTTPFailure(cause: .cancelled), operation: "Get-Notifications", printer: client.printer)
        }
        return hearing
    }

    private func pause(_ duration: Duration, _ pacer: any Pacer, _ client: IPPClient) async throws(TransportError) {
        guard duration > .zero else { return }
        do {
            try await pacer.pause(duration)
        } catch {
            throw TransportError(
                HTTPFailure(cause: .cancelled), operation: "Get-Job-Attributes", printer: client.printer
            )
        }
    }

    private func ask(
        _ request: IPPRequest, about job: RemoteJob, _ client: IPPClient
    ) async throws(TransportError) -> JobWatch.Answer {
        do throws(TransportError) {
            let reply = try await client.ask(request)
            switch reply.message.status {
            case .clientErrorNotFound, .clientErrorGone, .clientErrorNotPossible: return .gone
            case let status where !status.isSuccess: throw client.error(reply, request)
            default:
                let attributes = IPPGroup(.job, reply.message.groups(.job).flatMap(\.attributes))
                guard Self.isAbout(job, attributes) else { return .gone }
                return JobReport(attributes, job: job).map { .report($0, of: JobIdentity(attributes)) } ?? .gone
            }
        } catch  where error.isPassing {
            return .lost(error)
        }
    }

    /// Whether an answer may be about this job: a printer that was switched off and on gives its number to another, and
    /// some answer about another job than the one that was asked after.
    private static func isAbout(_ job: RemoteJob, _ attributes: IPPGroup) -> Bool {
        if let number = attributes["job-id"]?.integer, number != job.ippJobID { return false }
        guard let id = job.origin?.deliveryID, let name = attributes["job-name"]?.string else { return true }
        return JobName.matches(name, jobID: id)
    }

    /// The request for an operation on a job that the printer took.
    func question(
        _ operation: IPPOperation, _ job: RemoteJob, _ client: IPPClient, asking requested: [String] = []
    ) throws(TransportError) -> IPPRequest {
        guard let jobID = job.ippJobID else {
            throw TransportError(
                .outcomeUnknown, operation: "\(operation)",
                message:
                    "\(client.printer): \"\(job.identifier.cleaned)\" is no job of an IPP printer; look whether it printed"
            )
        }
        var request = IPPRequest(
            operation: operation, user: UserName.make(job.origin?.user), patience: deadlines.forQuestion)
        request.jobID = jobID
        if !requested.isEmpty {
            request.operationAttributes = [IPPAttribute("requested-attributes", keywords: requested)]
        }
        return request
    }

    private func unknownOutcome(of job: RemoteJob, _ reason: JobWatch.Reason, _ printer: PrinterURL) -> TransportError {
        let (words, underlying): (String, TransportError.NativeCode?) =
            switch reason {
            case .gone: ("the printer does not know job \(job.identifier) any more", nil)
            case .lost(let error):
                ("the outcome of job \(job.identifier) cannot be asked for: \(error.message)", error.underlying)
            }
        return TransportError(
            .outcomeUnknown, operation: "Get-Job-Attributes", message: "\(printer): \(words); look whether it printed",
            underlying: underlying, remoteJob: job
        )
    }
}

extension TransportError {
    /// Whether asking again later may help: a printer that is switched off and on, or busy.
    fileprivate var isPassing: Bool {
        [.connectionLost, .connectionRefused, .hostNotFound, .timedOut, .printerBusy, .printerFailed].contains(code)
    }
}
