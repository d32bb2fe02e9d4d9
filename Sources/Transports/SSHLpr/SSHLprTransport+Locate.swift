public import PrintModel

extension SSHLprTransport {
    /// A job that is not in the queue may have been printed long ago: line printer queues remember nothing.
    public func locate(_ delivery: Delivery, on printer: PrinterTarget) async throws -> RemoteJob? {
        try await call(printer) { client in
            let (dialect, _) = try await client.facts()
            let listing = try await client.listing(dialect, owner: JobOwner.make(delivery.user))
            let job = listing.job(of: delivery.jobID)
            // CUPS shows a job from its announcement on, and may never get the document: what a broken connection has
            // cut is being taken back then. (Whoever asks after a job after a restart does not hand its document in.)
            let isAnnounced = dialect == .cups && job?.size == 0
            if let job, !isAnnounced {
                return LprJobID(number: job.number, deliveryID: delivery.jobID).remoteJob
            }
            let why =
                isAnnounced
                ? "it was announced, and the host has nothing of its document yet"
                : listing.isComplete
                    ? "it is not in the queue, and the host remembers no jobs that have left it"
                    : "lpq says nothing that is understood\(listing.saying)"
            throw TransportError(
                .outcomeUnknown, operation: "lpq",
                message:
                    "\(client.printer): whether the host took the job cannot be told: \(why); look whether it printed"
            )
        }
    }
}
