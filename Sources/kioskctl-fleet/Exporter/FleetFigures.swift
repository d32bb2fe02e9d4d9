import KioskFleet
import KioskPrintModel

/// What is counted of a fleet at one moment. It has a bounded size, whatever kiosks say.
struct FleetFigures: Encodable, Sendable {
    var kiosks: [State: Int]
    /// How many kiosks more the hub has than are counted.
    var kiosksLeftOut: Int
    var sites: [State: Int]
    /// The most common first, and `other` last.
    var versions: [Version]
    /// The age in seconds of what the kiosk that is silent for longest has said last; 0 where none is silent.
    var oldestSilence: Int
    var jobsWaiting: Int
    var jobsUnconfirmed: Int
    /// Nil where this login may not read them.
    var configurations: [SiteConfiguration.State: Int]?
    /// The sites at which somebody has edited what was applied; nil where this login may not read it.
    var configurationsDrifted: Int?
    /// Those whose size this login may read.
    var streams: [Stream]
    /// Sites that are not ok, the worst first; at most `maximumSites`.
    var worstSites: [Site]

    /// How a kiosk is, as `kioskctl fleet health` judges it; and a site: `silent` where all of its kiosks are,
    /// `critical` where one is silent or critical, and else as its worst kiosk.
    enum State: String, Encodable, CaseIterable, CodingKeyRepresentable, Sendable {
        case silent, critical, warning, unknown, ok

        init(_ kiosk: FleetHealth.Kiosk) {
            switch kiosk.status {
            case _ where kiosk.isSilent: self = .silent
            case .ok: self = .ok
            case .warning: self = .warning
            case .critical: self = .critical
            case .unknown: self = .unknown
            }
        }
    }

    struct Version: Hashable, Encodable, Sendable {
        var version: String
        var kiosks: Int
    }

    struct Stream: Hashable, Encodable, Sendable {
        var name: String
        var messages: UInt64
        var bytes: UInt64
    }

    struct Site: Hashable, Encodable, Sendable {
        var site: String
        var state: State
        var kiosks: Int
        /// What there is to say of its worst kiosk, which may be that kiosk's own words.
        var finding: String
    }

    static let maximumSites = 100
    static let maximumVersions = 20
    /// In bytes.
    private static let maximumVersionLength = 64
    private static let maximumFindingLength = 500
    /// The version that others are counted under, and that of kiosks whose status this program cannot read.
    static let otherVersions = "other"
    static let unknownVersion = "unknown"

    init(
        _ health: FleetHealth, leftOut: Int = 0, configurations: [SiteConfiguration]? = nil, streams: [Stream] = []
    ) {
        let states = health.kiosks.map { State($0) }
        kiosks = Self.count(states)
        kiosksLeftOut = leftOut
        let found = Self.sites(health.kiosks)
        sites = Self.count(found.map(\.state))
        worstSites = Array(found.filter { $0.state != .ok }.prefix(Self.maximumSites))
        versions = Self.versions(health.kiosks)
        oldestSilence = health.kiosks.filter(\.isSilent).compactMap(\.age).max() ?? 0
        (jobsWaiting, jobsUnconfirmed) = (health.jobsWaiting, health.jobsUnconfirmed)
        self.configurations = configurations.map { Self.count($0.map(\.state)) }
        configurationsDrifted = configurations.map { $0.count { $0.report?.drift == true } }
        self.streams = streams
    }

    /// Every state, so that none vanishes from graphs.
    private static func count<Value: CaseIterable & Hashable>(_ states: [Value]) -> [Value: Int] {
        var counts = Dictionary(uniqueKeysWithValues: Value.allCases.map { ($0, 0) })
        for state in states { counts[state, default: 0] += 1 }
        return counts
    }

    /// The worst first, and among equals by name.
    private static func sites(_ kiosks: [FleetHealth.Kiosk]) -> [Site] {
        // They stand in order: the first of a site is its worst.
        let sites = Dictionary(grouping: kiosks, by: \.site).map { name, kiosks in
            let states = kiosks.map { State($0) }
            let isSilent = states.allSatisfy { $0 == .silent }
            let worst = State.allCases.first(where: states.contains) ?? .unknown
            let finding = kiosks.first.map { "\($0.node): \(FleetHealthText.finding(of: $0))" } ?? ""
            return Site(
                site: name, state: worst == .silent && !isSilent ? .critical : worst, kiosks: kiosks.count,
                finding: finding.withoutControlCharacters.prefix(utf8Count: maximumFindingLength))
        }
        let order = Dictionary(uniqueKeysWithValues: State.allCases.enumerated().map { ($1, $0) })
        return sites.sorted { (order[$0.state] ?? 0, $0.site) < (order[$1.state] ?? 0, $1.site) }
    }

    private static func versions(_ kiosks: [FleetHealth.Kiosk]) -> [Version] {
        var counts: [String: Int] = [:]
        for kiosk in kiosks { counts[name(ofVersion: kiosk.version), default: 0] += 1 }
        var other = counts.removeValue(forKey: otherVersions) ?? 0
        let sorted = counts.map { Version(version: $0.key, kiosks: $0.value) }
            .sorted { ($1.kiosks, $0.version) < ($0.kiosks, $1.version) }
        other += sorted.dropFirst(maximumVersions).reduce(0) { $0 + $1.kiosks }
        let last = other > 0 ? [Version(version: otherVersions, kiosks: other)] : []
        return sorted.prefix(maximumVersions) + last
    }

    /// A kiosk may say anything.
    private static func name(ofVersion version: String?) -> String {
        guard let version = version?.withoutControlCharacters else { return unknownVersion }
        return (1...maximumVersionLength).contains(version.utf8.count) ? version : otherVersions
    }

    enum CodingKeys: String, CodingKey {
        case kiosks
        case kiosksLeftOut = "kiosks-left-out"
        case sites, versions
        case oldestSilence = "oldest-silence-seconds"
        case jobsWaiting = "jobs-waiting"
        case jobsUnconfirmed = "jobs-unconfirmed"
        case configurations
        case configurationsDrifted = "configurations-drifted"
        case streams
        case worstSites = "worst-sites"
    }
}
