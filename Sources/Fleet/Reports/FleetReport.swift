package import KioskPrintModel

/// What a kiosk says of a fleet's job, as JSON under the job's subject of reports. The last one of a key counts.
///
///     {"node": "kiosk-1", "stage": "ended", "job": {"id": 17, "job-state": "completed", …}}
///     {"node": "kiosk-1", "stage": "refused", "error": {"code": "job-expired", "message": "…"}}
package struct FleetReport: Hashable, Sendable, Codable {
    /// The kiosk that says it.
    package var node: NodeName
    package var stage: Stage
    /// The job as `GET /v1/jobs/N` of the kiosk shows it; nil where the kiosk has made none.
    package var job: Job?
    /// Why there is no job to show: it was refused, lost, or taken by a kiosk that is gone.
    package var error: Failure?

    package enum Stage: String, Sendable, Codable, CaseIterable {
        /// A kiosk of a pair is about to take the job, and the other one is not to.
        case claimed
        /// The kiosk has the job on its disk, and nobody needs to send it again.
        case accepted
        /// It waits for a person: nobody can know whether paper came out.
        case unconfirmed
        /// Its state is final.
        case ended
        /// The kiosk does not print it: `error` says why. Final too.
        case refused

        /// Whether no other can follow.
        package var isFinal: Bool { self == .ended || self == .refused }
    }

    /// A code of the API's problems or of the fleet's, and a sentence for people.
    package struct Failure: Hashable, Sendable, Codable {
        package var code: String
        package var message: String

        package init(code: String, message: String) { (self.code, self.message) = (code, message) }
    }

    package init(node: NodeName, job: Job) {
        (self.node, self.job) = (node, job)
        stage = job.state.isFinal ? .ended : job.isSettled ? .unconfirmed : .accepted
    }

    /// What a kiosk of a pair says before it takes a job.
    package static func claim(by node: NodeName) -> FleetReport { FleetReport(node: node, stage: .claimed) }

    private init(node: NodeName, stage: Stage) { (self.node, self.stage) = (node, stage) }

    /// What is said of a job that the kiosk does not have.
    package init(node: NodeName, _ stage: Stage, error: Failure) {
        (self.node, self.stage, self.error) = (node, stage, error)
    }

    /// What a kiosk of a pair says of a job that the other one had taken when it fell silent. That one knows better, and
    /// its word counts once it is back.
    package static func doubt(of node: NodeName, about other: NodeName) -> FleetReport {
        FleetReport(
            node: node, .unconfirmed,
            error: Failure(
                code: kioskSilent,
                message:
                    "\(other) had taken the job when it fell silent: look at the paper; once it is back, it reports the end if it knows of the job"
            ))
    }

    /// Whether it says no more than that another kiosk is silent.
    package var isDoubtAboutAnother: Bool { error?.code == Self.kioskSilent }

    private static let kioskSilent = "kiosk-silent"

    /// Reads what the hub has. Throws `malformed`.
    package init(_ message: HubMessage) throws(FleetError) {
        self = try JSONMessage.decode(message.body, "report of \(message.subject)")
    }

    /// Reads what a kiosk has kept. Throws `malformed`.
    package init(body: [UInt8], of key: JobKey) throws(FleetError) {
        self = try JSONMessage.decode(body, "report of \(key)")
    }

    package func body() throws(FleetError) -> [UInt8] { try JSONMessage.encode(self) }
}
