import IPPCodec
public import PrintModel

extension IPPTransport {
    public func follow(
        _ job: RemoteJob, on printer: PrinterTarget, update: @escaping @Sendable (JobReport) -> Void
    ) async throws -> JobReport {
        try await follow(job, with: client(for: printer), clock: clock, update: update)
    }

    private func follow(
        _ job: RemoteJob, with client: IPPClient, clock: some Clock<Duration>, update: @Sendable (JobReport) -> Void
    ) async throws(TransportError) -> JobReport {
        let request = try question(.getJobAttributes, job, client, asking: JobReport.requestedAttributes)
        var watch = JobWatch(lostPatience: deadlines.lostPrinter)
        let start = clock.now
        while true {
            let answer = try await ask(request, about: job, client)
            switch watch.took(answer, elapsed: start.duration(to: clock.now)) {
            case .wait(let pause, let report):
                if let report { update(report) }
                do {
                    try await clock.sleep(for: pause)
                } catch {
                    throw TransportError(HTTPFailure(cause: .cancelled), operation: "Get-Job-Attributes", printer: client.printer)
                }
            case .finish(let report): return report
            case .giveUp(let reason): throw unknownOutcome(of: job, reason, client.printer)
            }
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
                return JobReport(attributes, job: job).map { .report($0) } ?? .gone
            }
        } catch where error.isPassing {
            return .lost(error)
        }
    }

    /// The request for an operation on a job that the printer took.
    func question(
        _ operation: IPPOperation, _ job: RemoteJob, _ client: IPPClient, asking requested: [String] = []
    ) throws(TransportError) -> IPPRequest {
        guard let jobID = job.ippJobID else {
            throw TransportError(
                .outcomeUnknown, operation: "\(operation)",
                message: "\(client.printer): \"\(job.identifier.cleaned)\" is no job of an IPP printer; look whether it printed"
            )
        }
        var request = IPPRequest(operation: operation, user: UserName.make(nil), patience: deadlines.forQuestion)
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
            case .lost(let error): ("the outcome of job \(job.identifier) cannot be asked for: \(error.message)", error.underlying)
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
