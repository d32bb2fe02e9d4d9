import ArgumentParser
import KioskAPI
import KioskPrintModel

/// `kioskd --doctor`: checks an installation, whether the daemon runs or not, and names for each finding the command
/// that mends it. It changes nothing.
struct Doctor {
    let installation: Installation

    /// Writes what was found, and ends with 1 where something is to be mended.
    static func run(_ options: DaemonOptions, _ paths: DaemonPaths) async throws {
        let report = await Doctor(installation: Installation(options, paths)).report()
        print(
            options.json
                ? String(decoding: try APIJSON.encodePretty(report), as: UTF8.self) : DoctorText.text(report))
        if report.findings.contains(where: \.isProblem) { throw ExitCode(1) }
    }

    func report() async -> DoctorReport {
        var findings: [DoctorFinding] = []
        for group in DoctorFinding.Group.allCases { findings += await self.findings(of: group) }
        return DoctorReport(checked: DoctorFinding.Group.allCases, findings: findings)
    }

    private func findings(of group: DoctorFinding.Group) async -> [DoctorFinding] {
        switch group {
        case .files: FileChecks(installation: installation).findings()
        case .registry: RegistryChecks(installation: installation).findings()
        case .socket: SocketChecks(installation: installation).findings()
        case .groups: GroupChecks(installation: installation).findings()
        case .disk: DiskChecks(installation: installation).findings()
        case .clock: ClockChecks(installation: installation).findings()
        case .certificates: await CertificateChecks(installation: installation).findings()
        case .ssh: await SSHChecks(installation: installation).findings()
        case .usb: USBChecks(installation: installation).findings()
        case .helpers: HelperChecks().findings()
        case .fonts: FontChecks().findings()
        case .network: NetworkChecks(installation: installation).findings()
        }
    }
}

/// The report for people: a paragraph for each finding, its command on a line of its own.
enum DoctorText {
    static func text(_ report: DoctorReport) -> String {
        let problems = report.findings.filter(\.isProblem)
        let notes = report.findings.filter { !$0.isProblem }
        var lines = (problems + notes).flatMap { finding in
            ["\(word(finding)): \(finding.message) [\(finding.code)]".withoutControlCharacters]
                + (finding.command.map { ["    # \($0.withoutControlCharacters)"] } ?? [])
        }
        let groups = report.checked.map(\.rawValue).joined(separator: ", ")
        lines.append(
            problems.isEmpty
                ? "nothing to mend: \(groups)"
                : "\(problems.count) finding\(problems.count == 1 ? "" : "s") to mend; checked: \(groups)")
        return lines.joined(separator: "\n")
    }

    private static func word(_ finding: DoctorFinding) -> String {
        switch finding.status {
        case .critical: "CRITICAL"
        case .warning: "WARNING"
        case .unknown: "unknown"
        case .ok: "note"
        }
    }
}
