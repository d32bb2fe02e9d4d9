import KioskFleet

/// The configuration of a site, as JSON.
struct SiteConfiguration: Encodable, Sendable {
    var site: String
    var state: State
    /// The revision at the hub.
    var desired: UInt64?
    /// What its kiosk has said last; nil where no kiosk has said anything.
    var report: ConfigurationReport?
    /// Whether the kiosk has said nothing of itself for longer than it should; nil where that is not known.
    var silent: Bool?

    enum State: String, Encodable, CaseIterable, CodingKeyRepresentable, Sendable {
        /// Its kiosk has put in force what the hub has.
        case applied
        /// Its kiosk has not said yet what became of it.
        case waiting
        case refused
        /// No kiosk has said anything.
        case noReport = "no-report"
        /// The hub has no configuration for it.
        case none
    }
}

/// What the hub has of sites' configurations.
actor SiteConfigurations {
    private var desired: [String: UInt64] = [:]
    private var reports: [String: ConfigurationReport] = [:]

    private init() {}

    /// Reads those of one site or of all, by name. `kiosks` says who is silent.
    static func read(
        of site: SiteName? = nil, saidBy kiosks: KioskList.Reading, from jetStream: JetStream
    ) async throws -> [SiteConfiguration] {
        let sites = SiteConfigurations()
        // Of what is wanted its number is enough: the texts may be long.
        try await jetStream.readLastMessages(
            of: site.map { FleetSubject.desired($0).text } ?? FleetSubject.desiredFilter, in: HubLayout.desired,
            isHeadersOnly: true
        ) { await sites.add($0, $1) }
        try await jetStream.readLastMessages(
            of: site.map { FleetSubject.reported($0).text } ?? FleetSubject.reportedFilter, in: HubLayout.reported
        ) { await sites.add($0, $1) }
        return await sites.found(saidBy: kiosks)
    }

    private func add(_ message: HubMessage, _ position: StoredPosition) {
        switch FleetSubject(message.subject) {
        case .desired(let site): desired[site.text] = message.isDeletion ? nil : position.sequence
        // One that cannot be read is of another version, and says nothing here.
        case .reported(let site): reports[site.text] = try? ConfigurationReport(message)
        default: return
        }
    }

    private func found(saidBy kiosks: KioskList.Reading) -> [SiteConfiguration] {
        let lastHeard = Dictionary(kiosks.statements.map { ($0.site.text, $0.storedAt) }, uniquingKeysWith: max)
        let silence = Int64(KioskStatus.silence) * 1_000_000_000
        return Set(desired.keys).union(reports.keys).sorted().map { site in
            let report = reports[site]
            return SiteConfiguration(
                site: site, state: Self.state(desired[site], report), desired: desired[site], report: report,
                silent: kiosks.hubTime.flatMap { time in lastHeard[site].map { time - $0 > silence } })
        }
    }

    private static func state(_ desired: UInt64?, _ report: ConfigurationReport?) -> SiteConfiguration.State {
        guard let desired else { return .none }
        guard let report else { return .noReport }
        if report.desired == desired, report.error != nil { return .refused }
        return report.applied == desired ? .applied : .waiting
    }
}
