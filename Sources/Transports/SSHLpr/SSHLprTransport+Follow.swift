public import PrintModel
import SSH

extension SSHLprTransport {
    public func follow(
        _ job: RemoteJob, on printer: PrinterTarget, update: @escaping @Sendable (JobReport) -> Void
    ) async throws -> JobReport {
        try await call(printer) { client in
            guard let id = LprJobID(job) else { throw client.unknownJob(job) }
            return try await self.follow(
                id, of: JobOwner.make(job.origin?.user), with: client, by: self.clock, update: update)
        }
    }

    private func follow<C: Clock>(
        _ job: LprJobID, of owner: String, with client: QueueClient, by clock: C, update: @Sendable (JobReport) -> Void
    ) async throws -> JobReport where C.Duration == Duration {
        var watch = QueueWatch(job, deadlines: deadlines)
        let start = clock.now
        while true {
            let answer = try await ask(client, owner: owner)
            switch watch.took(answer, elapsed: start.duration(to: clock.now)) {
            case .wait(let pause, let report):
                if let report { update(report) }
                try await clock.sleep(for: pause)
            case .finish(let report): return report
            case .giveUp(let words):
                throw TransportError(
                    .outcomeUnknown, operation: "lpq",
                    message:
                        "\(client.printer): what became of job \(job.number) cannot be told: \(words); look whether it printed",
                    remoteJob: job.remoteJob
                )
            }
        }
    }

    private func ask(_ client: QueueClient, owner: String) async throws -> QueueWatch.Answer {
        do {
            let (dialect, _) = try await client.facts()
            return .listing(try await client.listing(dialect, owner: owner))
        } catch let error as SSHError where error.isPassing {
            return .lost(TransportError(error, printer: client.printer))
        } catch let error as TransportError where error.code == .programMissing || error.code == .protocolViolation {
            return .lost(error)
        }
    }
}

extension SSHError {
    /// Whether asking again later may help: a host that is switched off and on, or busy.
    fileprivate var isPassing: Bool {
        switch code {
        case .hostNotFound, .connectionRefused, .unreachable, .connectionLost, .timedOut, .channelRefused,
            .tooMuchOutput:
            true
        default: false
        }
    }
}

extension QueueClient {
    func unknownJob(_ job: RemoteJob) -> TransportError {
        let name = job.identifier.withoutControlCharacters.prefix(utf8Count: 60)
        return TransportError(
            .outcomeUnknown, operation: "lpq",
            message: "\(printer): \"\(name)\" is no job of a line printer queue; look whether it printed"
        )
    }
}
