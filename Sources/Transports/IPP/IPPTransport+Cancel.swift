import IPPCodec
public import PrintModel

extension IPPTransport {
    public func cancel(_ job: RemoteJob, on printer: PrinterTarget) async throws {
        try await call(printer) { try await self.cancel(job, with: $0) }
    }

    private func cancel(_ job: RemoteJob, with client: IPPClient) async throws {
        let request = try question(.cancelJob, job, client)
        let reply = try await client.ask(request)
        switch reply.message.status {
        case let status where status.isSuccess: return
        case .clientErrorNotPossible where try await isFinal(job, client): return
        case .clientErrorNotFound, .clientErrorGone:
            throw TransportError(
                .outcomeUnknown, operation: "Cancel-Job",
                message:
                    "\(client.printer): the printer does not know job \(job.identifier) any more; look whether it printed",
                underlying: .ippStatus(Int(reply.message.code)), remoteJob: job
            )
        default: throw client.error(reply, request)
        }
    }

    /// Whether nothing is left to cancel.
    private func isFinal(_ job: RemoteJob, _ client: IPPClient) async throws(TransportError) -> Bool {
        let request = try question(.getJobAttributes, job, client, asking: JobReport.requestedAttributes)
        let reply = try await client.ask(request)
        let attributes = IPPGroup(.job, reply.message.groups(.job).flatMap(\.attributes))
        return JobReport(attributes, job: job)?.state.isFinal ?? false
    }
}
