import Logging
public import PrintModel
import SSH

extension SSHLprTransport {
    public func deliver(
        _ delivery: Delivery, to printer: PrinterTarget, progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) async throws -> JobReport {
        try await call(printer) { client in
            progress(.connecting)
            let (dialect, facts) = try await client.facts()
            let job = LprDelivery(delivery, dialect: dialect, facts: facts, client: client, progress: progress)
            return try await self.findJob(of: delivery, dialect, client, after: try await job.send())
        }
    }

    /// How the job stands in the queue that `lpr` has just put it into; a fast one may have left it.
    private func findJob(
        of delivery: Delivery, _ dialect: LprSettings.Dialect, _ client: QueueClient, after listing: QueueListing
    ) async throws -> JobReport {
        var listing = listing
        for pause in [nil] + Self.pauses(dialect) {
            if let pause {
                do {
                    try await clock.sleep(for: pause)
                    listing = try await client.listing(dialect, owner: JobOwner.make(delivery.user))
                } catch is CancellationError {
                    throw TransportError(
                        .cancelled, operation: "lpq", message: "\(client.printer): lpr on the host has taken the job",
                        bytesAccepted: delivery.document.length
                    )
                } catch {
                    // The host has the job, whatever becomes of the questions.
                    logger.debug("\(client.printer): lpq failed after lpr took a job: \(error)")
                    continue
                }
            }
            if let job = listing.job(of: delivery.jobID) {
                let id = LprJobID(number: job.number, deliveryID: delivery.jobID)
                if let report = JobReport(id, in: listing) { return report }
            }
            if listing.showsAll, dialect != .lprng { return .leftQueue(nil) }
        }
        return listing.showsAll ? .leftQueue(nil) : .takenAndSilent(listing)
    }

    /// LPRng's daemon answers `lpq` for two seconds as it did before (lpq_status_interval).
    private static func pauses(_ dialect: LprSettings.Dialect) -> [Duration?] {
        switch dialect {
        case .lprng: [.milliseconds(300), .milliseconds(700), .milliseconds(1500)]
        case .cups, .bsd: [.milliseconds(300), .milliseconds(1000)]
        }
    }
}

extension JobReport {
    /// The host took the job, and nothing that it says of its queue is understood.
    fileprivate static func takenAndSilent(_ listing: QueueListing) -> JobReport {
        JobReport(
            state: .completed, reasons: ["queued-in-device"], evidence: .accepted,
            message:
                "lpr on the host took the job; what became of it, lpq does not say in words that are understood\(listing.saying)"
        )
    }
}
