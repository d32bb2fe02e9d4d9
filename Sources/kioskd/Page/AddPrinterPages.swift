import Hummingbird
import KioskAPI
import KioskAdminPage
import KioskEngine
import KioskPrintModel
import KioskPrinterRegistry
import Synchronization

/// `/printers/new`: looks at a printer, and saves it with its roles.
struct AddPrinterPages: Sendable {
    let engine: PrintEngine
    let editor: RegistryEditor
    let prober: PrinterProber
    let tests: TestPrinting
    /// Nil where nothing is looked for.
    let discovery: PrinterDiscovery?

    func add(to router: Router<APIContext>, _ pages: PageServer) {
        pages.get("/printers/new", router, use: form)
        pages.post("/printers/new", router, use: submit)
    }

    /// The empty form; with `search`, for browsers without script, beside what is found.
    @Sendable private func form(_ page: PageRequest) async throws -> Response {
        var screen = try await screen(page)
        screen.draft.url = page.query["url"]
        if page.query["search"] != nil { screen.found = try await search(page.context) }
        return page.answer(.printers, screen.screen(page.texts))
    }

    private func search(_ context: APIContext) async throws -> DiscoveredPrinterList {
        let reservation = try context.limits.discoveries.reserve(for: context.caller)
        defer { reservation.giveBack() }
        let results = Mutex(DiscoveryResults())
        try await discovery?.run(
            DiscoveryFilter(), saved: editor.registry.printers, statuses: engine.printers()
        ) { event in results.withLock { $0.add(event) } }
        return results.withLock(\.list)
    }

    @Sendable private func submit(_ page: PageRequest) async throws -> Response {
        let draft = AddPrinterScreen.Draft(page.fields)
        var screen = try await screen(page)
        screen.draft = draft
        do {
            if page.fields["do"] == "save" { return try await save(draft, page) }
            screen.report = try await prober.probe(probeRequest(draft), page.context)
            return page.answer(.printers, screen.screen(page.texts))
        } catch let error as PrinterURLError {
            screen.problem = "\(error)"
        } catch let error where !(error is CancellationError) {
            let problem = Problem(describing: error)
            guard problem.status < 500 || problem.code == .schemeNotSupported else { throw error }
            screen.problem = ([problem.detail ?? problem.title] + (problem.problems ?? []).map(\.description))
                .joined(separator: "\n")
        }
        // What was typed stays; what stands there is looked at again, so that the rest of the form stays too.
        let isSave = page.fields["do"] == "save"
        if isSave { screen.report = try? await prober.probe(probeRequest(draft), page.context) }
        // A URL that is not complete yet is nothing that went wrong: it is probed while it is typed.
        return page.answer(.printers, screen.screen(page.texts), status: isSave ? .unprocessableContent : .ok)
    }

    private func screen(_ page: PageRequest) async throws -> AddPrinterScreen {
        let registry = await editor.registry
        return AddPrinterScreen(
            recent: await prober.recent().printers, roles: registry.roles,
            profiles: (registry.profiles?.profiles ?? []).filter { $0.printing != nil }.map(\.name))
    }

    private func probeRequest(_ draft: AddPrinterScreen.Draft) throws -> ProbeRequest {
        let role = draft.roles.first.flatMap { RoleName(rawValue: $0) }
        return ProbeRequest(
            url: try PrinterURL(draft.url ?? ""), profile: draft.profile, credentials: draft.credentials,
            trust: try trust(draft), role: draft.roles.count == 1 ? role : nil)
    }

    private func trust(_ draft: AddPrinterScreen.Draft) throws -> Trust? {
        guard let text = draft.trust else { return nil }
        // The form offers nothing but a key that was shown; anything else is for the file and the command line.
        guard let key = Fingerprint(text) else {
            throw Problem(.invalidParameter, detail: "the form's fingerprint is none; look at the printer again")
        }
        return .pinned([key])
    }

    // MARK: Saving

    private func save(_ draft: AddPrinterScreen.Draft, _ page: PageRequest) async throws -> Response {
        guard let id = draft.id.flatMap({ PrinterID(rawValue: $0) }) else {
            throw Problem(
                .invalidParameter, detail: "the id is lower-case letters and digits in words joined by hyphens: till-1")
        }
        let roles = draft.roles.compactMap { RoleName(rawValue: $0) }
        let printer = SavedPrinter(
            id: id, url: try PrinterURL(draft.url ?? ""), name: draft.name, location: draft.location,
            profile: draft.profile, credentials: draft.credentials, trust: try trust(draft))
        // One change of the registry: a printer without its roles would be half of what was asked for.
        try await editor.edit(by: page.context.caller) { registry in
            guard registry.printer(id) == nil else {
                throw Problem(.invalidParameter, detail: "\(id) is saved already; choose another id")
            }
            var edited = try registry.saving(printer)
            for name in roles {
                guard var role = edited.role(name) else { throw Problem.unknown(name) }
                role.printers.append(id)
                edited = try edited.assigning(role)
            }
            return edited
        }
        page.context.noteTrust(in: printer, insteadOf: nil)
        // Saved it is, whether or not the test can be printed.
        let isTested =
            draft.printsTest ? (try? await tests.print(on: id, opensDrawer: false, page.context)) != nil : true
        return page.seeOther("/printers/\(id)", done: isTested ? "printer-added" : "printer-added-untested")
    }
}
