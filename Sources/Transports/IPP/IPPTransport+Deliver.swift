import IPPCodec
import NIOPosix
public import PrintModel

extension IPPTransport {
    public func deliver(
        _ delivery: Delivery, to printer: PrinterTarget, progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) async throws -> JobReport {
        try await call(printer) { try await self.deliver(delivery, with: $0, progress) }
    }

    private func deliver(
        _ delivery: Delivery, with client: IPPClient, _ progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) async throws -> JobReport {
        progress(.connecting)
        let document = try await open(delivery.document.body, for: client.printer)
        let facts = try await facts(client)
        let job = try OutgoingJob(
            delivery, document: document, printer: facts, usesCreateJob: client.knowledge.usesCreateJob,
            url: client.printer, deadlines: deadlines
        )
        do {
            let report = try await job.send(with: client, progress: progress)
            client.knowledge.accepted(report.remoteJob)
            return report
        } catch {
            // What it says of itself may have changed since it was asked; the next delivery asks anew.
            if [.formatRefused, .jobRefused, .notSupported].contains(error.code) { client.knowledge.facts = nil }
            throw error
        }
    }

    private func open(_ body: PrintDocument.Body, for printer: PrinterURL) async throws(TransportError) -> DocumentBody {
        switch body {
        case .bytes(let bytes): return .bytes(bytes)
        case .file(let path, let length):
            do {
                return .file(try await threadPool.runIfActive { try DocumentFile(path: path, length: length) })
            } catch let failure as DocumentFailure {
                throw TransportError(failure, operation: "open")
            } catch {
                // The wait for the thread pool was cancelled, or the pool is shut down with the process.
                throw TransportError(HTTPFailure(cause: .cancelled), operation: "open", printer: printer)
            }
        }
    }
}
