package import KioskFleet
package import KioskPrintModel
import Synchronization

/// Whose word counts for a kiosk's printers and roles, and how they stand: for its API and its health check.
package final class ConfigurationState: Sendable {
    package let site: SiteName
    package let mode: ConfigurationReport.Mode

    private let last = Mutex<ConfigurationReport?>(nil)

    package init(of site: SiteName, _ mode: ConfigurationReport.Mode) { (self.site, self.mode) = (site, mode) }

    func set(_ report: ConfigurationReport) { last.withLock { $0 = report } }

    /// What the kiosk reports last; nil before the hub was reached.
    package var report: ConfigurationReport? { last.withLock(\.self) }

    /// Why an edit at the site is refused, and whom to ask; nil where it is taken.
    package var refusal: String? {
        guard mode == .managed else { return nil }
        return
            "the fleet's office sets up the printers and roles of the site \"\(site)\"; ask it to change them with `kioskctl fleet apply`, or start kioskd with --fleet-configuration shown"
    }

    /// A warning where the kiosk is not set up as its office wants.
    package func checks() -> [HealthReport.Check] {
        guard let report else { return [] }
        var checks: [HealthReport.Check] = []
        if report.drift {
            checks.append(
                HealthReport.Check(
                    code: "configuration-drift", subject: site.text, status: .warning,
                    message:
                        "the registry was edited at the site and differs from what the fleet's office has applied; the next configuration from there overwrites it"
                ))
        }
        if let failure = report.error {
            let place = failure.line > 0 ? " (line \(failure.line), column \(failure.column))" : ""
            checks.append(
                HealthReport.Check(
                    code: "configuration-refused", subject: site.text, status: .warning,
                    message:
                        "revision \(report.desired ?? 0) of the office's configuration is not in force\(place): \(failure.text)"
                ))
        }
        return checks
    }
}
