import DurableFiles
public import PrintModel
import PrinterRegistry

extension PrintEngine {
    /// How the engine does now; asks no printer, and waits for nothing but a look at the secrets file and the state
    /// folder.
    public func health() async -> HealthReport {
        let unusable = await unusableCredentials()
        let folder = await folderChecks()
        let lost = folder.lost
        let statuses = printers()
        let waiting = active.values.filter { !$0.record.job.isSettled }
        let oldest = waiting.map(\.record.job.createdAt).min()
        let now = clock.now()
        return HealthReport(
            checks: storageChecks + folder.checks + clockChecks + registryChecks + roleChecks(statuses)
                + statuses.flatMap { checks($0, unusable) } + (preparation?.healthChecks ?? []) + jobChecks,
            printersAvailable: statuses.count { $0.availability.isAvailable },
            printersSaved: statuses.count,
            jobsWaiting: waiting.count,
            jobsUnconfirmed: active.values.count { $0.record.stage == .held },
            jobsLost: lost > 0 ? lost : nil,
            oldestWaitingSeconds: oldest.map { Int((now.millisecondsSince1970 - $0.millisecondsSince1970) / 1000) }
        )
    }

    private var storageChecks: [HealthReport.Check] {
        storageProblem.map { [.init(code: $0.code.rawValue, status: .critical, message: $0.message)] } ?? []
    }

    /// What nobody has run into yet, or has to be told of until somebody acts.
    private func folderChecks() async -> (checks: [HealthReport.Check], lost: Int) {
        let folder = configuration.stateDirectory
        let state = try? await spool.blocking {
            let damaged = try QueueFiles(folder: folder).damaged()
            return (
                try FileSystemState(of: folder),
                damaged.map { ($0, RecoveryReport.read(QueueFiles.report(beside: "\(folder)/\($0)"))) }
            )
        }
        guard let (system, damaged) = state else { return ([], 0) }
        var checks: [HealthReport.Check] = []
        if system.isReadOnly, storageProblem?.code != .storageReadOnly {
            checks.append(
                .init(
                    code: EngineError.Code.storageReadOnly.rawValue, status: .critical,
                    message:
                        "\(folder) is on a file system that takes no writes, so no job can be accepted; look at the disk and the kernel's log, and mount it writable"
                ))
        }
        if system.freeBytes < Self.leastFreeBytes, storageProblem?.code != .storageFull {
            checks.append(
                .init(
                    code: "storage-low", status: .warning,
                    message:
                        "\(folder) has \(system.freeBytes / 1024) KiB of free space left; free some before jobs are refused"
                ))
        }
        for (name, report) in damaged {
            checks.append(
                .init(
                    code: "queue-recovered", subject: name, status: .warning,
                    message:
                        "the queue was damaged; \(report?.summary ?? "what could be read was recovered"), and the damaged file is kept as \(folder)/\(name). Look at the disk, see what was lost, and remove the file"
                ))
        }
        return (checks, damaged.reduce(0) { $0 + ($1.1?.lost ?? 0) })
    }

    static let leastFreeBytes: Int64 = 16 << 20

    private var registryChecks: [HealthReport.Check] {
        if let registryProblem {
            return [.init(code: "registry-refused", status: .warning, message: registryProblem)]
        }
        guard snapshot.printers.isEmpty else { return [] }
        return [
            .init(
                code: "no-printers", status: .warning,
                message: "no printer is saved; add one with: kioskctl printers add ID URL --role receipt"
            )
        ]
    }

    /// A role that cannot print is what a till feels first.
    private func roleChecks(_ statuses: [PrinterStatus]) -> [HealthReport.Check] {
        let byID = Dictionary(uniqueKeysWithValues: statuses.map { ($0.printer.id, $0) })
        return snapshot.roles.compactMap { role in
            let candidates = role.printers.compactMap { byID[$0] }
            let able = candidates.filter { status in role.jobType.map { status.supports($0) != false } ?? true }
            if able.contains(where: \.availability.isAvailable) { return nil }
            let isKnown = able.isEmpty || able.contains { $0.availability.state != .unknown }
            let states = candidates.map {
                "\($0.printer.id) \(able.contains($0) ? $0.availability.state.rawValue : "does not do it")"
            }
            return .init(
                code: "role-without-printer", subject: role.name.rawValue, status: isKnown ? .critical : .unknown,
                message:
                    "no printer of the role \"\(role.name)\" can print: \(states.isEmpty ? "it has none" : states.joined(separator: ", "))"
            )
        }
    }

    private func checks(_ status: PrinterStatus, _ unusable: [PrinterID: String]) -> [HealthReport.Check] {
        let obstacle = board.printers[status.printer.id]?.obstacle
        return ([Self.check(status, behind: obstacle)] + securityChecks(status.printer, obstacle, unusable)).compactMap(
            \.self)
    }

    private static func check(_ status: PrinterStatus, behind obstacle: Obstacle?) -> HealthReport.Check? {
        let availability = status.availability
        let why = (availability.reasons.map(\.ippKeyword) + [availability.message].compactMap { $0 }).joined(
            separator: ", ")
        let text = "\(status.printer.id) is \(availability.state.rawValue)\(why.isEmpty ? "" : ": \(why)")"
            .withoutControlCharacters
        let subject = status.printer.id.rawValue
        if let obstacle {
            // Where programs print to, nobody should find that by chance.
            let isGrave = obstacle.isAboutIdentity && !status.roles.isEmpty
            return .init(
                code: obstacle.keyword, subject: subject, status: isGrave ? .critical : .warning, message: text)
        }
        return switch availability.state {
        case .ready, .busy: nil
        case .unknown: .init(code: "printer-unknown", subject: subject, status: .unknown, message: text)
        case .attention, .stopped, .unreachable:
            .init(code: "printer-\(availability.state.rawValue)", subject: subject, status: .warning, message: text)
        }
    }

    private var jobChecks: [HealthReport.Check] {
        active.values.filter { $0.record.stage == .held }.map(\.record.job).sorted { $0.id < $1.id }.map { job in
            .init(
                code: "job-unconfirmed", subject: "\(job.id)", status: .warning,
                // Not the printer's words, which are for the job's owner: everybody may ask for the health.
                message: "job \(job.id) is held: nobody knows whether it was printed; see kioskctl jobs \(job.id)"
            )
        }
    }
}
