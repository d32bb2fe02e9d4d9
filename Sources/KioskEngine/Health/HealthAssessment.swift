package import KioskPrintModel
import KioskPrinterRegistry

/// The health report of a moment: checks over what the engine knows, without I/O.
struct HealthAssessment {
    var now: Timestamp
    var scope = HealthScope.everything
    var thresholds = HealthThresholds()
    var registry: Registry
    /// Why the registry's file is not in force as it is.
    var registryProblem: String?
    /// The printers in scope.
    var statuses: [PrinterStatus]
    /// What keeps printers that answer from being used.
    var obstacles: [PrinterID: Obstacle]
    /// The printers whose credentials cannot be used, with the reason.
    var unusableCredentials: [PrinterID: String]
    /// The jobs in scope that are not final.
    var jobs: [Job]
    /// When those began to wait that an operator released.
    var releases: [Job.ID: Timestamp] = [:]
    /// The failure of the state directory's disk.
    var storageProblem: EngineError?
    var folder: StateDirectoryInspection
    var clockChecks: [HealthReport.Check]
    var preparationChecks: [HealthReport.Check]
    var transportChecks: [HealthReport.Check]

    var report: HealthReport {
        let waiting = jobs.filter { !$0.isSettled }
        let oldest = waiting.map(begin(of:)).min()
        let held = jobs.filter { $0.state == .pendingHeld }
        return HealthReport(
            checks: [
                storageChecks,
                folder.checks(beside: storageProblem, freeSpaceWarning: Int64(thresholds.freeSpaceWarning) << 20),
                clockChecks, registryChecks, roleChecks, statuses.flatMap(checks), preparationChecks, transportChecks,
                unconfirmedChecks(held), waitingChecks(waiting),
            ].flatMap(\.self),
            printersAvailable: statuses.count { $0.availability.isAvailable },
            printersSaved: statuses.count,
            jobsWaiting: waiting.count,
            jobsUnconfirmed: held.count,
            jobsLost: folder.lostJobs > 0 ? folder.lostJobs : nil,
            oldestWaitingSeconds: oldest.map { Int((now.millisecondsSince1970 - $0.millisecondsSince1970) / 1000) }
        )
    }

    private var storageChecks: [HealthReport.Check] {
        storageProblem.map { [.init(code: $0.code.rawValue, status: .critical, message: $0.message)] } ?? []
    }

    private var registryChecks: [HealthReport.Check] {
        if let registryProblem {
            return [.init(code: "registry-refused", status: .warning, message: registryProblem)]
        }
        guard registry.printers.isEmpty else { return [] }
        return [
            .init(
                code: "no-printers", status: .warning,
                message: "no printer is saved; add one with: kioskctl printers add ID URL --role receipt"
            )
        ]
    }

    /// A role that cannot print is what a till feels first.
    private var roleChecks: [HealthReport.Check] {
        let byID = Dictionary(uniqueKeysWithValues: statuses.map { ($0.printer.id, $0) })
        return registry.roles.filter(scope.includes).compactMap { role in
            check(role, among: role.printers.compactMap { byID[$0] })
        }
    }

    private func check(_ role: Role, among candidates: [PrinterStatus]) -> HealthReport.Check? {
        let able = candidates.filter { status in role.jobType.map { status.supports($0) != false } ?? true }
        let states = candidates.map {
            "\($0.printer.id) \(able.contains($0) ? $0.availability.state.rawValue : "does not do it")"
        }.joined(separator: ", ")
        if role.policy == .all, able.count < candidates.count {
            return .init(
                code: "role-without-printer", subject: role.name.rawValue, status: .critical,
                message: "the role \"\(role.name)\" takes no jobs, since it prints on all of its printers: \(states)")
        }
        guard let chosen = able.first(where: \.availability.isAvailable) else {
            let isKnown = able.isEmpty || able.contains { $0.availability.state != .unknown }
            return .init(
                code: "role-without-printer", subject: role.name.rawValue, status: isKnown ? .critical : .unknown,
                message:
                    "no printer of the role \"\(role.name)\" can print: \(states.isEmpty ? "it has none" : states)"
            )
        }
        switch role.policy {
        case .failover:
            guard chosen.printer.id != role.printers.first else { return nil }
            return .init(
                code: "role-on-fallback", subject: role.name.rawValue, status: .warning,
                message: "the role \"\(role.name)\" prints on a fallback, \(chosen.printer.id): \(states)")
        // Each job is for all of them.
        case .all:
            guard !candidates.allSatisfy(\.availability.isAvailable) else { return nil }
            return .init(
                code: "role-incomplete", subject: role.name.rawValue, status: .warning,
                message: "not every printer of the role \"\(role.name)\" can print: \(states)")
        case .leastBusy: return nil
        }
    }

    private func checks(_ status: PrinterStatus) -> [HealthReport.Check] {
        let obstacle = obstacles[status.printer.id]
        return ([check(status, behind: obstacle)] + securityChecks(status.printer, obstacle)).compactMap(
            \.self)
    }

    private func check(_ status: PrinterStatus, behind obstacle: Obstacle?) -> HealthReport.Check? {
        let availability = status.availability
        let why = (availability.reasons.map(\.ippKeyword) + [availability.message].compactMap { $0 }).joined(
            separator: ", ")
        let text = "\(status.printer.id) is \(availability.state.rawValue)\(why.isEmpty ? "" : ": \(why)")"
            .withoutControlCharacters
        let subject = status.printer.id.rawValue
        if let obstacle {
            // Where programs print to, nobody should find that by chance.
            let isGrave = obstacle.isAboutIdentity && !status.roles.isEmpty
            let lesser = obstacle.isAboutTrust ? .warning : severity(of: .warning, status)
            return .init(
                code: obstacle.keyword, subject: subject,
                status: isGrave || scope.printer != nil ? .critical : lesser, message: text)
        }
        let code = "printer-\(availability.state.rawValue)"
        return switch availability.state {
        case .ready, .busy: nil
        case .unknown: .init(code: code, subject: subject, status: severity(of: .unknown, status), message: text)
        case .attention: .init(code: code, subject: subject, status: severity(of: .warning, status), message: text)
        case .stopped, .unreachable:
            .init(
                code: code, subject: subject,
                status: scope.printer != nil ? .critical : severity(of: .warning, status), message: text)
        }
    }

    /// Whoever asks for one role wants to know whether it prints: what ails a printer that it does not use now is told,
    /// and does not count.
    private func severity(of status: HealthReport.Status, _ printer: PrinterStatus) -> HealthReport.Status {
        guard let name = scope.role, scope.printer == nil, let role = registry.role(name) else { return status }
        return role.isIdleFallback(printer.printer.id, among: statuses) ? .ok : status
    }

    /// What an admin should know of a printer's trust and login at all times, whether it prints or not.
    private func securityChecks(_ printer: SavedPrinter, _ obstacle: Obstacle?) -> [HealthReport.Check] {
        let subject = printer.id.rawValue
        var checks: [HealthReport.Check] = []
        if let problem = unusableCredentials[printer.id], obstacle?.code != .credentialsUnusable {
            checks.append(
                .init(
                    code: "credentials-unusable", subject: subject, status: .warning,
                    message: "\(printer.id) cannot be logged in to: \(problem)".withoutControlCharacters))
        }
        if printer.trust == Trust.none {
            // Over plain ipp:// there is mostly no certificate to pin.
            let advice =
                printer.url.scheme == .ipp
                ? "save it with an ipps:// URL"
                : "pin its \(printer.url.scheme.identityNoun) with: kioskctl printers trust \(printer.id)"
            checks.append(
                .init(
                    code: "trust-none", subject: subject, status: .warning,
                    message:
                        "\(printer.id) is not verified: whoever answers at \(printer.url) gets its documents and logins; \(advice)"
                ))
        }
        if printer.allowsPlainLogin == true, printer.trust == Trust.none, printer.url.scheme == .ipps {
            checks.append(
                .init(
                    code: "login-without-tls", subject: subject, status: .warning,
                    message:
                        "\(printer.id) may be logged in to without being verified: whoever answers in its place gets its password; pin its certificate with: kioskctl printers trust \(printer.id), or take login-without-tls from it"
                ))
        }
        if printer.allowsPlainLogin == true, printer.url.scheme == .ipp {
            checks.append(
                .init(
                    code: "login-without-tls", subject: subject, status: .warning,
                    message:
                        "\(printer.id) may be logged in to without TLS: others on the network can read its password; use an ipps:// URL, or take login-without-tls from it"
                ))
        }
        return checks
    }

    private func unconfirmedChecks(_ held: [Job]) -> [HealthReport.Check] {
        let status = held.count >= thresholds.unconfirmedCritical ? HealthReport.Status.critical : .warning
        return held.sorted { $0.id < $1.id }.map { job in
            .init(
                code: "job-unconfirmed", subject: "\(job.id)", status: status,
                // Not the printer's words, which are for the job's owner: everybody may ask for the health.
                message: "job \(job.id) is held: nobody knows whether it was printed; see kioskctl jobs \(job.id)"
            )
        }
    }

    /// When a job began to wait: an operator may have let it wait, held, for days.
    private func begin(of job: Job) -> Timestamp { releases[job.id] ?? job.createdAt }

    /// The job that waits longest speaks for all that wait too long.
    private func waitingChecks(_ waiting: [Job]) -> [HealthReport.Check] {
        guard let oldest = waiting.min(by: { (begin(of: $0), $0.id) < (begin(of: $1), $1.id) }) else { return [] }
        let age = (now.millisecondsSince1970 - begin(of: oldest).millisecondsSince1970) / 1000
        let isCritical = thresholds.waitingCritical.map { age >= Int64($0) } == true
        guard isCritical || age >= Int64(thresholds.waitingWarning) else { return [] }
        return [
            .init(
                code: "job-waits", subject: "\(oldest.id)", status: isCritical ? .critical : .warning,
                message: "job \(oldest.id) has waited for \(age) s; see kioskctl job \(oldest.id) --timeline")
        ]
    }
}

extension Role {
    /// Whether the printer is one of its fallbacks, and is not used now, since the first choice prints.
    package func isIdleFallback(_ printer: PrinterID, among statuses: [PrinterStatus]) -> Bool {
        guard policy == .failover, let first = printers.first, first != printer, printers.contains(printer) else {
            return false
        }
        return statuses.contains { $0.printer.id == first && $0.availability.isAvailable }
    }
}

extension CredentialSource {
    /// The printers whose credentials cannot be used, with the reason; no secret leaves this.
    func problems(of printers: [SavedPrinter]) async -> [PrinterID: String] {
        var read: [String: Result<Credentials, any Error>] = [:]
        for name in Set(printers.compactMap(\.credentials)) {
            do {
                read[name] = .success(try await credentials(named: name))
            } catch {
                read[name] = .failure(error)
            }
        }
        var problems: [PrinterID: String] = [:]
        for printer in printers {
            guard let name = printer.credentials, let result = read[name] else { continue }
            do {
                try result.get().check(named: name, for: printer.url)
            } catch {
                problems[printer.id] = "\(error)"
            }
        }
        return problems
    }
}
