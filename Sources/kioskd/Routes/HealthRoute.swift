import Hummingbird
import KioskAPI
import KioskAccess
import KioskEngine
import KioskPrintModel
import KioskPrinterRegistry

/// `/v1/health`: how the engine and the daemon around it do, for monitoring.
struct HealthRoute: Sendable {
    let engine: PrintEngine
    let editor: RegistryEditor
    let access: AccessRules
    let moves: FoundMoves?
    let door: NetworkDoor?
    let network: NetworkAccess?
    let fleet: FleetMembership?
    /// Nil where the kiosk has no partner.
    let partnership: Partnership?

    func add(to router: Router<APIContext>) {
        router.get("/v1/health") { request, context in
            let query = try HealthQuery(query: request.uri.query)
            return try await Response.json(report(query, for: access.requester(of: context)))
        }
    }

    /// The report on everything, by what is known.
    func report() async -> HealthReport { await report(of: HealthScope(), HealthQuery(), more: []) }

    private func report(_ query: HealthQuery, for requester: Requester) async throws -> HealthReport {
        let registry = await editor.registry
        if let name = query.role, registry.role(name) == nil { throw Problem.unknown(name) }
        if let id = query.printer, registry.printer(id) == nil {
            throw Problem(
                .unknownPrinter, detail: "there is no printer \"\(id)\"; list them with: kioskctl printers list")
        }
        let scope = HealthScope(role: query.role, printer: query.printer)
        guard let seconds = query.contact else { return await report(of: scope, query, more: []) }
        let printers = registry.printers.map(\.id).filter { id in
            (query.printer ?? id) == id && (query.role.flatMap(registry.role)?.printers.contains(id) ?? true)
        }
        let silent = await contact(printers, within: seconds, by: requester)
        let (role, statuses) = (query.role.flatMap(registry.role), await engine.printers())
        return await report(
            of: scope, query,
            more: printers.filter(silent.contains).map { id in
                // A first choice that did not answer is told for itself.
                let isIdle = role?.isIdleFallback(id, among: statuses) == true
                return HealthReport.Check(
                    code: "contact-unanswered", subject: id.rawValue, status: isIdle ? .ok : .unknown,
                    message: "\(id) did not answer within \(seconds) s; what is said of it is what was known before")
            })
    }

    private func report(
        of scope: HealthScope, _ query: HealthQuery, more: [HealthReport.Check]
    ) async -> HealthReport {
        var thresholds = HealthThresholds()
        if let seconds = query.waitingWarning { thresholds.waitingWarning = seconds }
        thresholds.waitingCritical = query.waitingCritical
        if let count = query.unconfirmedCritical { thresholds.unconfirmedCritical = count }
        if let size = query.freeSpaceWarning { thresholds.freeSpaceWarning = size }
        let expiry = query.expiryWarning.map { Int64($0) } ?? ServerCertificate.warningDays
        let moved = await moves?.checks(saved: editor.registry.printers) ?? []
        let audited = await network?.audit.checks() ?? []
        let tokens = network?.tokens.checks(at: .now, warningDays: expiry) ?? []
        let certificates = door?.checks(expiryWarning: expiry) ?? []
        let hub = fleet?.checks() ?? []
        let pair = if let partnership { await partnership.checks() } else { await editor.registry.checksWithoutPartner }
        return await engine.health(of: scope, thresholds: thresholds).adding(
            more + moved + certificates + tokens + audited + hub + pair)
    }

    /// Contacts printers at the same time; returns those that did not answer in time. Their contacts go on in the
    /// engine, which bounds them itself.
    private func contact(
        _ printers: [PrinterID], within seconds: Int, by requester: Requester
    ) async -> Set<PrinterID> {
        var silent = Set(printers)
        guard !silent.isEmpty else { return [] }
        let (answers, continuation) = AsyncStream.makeStream(of: PrinterID?.self)
        for id in printers {
            Task {
                _ = try? await engine.contact(id, by: requester)
                continuation.yield(id)
            }
        }
        let timer = Task {
            try? await Task.sleep(for: .seconds(seconds))
            continuation.yield(nil)
        }
        defer { timer.cancel() }
        for await answer in answers {
            guard let answer else { break }
            silent.remove(answer)
            if silent.isEmpty { break }
        }
        return silent
    }
}

extension TokenStore {
    /// The findings for the health report: tokens that have ended or are about to. One that was made for a shorter time
    /// than the warning's is meant to end.
    func checks(at now: Timestamp, warningDays: Int64) -> [HealthReport.Check] {
        let day: Int64 = 86_400_000
        return list().compactMap { token in
            guard let end = token.expiresAt,
                end.millisecondsSince1970 - token.createdAt.millisecondsSince1970 >= warningDays * day
            else { return nil }
            let name = token.name.withoutControlCharacters
            if token.isExpired(at: now) {
                return HealthReport.Check(
                    code: "token-expired", subject: name, status: .warning,
                    message:
                        "the access token \"\(name)\" ended on \(end), and nobody can print with it; make another with kioskctl tokens add, and revoke this one: kioskctl tokens revoke \(token.id)"
                )
            }
            let days = (end.millisecondsSince1970 - now.millisecondsSince1970) / day
            guard days < warningDays else { return nil }
            return HealthReport.Check(
                code: "token-expires", subject: name, status: .warning,
                message:
                    "the access token \"\(name)\" ends in \(days) days, on \(end); make another with kioskctl tokens add before that"
            )
        }
    }
}
