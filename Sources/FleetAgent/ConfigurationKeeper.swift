package import KioskFleet
import Logging

/// What holds a kiosk's printers and roles.
package protocol ConfigurableKiosk: Sendable {
    /// Puts a configuration in force, whole or not at all: durable when it returns. Returns why it was not taken; nil
    /// where it was. One that is in force already changes nothing.
    func apply(_ desired: DesiredConfiguration) async -> ConfigurationReport.Failure?

    /// The text of the kiosk's file as it is, valid or not; nil where there is none.
    func configurationFile() async -> [UInt8]?
}

/// Keeps a kiosk set up as its office wants, and reports what became of it.
package struct ConfigurationKeeper: Sendable {
    private let kiosk: any ConfigurableKiosk
    private let state: ConfigurationState
    private let interval: Duration

    /// How soon an edit at the site is noticed.
    private static let fileInterval: Duration = .seconds(5)

    /// `interval`: the hub is asked each one to two of it, and on each connection.
    package init(_ kiosk: any ConfigurableKiosk, _ state: ConfigurationState, each interval: Duration) {
        (self.kiosk, self.state, self.interval) = (kiosk, state, interval)
    }

    /// Works until the connection breaks, which is thrown, or the task is cancelled.
    func run(as node: NodeName, at jetStream: JetStream, _ records: FleetRecords, _ logger: Logger) async throws {
        try await withThrowingTaskGroup { group in
            group.addTask {
                try await jetStream.link.waitForDisconnection()
                throw FleetError(.notConnected, "the connection to the hub has broken; it is tried again by itself")
            }
            group.addTask {
                var work = Work(
                    report: ConfigurationReport(node: node, mode: state.mode, drift: false), kiosk: kiosk,
                    state: state, jetStream: jetStream, records: records, logger: logger)
                while true {
                    try await work.takeDesired()
                    let next = ContinuousClock.now + interval * Double.random(in: 1...2)
                    repeat {
                        try await work.lookAtFile()
                        try await work.sendReport()
                        try await Task.sleep(for: min(Self.fileInterval, interval))
                    } while ContinuousClock.now < next
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// What is known on one connection.
    private struct Work {
        var report: ConfigurationReport
        let kiosk: any ConfigurableKiosk
        let state: ConfigurationState
        let jetStream: JetStream
        let records: FleetRecords
        let logger: Logger
        /// The report that the hub has, and its number; nil where that is not known.
        private var stored: (report: ConfigurationReport, sequence: UInt64)?
        /// The file's text when it was last looked at, and its digest.
        private var file: (text: [UInt8]?, digest: String)?

        init(
            report: ConfigurationReport, kiosk: any ConfigurableKiosk, state: ConfigurationState,
            jetStream: JetStream, records: FleetRecords, logger: Logger
        ) {
            (self.report, self.kiosk, self.state, self.jetStream) = (report, kiosk, state, jetStream)
            (self.records, self.logger) = (records, logger)
        }

        /// Reads what the office wants, and puts it in force where it is new.
        mutating func takeDesired() async throws {
            let before = report
            let message = try await jetStream.lastMessage(of: .desired(state.site), in: HubLayout.desired)
            (report.desired, report.error) = (nil, nil)
            if let message, !message.isDeletion {
                report.desired = message.headers[JetStream.sequenceHeader].flatMap { UInt64($0) }
                do throws(FleetError) {
                    if let desired = try DesiredConfiguration(message) { report.error = try await take(desired) }
                } catch {
                    // Another error than of the message itself is of the disk: both are reported, and tried again.
                    report.error = .init(line: 0, column: 0, text: error.description)
                }
            }
            let applied = try await records.appliedConfiguration()
            (report.applied, report.digest) = (applied?.revision, applied?.digest)
            if let failure = report.error, failure != before.error {
                logger.warning(
                    "the office's configuration \(report.desired ?? 0) is not taken: \(failure.line):\(failure.column): \(failure.text)"
                )
            }
        }

        private func take(_ desired: DesiredConfiguration) async throws(FleetError) -> ConfigurationReport.Failure? {
            do {
                let applied = try await records.appliedConfiguration()
                // A server of the hub that lags behind gives an older one.
                guard applied?.isSame(as: desired) != true, applied?.isOlder(than: desired) != false else { return nil }
                if let failure = await kiosk.apply(desired) { return failure }
                // Killed before this is noted, the kiosk applies it again after its start, which changes nothing.
                try await records.note(applied: desired)
                logger.notice("the office's configuration \(desired.revision) is in force")
                return nil
            } catch {
                throw FleetError(.missing, "the kiosk cannot note what it has applied: \(error)")
            }
        }

        /// Whether the file is what was applied.
        mutating func lookAtFile() async throws {
            let text = await kiosk.configurationFile()
            if file == nil || file?.text != text {
                file = (text, try DesiredConfiguration.digest(of: text ?? []))
            }
            report.drift = report.digest.map { $0 != file?.digest } ?? false
            state.set(report)
        }

        /// Stores the report at the hub where it is another one than it has.
        mutating func sendReport() async throws {
            guard stored?.report != report else { return }
            let subject = FleetSubject.reported(state.site)
            let expected: UInt64
            if let stored {
                expected = stored.sequence
            } else {
                let last = try await jetStream.lastMessage(of: subject, in: HubLayout.reported)
                expected = last?.headers[JetStream.sequenceHeader].flatMap { UInt64($0) } ?? 0
                if let last, (try? ConfigurationReport(last)) == report {
                    stored = (report, expected)
                    return
                }
            }
            do {
                let acknowledgement = try await jetStream.publish(
                    subject, headers: [JetStream.expectedSequenceHeader: "\(expected)"], body: report.body())
                stored = (report, acknowledgement.sequence)
            } catch let error as FleetError where error.hubCode == JetStream.wrongLastSequence {
                // The answer to an earlier one did not come, or another kiosk of the site reports: look at it again.
                stored = nil
            }
        }
    }
}
