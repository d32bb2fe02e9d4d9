import ArgumentParser
import KioskFleet
import KioskPrintModel
import KioskTerminal

/// What becomes of the configurations of many sites while they are written, in the sites' order.
struct ConfigurationRollout {
    private(set) var sites: [Site]

    /// A site, as JSON.
    struct Site: Encodable {
        var site: SiteName
        var state: State
        /// The revision that the hub had before; nil where there was none.
        var old: UInt64?
        /// The one that was written.
        var new: UInt64?
        var digest: String
        /// What changes, as `diff -u` shows it.
        var diff: [String]
        /// Why it failed.
        var error: String?
        fileprivate var text: [UInt8]
        /// The number of the key's last message.
        fileprivate var sequence: UInt64

        enum State: String, Encodable {
            /// The hub has the same already.
            case unchanged
            /// The hub has another one; nothing is written.
            case untouched
            /// The hub has it; its kiosk has not said what became of it.
            case written
            /// The kiosk has put it in force.
            case applied
            /// It was not written, or its kiosk has refused it or does badly with it.
            case failed
        }

        enum CodingKeys: String, CodingKey { case site, state, old, new, digest, diff, error }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(site.text, forKey: .site)
            try container.encode(state, forKey: .state)
            try container.encodeIfPresent(old, forKey: .old)
            try container.encodeIfPresent(new, forKey: .new)
            try container.encode(digest, forKey: .digest)
            try container.encode(diff, forKey: .diff)
            try container.encodeIfPresent(error, forKey: .error)
        }
    }

    /// Compares with what the hub has.
    init(_ folder: ConfigurationFolder, at session: HubSession) async throws {
        sites = []
        for (number, (site, text)) in folder.configurations.enumerated() {
            Console.progress("reading \(site), \(number + 1) of \(folder.configurations.count)")
            let (sequence, desired) = try await session.retrying {
                try await ConfigurationWriter(at: session.jetStream).current(of: site)
            }
            let old = desired.map { String(decoding: $0.text, as: UTF8.self) } ?? ""
            sites.append(
                Site(
                    site: site, state: desired?.text == text ? .unchanged : .untouched, old: desired?.revision,
                    digest: try DesiredConfiguration.digest(of: text),
                    diff: UnifiedDiff.lines(from: old, to: String(decoding: text, as: UTF8.self)), text: text,
                    sequence: sequence))
        }
        Console.progress("")
    }

    /// The sites that are to be changed, by their index.
    var changes: [Int] { sites.indices.filter { sites[$0].state != .unchanged } }

    /// Writes the configuration of a site, and notes in the audit who did. Returns whether that worked.
    mutating func write(_ index: Int, as who: String, at session: HubSession) async throws -> Bool {
        let site = sites[index]
        let writer = ConfigurationWriter(at: session.jetStream)
        do {
            let revision = try await session.retrying {
                try await writer.write(site.text, for: site.site, over: site.sequence)
            }
            (sites[index].new, sites[index].state) = (revision, .written)
            let record = AuditRecord(
                who: who, what: AuditRecord.configuration, old: site.old, new: revision, digest: site.digest)
            try await session.retrying { try await writer.note(record, of: site.site) }
            return true
        } catch let error as FleetError {
            let isWritten = sites[index].state == .written
            fail(index, isWritten ? "it is written, and not noted in the audit: \(error)" : "\(error)")
            return false
        }
    }

    private mutating func fail(_ index: Int, _ why: String) {
        (sites[index].state, sites[index].error) = (.failed, why)
    }

    /// Waits until each of these sites has put its configuration in force and does not do badly with it, the first
    /// fails, or the time is over. What still waits stays `written`.
    mutating func wait(for indices: [Int], at session: HubSession, until deadline: ContinuousClock.Instant) async throws
    {
        var waiting = indices.filter { sites[$0].state == .written }
        defer { Console.progress("") }
        while !waiting.isEmpty {
            for index in waiting {
                switch try await outcome(of: sites[index], at: session) {
                case .waits: continue
                case .applied: sites[index].state = .applied
                case .failed(let why):
                    fail(index, why)
                    return
                }
            }
            waiting.removeAll { sites[$0].state != .written }
            guard !waiting.isEmpty, ContinuousClock.now < deadline else { return }
            Console.progress(
                "\(indices.count - waiting.count) of \(indices.count) applied; waiting for \(sites[waiting[0]].site)")
            try await Task.sleep(for: Self.pollInterval)
        }
    }

    private static let pollInterval: Duration = .seconds(1)

    private enum Outcome {
        case waits, applied
        case failed(String)
    }

    private func outcome(of site: Site, at session: HubSession) async throws -> Outcome {
        guard let new = site.new else { return .waits }
        func last(_ subject: FleetSubject, _ stream: String) async throws -> (HubMessage, storedAt: Int64)? {
            let message = try await session.retrying {
                try await session.jetStream.lastMessage(of: subject, in: stream)
            }
            guard let message, let time = message.headers[JetStream.timeHeader].flatMap(JetStream.time(ofText:)) else {
                return nil
            }
            return (message, time)
        }
        guard let (message, reportedAt) = try await last(.reported(site.site), HubLayout.reported),
            let report = try? ConfigurationReport(message), report.desired == new
        else { return .waits }
        if let error = report.error {
            return .failed("\(report.node): line \(error.line), column \(error.column): \(error.text)")
        }
        guard report.applied == new else { return .waits }
        // Only what the kiosk has said since tells how it does with the new one.
        guard let (status, statedAt) = try await last(.status(site.site, report.node), HubLayout.status),
            statedAt >= reportedAt, let health = try? KioskStatus(status).health
        else { return .waits }
        guard health.status == .critical else { return .applied }
        let why = health.checks.first { $0.status == .critical }?.message ?? "it is CRITICAL"
        return .failed("\(report.node) is CRITICAL since: \(why)")
    }
}
