import KioskAsyncPrimitives
import KioskFleet
import Logging

/// Sends what is to be reported to the hub, from the kiosk's records.
struct ReportSender: Sendable {
    private let site: SiteName
    private let node: NodeName
    private let jetStream: JetStream
    private let records: FleetRecords
    /// Raised when a report waits.
    private let waits: AsyncSignal
    private let logger: Logger

    init(
        of node: NodeName, at site: SiteName, _ jetStream: JetStream, _ records: FleetRecords, waits: AsyncSignal,
        _ logger: Logger
    ) {
        (self.node, self.site, self.jetStream, self.records) = (node, site, jetStream, records)
        (self.waits, self.logger) = (waits, logger)
    }

    /// 200 in a second: ten thousand kiosks may come back at once, each with a week to tell.
    private static let reportInterval: Duration = .milliseconds(5)
    /// How many are under way at once: as many as keep that pace where the hub answers after 80 ms.
    private static let reportBatch = 16

    func run() async throws {
        while true {
            try Task.checkCancellation()
            let reports = try await records.waitingReports(Self.reportBatch)
            guard !reports.isEmpty else {
                await waits.wait()
                continue
            }
            try await withThrowingTaskGroup { group in
                for report in reports { group.addTask { try await send(report) } }
                try await group.waitForAll()
            }
            try await Task.sleep(for: Self.reportInterval * reports.count)
        }
    }

    private func send(_ report: FleetRecords.WaitingReport) async throws {
        let subject = FleetSubject.report(site, report.key)
        do {
            let stored = try await jetStream.publish(
                subject, headers: [JetStream.expectedSequenceHeader: "\(report.lastSequence)"], body: report.body)
            try await records.stored(report, as: stored.sequence)
        } catch let error as FleetError where error.hubCode == JetStream.wrongLastSequence {
            // Another kiosk has taken the job over; or this one's last report came and its answer did not; or the
            // stream was made anew.
            guard let last = try await jetStream.lastMessage(of: subject, in: HubLayout.reports) else {
                return try await records.correct(report, to: 0)
            }
            // One that cannot be read is not this kiosk's.
            let said = try? FleetReport(last)
            guard said?.node == node || said?.isDoubtAboutAnother ?? false else {
                logger.warning(
                    "another kiosk of the site reports the job \(report.key) now; this one says no more of it")
                return try await records.giveUp(report)
            }
            guard let sequence = last.headers[JetStream.sequenceHeader].flatMap({ UInt64($0) }) else {
                throw FleetError(.malformed, "the hub gives the last report of \(report.key) without its number")
            }
            if last.body == report.body { return try await records.stored(report, as: sequence) }
            try await records.correct(report, to: sequence)
        }
    }
}
