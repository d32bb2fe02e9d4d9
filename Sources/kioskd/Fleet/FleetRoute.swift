import Hummingbird
import KioskAPI
import KioskEngine
import KioskFleet
import KioskFleetAgent
import KioskPrintModel

/// `/v1/fleet`: the kiosk's part in its fleet, as far as the kiosk itself knows it. Nothing here waits for the hub.
struct FleetRoute: Sendable {
    /// Nil where the kiosk belongs to no fleet.
    let fleet: FleetMembership?
    let engine: PrintEngine

    /// How many of the fleet's last jobs are shown.
    private static let maximumJobs = 20
    /// Of a problem's text, in bytes; the hub may have written it.
    private static let maximumProblem = 1000

    func add(to router: Router<APIContext>) {
        router.get("/v1/fleet") { request, _ in
            try request.refuseQuery()
            return try await Response.json(information())
        }
    }

    /// Throws a `Problem` where the kiosk belongs to no fleet.
    func information() async throws(Problem) -> FleetInformation {
        guard let fleet else {
            throw Problem(
                .notFound,
                detail:
                    "this kiosk belongs to no fleet; to take part in one, start kioskd with --fleet-hub and --fleet-site"
            )
        }
        var information = FleetInformation(
            site: fleet.site.text, node: fleet.node.text, servers: fleet.link.servers,
            connection: connection(of: fleet),
            loginEndsAt: fleet.contact.loginEnd.map(Self.time(ofSeconds:)), pair: pair(of: fleet),
            configuration: configuration(of: fleet), checks: fleet.checks())
        // What is wrong with the records is the agent's to find and to mend.
        guard
            let overview = try? await fleet.state.records?.overview(
                jobs: Self.maximumJobs, reports: FleetInformation.Reports.maximumWaiting)
        else { return information }
        information.takenUpTo = overview.takenUpTo.map(Self.time(ofNanoseconds:))
        information.reports = .init(
            waiting: overview.waitingReports, oldest: overview.oldestWaiting.map(Self.time(ofNanoseconds:)))
        for entry in overview.jobs {
            information.jobs.append(
                .init(
                    key: entry.key.text, job: await kept(entry.job), stage: entry.stage.rawValue,
                    storedAt: Self.time(ofNanoseconds: entry.storedAt)))
        }
        if information.configuration.mode != Self.off, information.configuration.applied == nil {
            information.configuration.applied = overview.appliedRevision
        }
        return information
    }

    /// The job's number; nil where the queue keeps it no more, or has another job under it.
    private func kept(_ own: FleetRecords.OwnJob?) async -> Job.ID? {
        guard let own else { return nil }
        return (try? await engine.job(own.id, of: own.key))?.id
    }

    private func connection(of fleet: FleetMembership) -> FleetInformation.Connection {
        let connection = fleet.state.connection
        return .init(
            isConnected: connection.isConnected, since: Self.time(of: connection.since),
            lastReachedAt: fleet.contact.reachedAt.map(Self.time(of:)),
            problem: fleet.contact.problem?.withoutControlCharacters.prefix(utf8Count: Self.maximumProblem))
    }

    private func pair(of fleet: FleetMembership) -> FleetInformation.Pair? {
        guard fleet.isPaired else { return nil }
        let lease = fleet.state.lease
        return .init(holder: lease?.holder.text, takesJobs: lease?.isOwn ?? false)
    }

    /// The mode of a kiosk that is set up at its site alone.
    private static let off = "off"

    private func configuration(of fleet: FleetMembership) -> FleetInformation.Configuration {
        guard let state = fleet.configuration?.state else { return .init(mode: Self.off) }
        let report = state.report
        return .init(
            mode: state.mode.rawValue, desired: report?.desired, applied: report?.applied,
            hasDrift: report?.drift ?? false,
            error: report?.error.map { .init(line: $0.line, column: $0.column, text: $0.text) })
    }

    // MARK: Times

    /// By the clock as it is set now.
    private static func time(of instant: ContinuousClock.Instant) -> Timestamp {
        let (seconds, attoseconds) = instant.duration(to: .now).components
        let past = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        return Timestamp(millisecondsSince1970: Timestamp.now.millisecondsSince1970 - past)
    }

    private static func time(ofNanoseconds time: Int64) -> Timestamp {
        Timestamp(millisecondsSince1970: max(0, time) / 1_000_000)
    }

    /// RFC 3339 has no year after 9999; a login that is to last for ever may end later.
    private static func time(ofSeconds time: Int64) -> Timestamp {
        Timestamp(millisecondsSince1970: min(max(0, time), 253_402_300_799) * 1000)
    }
}
