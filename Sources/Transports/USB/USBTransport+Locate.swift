public import PrintModel

extension USBTransport {
    /// A printer that is driven raw remembers no jobs. Only one that was cancelled here, before it was whole, is known
    /// to be over.
    public func locate(_ delivery: Delivery, on printer: PrinterTarget) async throws -> RemoteJob? {
        switch await shelf.wasCancelled(delivery.jobID) {
        case true?: return .cancelledHere(delivery.jobID)
        case false?: break
        // An earlier run began it, and ended in the middle: what it left in the printer must not meet the next job.
        case nil:
            if let ipp = try await likelyJobKeeper(of: printer) { return try await ipp.locate(delivery, on: printer) }
            await shelf.printer(for: printer)?.mayHaveBrokenOff()
        }
        throw TransportError(
            .outcomeUnknown, operation: "locate",
            message:
                "\(printer.url): whether the printer has printed the job cannot be told, since it remembers no jobs; look at its paper"
        )
    }

    public func follow(
        _ job: RemoteJob, on printer: PrinterTarget, update: @escaping @Sendable (JobReport) -> Void
    ) async throws -> JobReport {
        if job.cancelledDelivery == nil, let ipp = try await jobKeeper(of: printer) {
            return try await ipp.follow(job, on: printer, update: update)
        }
        guard let delivery = job.cancelledDelivery, await shelf.wasCancelled(delivery) == true else {
            throw Self.unknown(job, printer.url)
        }
        return JobReport(state: .canceled, reasons: ["job-canceled-by-user"], evidence: .sent, remoteJob: job)
    }

    /// What was to be cancelled was so while it was sent.
    public func cancel(_ job: RemoteJob, on printer: PrinterTarget) async throws {
        if job.cancelledDelivery == nil, let ipp = try await jobKeeper(of: printer) {
            return try await ipp.cancel(job, on: printer)
        }
        guard let delivery = job.cancelledDelivery, await shelf.wasCancelled(delivery) == true else {
            throw Self.unknown(job, printer.url)
        }
    }

    private static func unknown(_ job: RemoteJob, _ printer: PrinterURL) -> TransportError {
        TransportError(
            .outcomeUnknown, operation: "follow",
            message:
                "\(printer): what became of the job cannot be told, since the printer remembers no jobs; look at its paper",
            remoteJob: job)
    }
}

extension RemoteJob {
    private static let prefix = "cancelled-"

    fileprivate static func cancelledHere(_ delivery: String) -> RemoteJob { RemoteJob(identifier: prefix + delivery) }

    fileprivate var cancelledDelivery: String? {
        identifier.hasPrefix(Self.prefix) ? String(identifier.dropFirst(Self.prefix.count)) : nil
    }
}
