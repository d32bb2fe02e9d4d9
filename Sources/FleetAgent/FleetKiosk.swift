package import KioskFleet
package import KioskPrintModel

/// What the fleet's agent needs of the kiosk that it belongs to.
package protocol FleetKiosk: Sendable {
    /// Accepts a job as a till's is accepted, with its document: durable when it returns. The same idempotency key leads
    /// to the same job for longer than a hub keeps jobs. Throws what reading the document throws, and
    /// `CancellationError`.
    ///
    /// `age`: for how many seconds it has been sent now. `document` hands over the document in pieces, which may take
    /// long.
    func accept(
        _ job: FleetJob, age: @escaping @Sendable () -> Int,
        document: @escaping @Sendable (_ append: ([UInt8]) async throws -> Void) async throws -> Void
    ) async throws -> JobAcceptance

    /// Cancels a job that is not final yet; nothing happens to any other. Throws where that cannot be stored.
    func cancel(_ id: Job.ID) async throws

    /// The job as it is now; nil where the queue has it no more, or has another one under its number: then that was not
    /// made under this key. Throws where the queue cannot be read.
    func job(_ id: Job.ID, of key: JobKey) async throws -> Job?

    /// The job that `accept` made under this idempotency key; nil where there is none. Throws where the queue cannot be
    /// read.
    func job(underKey key: String) async throws -> Job?

    /// Calls `begin`, and then `take` for each job that has changed since before, one at a time, until the task is
    /// cancelled. Returns where changes may be missing: then begin anew.
    func watchChanges(
        begin: () async throws -> Void, take: (Job) async throws -> Void
    ) async throws

    func health() async throws -> HealthReport
}

/// What became of a job from the hub.
package enum JobAcceptance: Hashable, Sendable {
    case accepted(Job)
    /// It will never be printed here.
    case refused(FleetReport.Failure)
    /// Not now: too many jobs wait, or the kiosk is about to end.
    case later(reason: String)
    /// Not now: the disk is full, or cannot be written.
    case notStored(reason: String)
}
