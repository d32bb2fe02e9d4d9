package import KioskAPIMessages

/// The calls of a kiosk to its partner.
extension KioskClient {
    /// Has the partner keep a job. Returns once that is on its disk.
    package func hold(_ job: StandbyJob, of node: String, _ id: Job.ID) async throws -> StandbyStanding {
        try await perform(.hold(job, of: node, id))
    }

    /// Tells the partner that a job has come to its end; it forgets the job.
    package func endStandby(of node: String, _ id: Job.ID, in queue: String) async throws {
        try await perform(.endStandby(of: node, id, in: queue))
    }

    /// What the partner has.
    package func standby(_ query: StandbyQuery) async throws -> StandbyList {
        try await perform(.standby(query))
    }
}
