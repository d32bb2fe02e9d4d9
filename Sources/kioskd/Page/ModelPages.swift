import Hummingbird
import KioskAPI
import KioskAdminPage
import KioskEngine
import KioskPrintModel
import KioskPrinterRegistry

/// The screens of profiles and of trust.
struct ModelPages: Sendable {
    let engine: PrintEngine
    let editor: RegistryEditor
    let trust: TrustRoutes

    func add(to router: Router<APIContext>, _ pages: PageServer) {
        pages.get("/profiles", router) { page in
            let profiles = await editor.registry.profiles?.profiles ?? []
            let screen = ProfilesScreen(profiles: profiles, printers: await engine.printers())
            return page.answer(.profiles, screen.screen(page.texts))
        }
        pages.get("/profiles/{name}", router) { page in
            let name = page.context.parameters.get("name").flatMap { PercentEncoding.decode($0) } ?? ""
            guard let profile = await editor.registry.profiles?.profile(named: name) else {
                throw Problem(
                    .unknownProfile,
                    detail: "there is no profile \"\(name.withoutControlCharacters.prefix(utf8Count: 80))\"")
            }
            return page.answer(.profiles, ProfileScreen(profile: profile).screen(page.texts))
        }
        pages.get("/trust", router) { page in
            page.answer(.trust, TrustScreen(printers: await engine.printers()).screen(page.texts))
        }
        pages.get("/trust/{id}", router) { page in try await show(page, problem: nil) }
        pages.post("/trust/{id}", router, use: accept)
    }

    private func show(_ page: PageRequest, problem: Problem?) async throws -> Response {
        let id = try page.context.printerID()
        let printer = try await engine.printer(id).printer
        var screen = PrinterTrustScreen(printer: printer, shown: nil, problem: problem?.detail)
        do {
            screen.shown = try await page.context.presence.cancelWhenClosed { try await engine.inspectTrust(of: id) }
        } catch let error as EngineError where [.printerUnreachable, .noTransport].contains(error.code) {
            screen.problem = screen.problem ?? error.message
        }
        return page.answer(.trust, screen.screen(page.texts), status: problem.map { .init(code: $0.status) } ?? .ok)
    }

    @Sendable private func accept(_ page: PageRequest) async throws -> Response {
        let id = try page.context.printerID()
        guard page.fields.isTicked("compared"), let key = page.fields.text("key").flatMap({ Fingerprint($0) }) else {
            throw Problem(
                .invalidParameter, detail: "compare the fingerprint, and say so by the box; nothing was changed")
        }
        do {
            try await trust.pin(key, for: id, page.context)
        } catch let problem as Problem where problem.code == .certificateMismatch || problem.code == .keyRevoked {
            return try await show(page, problem: problem)
        }
        return page.seeOther("/trust/\(id)", done: "key-accepted")
    }
}
