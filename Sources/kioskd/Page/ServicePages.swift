import HTTPTypes
import Hummingbird
import KioskAPI
import KioskAccess
import KioskAdminPage
import KioskEngine
import KioskPrintModel
import KioskPrinterRegistry

/// The screens of the service itself: its health, and the changes of the registry with their undoing.
struct ServicePages: Sendable {
    let editor: RegistryEditor
    let health: HealthRoute
    let names: UserNames

    func add(to router: Router<APIContext>, _ pages: PageServer) {
        pages.get("/health", router, use: showHealth)
        pages.get("/changes", router, use: changes)
        pages.get("/changes/{number}", router, use: askToRestore)
        pages.post("/changes/{number}/restore", router, use: restore)
    }

    @Sendable private func showHealth(_ page: PageRequest) async throws -> Response {
        let printers = await editor.registry.printers
        let names = Dictionary(printers.map { ($0.id, $0.name ?? $0.id.rawValue) }) { first, _ in first }
        return page.answer(
            .health, HealthScreen(report: await health.report(), printers: names).screen(page.texts))
    }

    /// The versions, each with whoever changed a printer or role at that moment; an edit of the file has no name.
    private func versions() async throws -> [ChangesScreen.Version] {
        let entries = (try? await editor.audit?.entries(limit: 500, withDenials: false)) ?? []
        let changes = entries.filter { $0.action.hasPrefix("printer.") || $0.action.hasPrefix("role.") }
        var versions: [ChangesScreen.Version] = []
        for version in try await editor.store.keptVersions() {
            let saved = version.savedAt.millisecondsSince1970
            let change = changes.first { abs($0.time.millisecondsSince1970 - saved) <= 1000 }
            versions.append(
                ChangesScreen.Version(
                    number: version.number, savedAt: version.savedAt,
                    text: String(decoding: version.content, as: UTF8.self), actor: await actor(of: change)))
        }
        return versions
    }

    /// `anna`, `anna, 192.0.2.7`
    private func actor(of change: AuditEntry?) async -> String? {
        guard let change else { return nil }
        let name = await names.name(ofActor: change.actor)
        return change.address == "local" ? name : "\(name), \(change.address)"
    }

    @Sendable private func changes(_ page: PageRequest) async throws -> Response {
        let screen = ChangesScreen(versions: try await versions(), problem: await editor.store.problem?.message)
        return page.answer(.changes, screen.screen(page.texts))
    }

    @Sendable private func askToRestore(_ page: PageRequest) async throws -> Response {
        let number = Int(page.context.parameters.get("number") ?? "")
        let versions = try await versions()
        guard let version = versions.first(where: { $0.number == number }), let newest = versions.first else {
            throw Problem(.notFound, detail: "this version is not kept; go back to the list of changes")
        }
        return page.answer(.changes, RestoreScreen(version: version, newest: newest).screen(page.texts))
    }

    @Sendable private func restore(_ page: PageRequest) async throws -> Response {
        guard let number = Int(page.context.parameters.get("number") ?? ""),
            let newest = page.fields["newest"].flatMap({ Int($0) })
        else { throw Problem(.invalidParameter, detail: "the form is not whole; go back to the list of changes") }
        do {
            try await editor.restore(by: page.context.caller, version: number, over: newest)
        } catch {
            let problem = Problem(describing: error)
            let screen = ChangesScreen(versions: try await versions(), problem: await editor.store.problem?.message)
            return page.answer(
                .changes, screen.screen(page.texts), notice: page.notice(of: problem, changed: "problem.changed.order"),
                status: HTTPResponse.Status(code: problem.status))
        }
        return page.seeOther("/changes", done: "restored")
    }
}
