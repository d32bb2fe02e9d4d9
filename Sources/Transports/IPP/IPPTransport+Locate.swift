import Glibc
import IPPCodec
public import PrintModel

extension IPPTransport {
    public func locate(_ delivery: Delivery, on printer: PrinterTarget) async throws -> RemoteJob? {
        try await call(printer) { try await self.locate(delivery, with: $0) }
    }

    private func locate(_ delivery: Delivery, with client: IPPClient) async throws -> RemoteJob? {
        let upTime = try await upTime(of: client)
        let search = JobSearch(
            jobID: delivery.jobID,
            secondsSinceSent: delivery.sentAt.map { max(0, (Self.now - $0.millisecondsSince1970) / 1000) },
            upTime: upTime
        )
        // Waiting jobs first: one that ends in between is in the second list.
        let waiting = try await jobs("not-completed", asking: delivery.user, of: client)
        let ended = try await jobs("completed", asking: delivery.user, of: client)
        switch search.judge(waiting: waiting, ended: ended) {
        case .found(let job): return job
        case .absent: return nil
        case .unknown(let why): throw unknown(why, client)
        }
    }

    /// The printer's jobs: those waiting in the order in which they will end, those ended with the newest first
    /// (RFC 8011 §4.2.6.2), so that the limit cuts off the oldest.
    private func jobs(
        _ which: String, asking user: String?, of client: IPPClient
    ) async throws(TransportError) -> [IPPGroup] {
        let request = IPPRequest(
            operation: .getJobs, user: UserName.make(user),
            operationAttributes: [
                IPPAttribute("limit", .integer(Self.jobLimit)),
                IPPAttribute("requested-attributes", keywords: JobSearch.requestedAttributes),
                IPPAttribute("which-jobs", keyword: which),
            ],
            timeouts: deadlines.requestTimeouts
        )
        let response = try await client.send(request)
        // RFC 8011 §4.2.6.3: a printer without jobs may say so with an error.
        if response.message.status == .clientErrorNotFound { return [] }
        guard response.message.status.isSuccess else {
            throw unknown("the printer does not list its jobs: \(client.error(response, request).message)", client)
        }
        return response.message.groups(.job)
    }

    private func upTime(of client: IPPClient) async throws(TransportError) -> Int64? {
        try await learn(client)["printer-up-time"]?.integer.map(Int64.init)
    }

    private func unknown(_ why: String, _ client: IPPClient) -> TransportError {
        TransportError(
            .outcomeUnknown, operation: "Get-Jobs",
            message:
                "\(client.printer): whether the printer took the job is unknown: \(why); check whether it printed"
        )
    }

    private static let jobLimit: Int32 = 500

    /// Milliseconds since 1970, as `Timestamp` counts them.
    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
