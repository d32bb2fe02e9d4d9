import KioskFleet
import KioskTerminal

/// A hub that was reached.
struct HubSession: Sendable {
    let jetStream: JetStream
    /// For a login of the hub's system account.
    var accounts: HubAccounts { HubAccounts(over: jetStream.link, timeout: jetStream.timeout) }
    /// How long failing requests are retried.
    private let timeout: Duration

    /// Less than an election of a leader takes: what was asked in one is lost, and has to be asked again.
    private static let longestRequest: Duration = .seconds(5)
    private static let pause: Duration = .milliseconds(500)

    init(_ link: any FleetLink, timeout: Duration) {
        (jetStream, self.timeout) = (JetStream(link, timeout: min(timeout, Self.longestRequest)), timeout)
    }

    /// Runs `work`, and retries it after errors that are retryable, until the timeout has passed since the first of them.
    func retrying<Result>(_ work: () async throws -> Result) async throws -> Result {
        var failingSince: ContinuousClock.Instant?
        while true {
            do {
                return try await work()
            } catch let error as FleetError where error.isRetryable {
                let since = failingSince ?? .now
                failingSince = since
                guard since.duration(to: .now) < timeout else { throw error }
                Console.progress("\(error.description.terminalEscaped); trying again")
                defer { Console.progress("") }
                try await Task.sleep(for: Self.pause)
            }
        }
    }

    /// The last that a kiosk has said of a job, and when the hub stored it; nil before the first.
    func report(of key: JobKey, at site: SiteName) async throws -> (report: FleetReport, storedAt: String?)? {
        guard let message = try await jetStream.lastMessage(of: .report(site, key), in: HubLayout.reports) else {
            return nil
        }
        return (try FleetReport(message), message.headers[JetStream.timeHeader])
    }
}
