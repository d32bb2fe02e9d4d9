import KioskPrometheusText

/// A fleet's figures as Prometheus reads them. What tells series apart has few values: kiosks are counted, and sites
/// have no series but for those that `namedSites` asks for.
struct FleetMetrics: Sendable {
    /// How many of the worst sites have a series with their name.
    var namedSites: Int

    func text(of snapshot: FleetSnapshot) -> String {
        var page = TextExposition()
        page.add(Self.up, [MetricSample(Self.up, [], snapshot.isUp ? 1 : 0)])
        if let counts = snapshot.counts {
            page.add(
                Self.readings,
                [
                    MetricSample(Self.readings, ["done"], Double(counts.done)),
                    MetricSample(Self.readings, ["failed"], Double(counts.failed)),
                ])
        }
        guard let figures = snapshot.figures else { return page.text }
        page.add(Self.age, [MetricSample(Self.age, [], Self.seconds(snapshot.age))])
        page.add(Self.readingTime, [MetricSample(Self.readingTime, [], Self.seconds(snapshot.readingTime))])
        add(figures, to: &page)
        return page.text
    }

    private func add(_ figures: FleetFigures, to page: inout TextExposition) {
        func add(_ family: MetricFamily, _ values: [(labels: [String], value: Double)]) {
            page.add(family, values.map { MetricSample(family, $0.labels, $0.value) })
        }
        func add(_ family: MetricFamily, _ value: Int) { add(family, [([], Double(value))]) }
        let states = FleetFigures.State.allCases
        add(Self.kiosks, states.map { ([$0.rawValue], Double(figures.kiosks[$0] ?? 0)) })
        add(Self.kiosksLeftOut, figures.kiosksLeftOut)
        add(Self.sites, states.map { ([$0.rawValue], Double(figures.sites[$0] ?? 0)) })
        add(Self.siteState, figures.worstSites.prefix(max(0, namedSites)).map { ([$0.site, $0.state.rawValue], 1) })
        add(Self.versions, figures.versions.map { ([$0.version], Double($0.kiosks)) })
        add(Self.oldestSilence, figures.oldestSilence)
        add(Self.jobsWaiting, figures.jobsWaiting)
        add(Self.jobsUnconfirmed, figures.jobsUnconfirmed)
        if let configurations = figures.configurations {
            add(
                Self.configurations,
                SiteConfiguration.State.allCases.map { ([$0.rawValue], Double(configurations[$0] ?? 0)) })
        }
        if let drifted = figures.configurationsDrifted { add(Self.configurationsDrifted, drifted) }
        add(Self.streamMessages, figures.streams.map { ([$0.name], Double($0.messages)) })
        add(Self.streamBytes, figures.streams.map { ([$0.name], Double($0.bytes)) })
    }

    /// With the milliseconds.
    private static func seconds(_ time: Duration) -> Double { (time / .milliseconds(1)).rounded() / 1000 }

    // MARK: Families

    static let all = [
        up, readings, age, readingTime, kiosks, kiosksLeftOut, sites, siteState, versions, oldestSilence, jobsWaiting,
        jobsUnconfirmed, configurations, configurationsDrifted, streamMessages, streamBytes,
    ]

    private static let up = MetricFamily(
        .gauge, "kioskd_fleet_up", "Whether the hub is reached and the last reading has succeeded")
    private static let readings = MetricFamily(
        .counter, "kioskd_fleet_readings_total", "Readings of the hub, by how they ended", labels: ["outcome"])
    private static let age = MetricFamily(
        .gauge, "kioskd_fleet_reading_age_seconds", "The time since the figures were read")
    private static let readingTime = MetricFamily(
        .gauge, "kioskd_fleet_reading_duration_seconds", "How long reading the figures took")
    private static let kiosks = MetricFamily(
        .gauge, "kioskd_fleet_kiosks", "Kiosks by their state; silent are those that have said nothing for 3 minutes",
        labels: ["state"])
    private static let kiosksLeftOut = MetricFamily(
        .gauge, "kioskd_fleet_kiosks_left_out", "Kiosks that are not counted, since the hub has too many")
    private static let sites = MetricFamily(
        .gauge, "kioskd_fleet_sites",
        "Sites by their state: silent where all kiosks are, critical where one is silent or critical, else the worst kiosk's",
        labels: ["state"])
    private static let siteState = MetricFamily(
        .gauge, "kioskd_fleet_site_state", "1 for each of the worst sites that are not ok (--sites-by-name)",
        labels: ["site", "state"])
    private static let versions = MetricFamily(
        .gauge, "kioskd_fleet_kiosks_version", "Kiosks by the version that they say they have", labels: ["version"])
    private static let oldestSilence = MetricFamily(
        .gauge, "kioskd_fleet_oldest_silence_seconds",
        "The time since the kiosk that is silent for longest has said something; 0 where none is silent")
    private static let jobsWaiting = MetricFamily(
        .gauge, "kioskd_fleet_jobs_waiting", "Jobs that wait or are printed at kiosks, as these have said last")
    private static let jobsUnconfirmed = MetricFamily(
        .gauge, "kioskd_fleet_jobs_unconfirmed", "Jobs at kiosks that wait for a person, since they are unconfirmed")
    private static let configurations = MetricFamily(
        .gauge, "kioskd_fleet_configurations", "Sites by the state of their configuration", labels: ["state"])
    private static let configurationsDrifted = MetricFamily(
        .gauge, "kioskd_fleet_configurations_drifted", "Sites whose configuration was edited there since it was applied"
    )
    private static let streamMessages = MetricFamily(
        .gauge, "kioskd_fleet_stream_messages", "Messages that the hub keeps in a stream", labels: ["stream"])
    private static let streamBytes = MetricFamily(
        .gauge, "kioskd_fleet_stream_bytes", "Bytes that the hub keeps in a stream, one copy of them",
        labels: ["stream"])
}
