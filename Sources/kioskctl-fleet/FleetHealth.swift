import KioskFleet
import KioskPrintModel
import KioskTerminal

/// How the kiosks of a fleet are: the worst first.
struct FleetHealth: Encodable {
    /// The worst kiosk's; `unknown` where there is none.
    var status: HealthReport.Status
    var kiosks: [Kiosk]

    /// What a kiosk has said last.
    struct Statement: Sendable {
        var site: SiteName
        var node: NodeName
        /// Nil where this version cannot read it.
        var status: KioskStatus?
        /// In ns since 1970 by the hub's clock.
        var storedAt: Int64
    }

    struct Kiosk: Encodable {
        var site: String
        var node: String
        var status: HealthReport.Status
        /// Whether it has said nothing for longer than it should.
        var isSilent: Bool
        /// In seconds since it has said what is here; nil where the hub does not say what time it is.
        var age: Int?
        var version: String?
        /// As it was then.
        var health: HealthReport?

        enum CodingKeys: String, CodingKey {
            case site, node, status, age, version, health
            case isSilent = "silent"
        }
    }

    /// `time` is the hub's, in ns since 1970.
    init(_ statements: [Statement], at time: Int64?) {
        kiosks = statements.map { Kiosk($0, at: time) }.sorted { $0.order < $1.order }
        status = kiosks.first?.status ?? .unknown
    }

    func count(_ status: HealthReport.Status) -> Int { kiosks.count { $0.status == status && !$0.isSilent } }
    var silent: Int { kiosks.count { $0.isSilent } }
    var jobsWaiting: Int { sum(\.jobsWaiting) }
    var jobsUnconfirmed: Int { sum(\.jobsUnconfirmed) }

    /// More than a kiosk has: what a kiosk says may be any number.
    private static let mostJobs = 1_000_000_000

    private func sum(_ number: (HealthReport) -> Int) -> Int {
        kiosks.compactMap(\.health).reduce(0) { $0 + min(max(0, number($1)), Self.mostJobs) }
    }
}

extension FleetHealth.Kiosk {
    fileprivate init(_ statement: FleetHealth.Statement, at time: Int64?) {
        (site, node) = (statement.site.text, statement.node.text)
        age = time.map { Int(max(0, $0 - statement.storedAt) / 1_000_000_000) }
        isSilent = age.map { $0 > KioskStatus.silence } ?? false
        (version, health) = (statement.status?.version, statement.status?.health)
        status = isSilent ? .critical : health?.status ?? .unknown
    }

    /// What monitoring looks at first comes first; among equals by name.
    fileprivate var order: (Int, Int, String, String) {
        let severity: [HealthReport.Status] = [.critical, .warning, .unknown, .ok]
        return (severity.firstIndex(of: status) ?? 0, isSilent ? 0 : 1, site, node)
    }
}

/// Formats a fleet's health as monitoring plugins do: a line with performance data behind a bar, and then more lines.
enum FleetHealthText {
    static func lines(_ health: FleetHealth) -> String {
        let kiosks = health.kiosks.map { "\(word($0.status)) \($0.site)/\($0.node): \(clean(finding(of: $0)))\n" }
        return "KIOSK FLEET \(word(health.status)) - \(summary(health)) | \(performance(health))\n" + kiosks.joined()
    }

    private static func word(_ status: HealthReport.Status) -> String { status.rawValue.uppercased() }

    private static func summary(_ health: FleetHealth) -> String {
        guard !health.kiosks.isEmpty else { return "no kiosk has said how it is; do they know the hub (--fleet-hub)?" }
        let counts = [
            (health.silent, "silent"), (health.count(.critical), "critical"), (health.count(.warning), "warning"),
            (health.count(.unknown), "unknown"), (health.count(.ok), "ok"),
        ]
        return "\(Quantities.count(health.kiosks.count, "kiosk", "kiosks")): "
            + counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    }

    /// `label=value;warning;critical;minimum;maximum` (Monitoring Plugins Development Guidelines, "Performance data").
    private static func performance(_ health: FleetHealth) -> String {
        let kiosks = health.kiosks.count
        return "kiosks=\(kiosks);;;0 kiosks_silent=\(health.silent);;;0;\(kiosks) "
            + "kiosks_critical=\(health.count(.critical));;;0;\(kiosks) "
            + "kiosks_warning=\(health.count(.warning));;;0;\(kiosks) "
            + "jobs_waiting=\(health.jobsWaiting);;;0 jobs_unconfirmed=\(health.jobsUnconfirmed);;;0"
    }

    /// What there is to say of a kiosk. Parts of it are the kiosk's own words.
    static func finding(of kiosk: FleetHealth.Kiosk) -> String {
        guard let health = kiosk.health else { return "its status is none that this version knows; update kioskctl" }
        let printers =
            "\(health.printersAvailable) of \(Quantities.count(health.printersSaved, "printer", "printers")) available"
        let findings = health.checks.filter { $0.status != .ok }.map(\.message)
        let rest = findings.isEmpty ? ["\(Quantities.count(health.jobsWaiting, "job", "jobs")) waiting"] : findings
        let said = ([printers] + rest).joined(separator: "; ")
        guard kiosk.isSilent, let age = kiosk.age else { return said }
        return "silent for \(Quantities.time(milliseconds: Int64(age) * 1000)); it said last: \(said)"
    }

    /// The text on one line, without the bar that begins the performance data.
    private static func clean(_ text: String) -> String {
        // By scalars, as monitoring reads it: a bar and an accent behind it are one `Character`.
        String(
            String.UnicodeScalarView(
                text.withoutControlCharacters.terminalEscaped.unicodeScalars.map { $0 == "|" ? "/" : $0 }))
    }
}
