import Hummingbird
import KioskAPI
import KioskEngine
import KioskPrintModel
import KioskPrinterRegistry

/// `POST /v1/probe` and `GET /v1/recent-printers`: what a form needs that adds a printer. For administrators: a probe
/// connects to whatever it names.
struct ProbeRoutes: Sendable {
    let prober: PrinterProber

    func add(to administration: RouterGroup<APIContext>) {
        administration.post("/v1/probe", use: probe)
        administration.get("/v1/recent-printers", use: recent)
    }

    @Sendable private func probe(_ request: Request, _ context: APIContext) async throws -> Response {
        let wanted = try await request.change(ProbeRequest.self, context)
        return try await .json(prober.probe(wanted, context))
    }

    @Sendable private func recent(_ request: Request, _ context: APIContext) async throws -> Response {
        try request.refuseQuery()
        return try await .json(prober.recent())
    }
}

/// Probes printers for the API and the page.
struct PrinterProber: Sendable {
    let engine: PrintEngine
    let editor: RegistryEditor

    /// The entries of the list of recently used printers.
    private static let maximumRecent = 20
    /// What a probe saves: nothing. A saved printer cannot have this id, which a probe's target does not hold.
    private static let id = PrinterID(rawValue: "probe")

    /// Contacts a printer without saving it; ends when the client hangs up.
    func probe(_ request: ProbeRequest, _ context: APIContext) async throws -> ProbeReport {
        let registry = await editor.registry
        let role = try request.role.map { name in
            guard let role = registry.role(name) else { throw Problem.unknown(name) }
            return role
        }
        if let name = request.profile, let profiles = registry.profiles, profiles.profile(named: name) == nil {
            throw Problem(
                .unknownProfile,
                detail: "there is no profile \"\(name.withoutControlCharacters.prefix(utf8Count: 80))\"")
        }
        guard let id = Self.id else { throw Problem(.internalError, detail: "the daemon failed; its log says more") }
        let printer = SavedPrinter(
            id: id, url: request.url, profile: request.profile, jobTypes: request.jobTypes,
            credentials: request.credentials, trust: request.trust, allowsPlainLogin: request.allowsPlainLogin)
        let place = try context.limits.probes.reserve(for: context.caller)
        defer { place.giveBack() }
        let outcome = try await context.presence.cancelWhenClosed { try await engine.probe(printer) }
        return await ProbeFindings(
            request: request, outcome: outcome, saved: engine.printers(), profiles: registry.profiles, role: role
        ).report
    }

    /// The printers that are or were saved.
    func recent() async -> RecentPrinterList {
        RecentPrinterList(
            printers: await editor.store.recentPrinters(limit: Self.maximumRecent).map { recent in
                let printer = recent.printer
                return .init(
                    url: printer.url, id: printer.id, name: printer.name, profile: printer.profile,
                    isSaved: recent.isSaved)
            })
    }
}
