import HTTPTypes
import Hummingbird
import KioskAPI
import KioskAdminPage
import KioskEngine
import KioskPrintModel
import KioskPrinterRegistry

/// The screens of printers: all of them, one with its settings, and removing it.
struct PrinterPages: Sendable {
    let engine: PrintEngine
    let editor: RegistryEditor
    let access: AccessRules
    let tests: TestPrinting

    func add(to router: Router<APIContext>, _ pages: PageServer) {
        pages.get("/", router, use: list)
        pages.get("/printers/{id}", router, use: show)
        pages.post("/printers/{id}", router, use: save)
        pages.post("/printers/{id}/contact", router, use: contact)
        pages.post("/printers/{id}/identify", router, use: identify)
        pages.post("/printers/{id}/test", router, use: printTest)
        pages.get("/printers/{id}/remove", router, use: askToRemove)
        pages.post("/printers/{id}/remove", router, use: remove)
    }

    @Sendable private func list(_ page: PageRequest) async throws -> Response {
        page.answer(.printers, PrintersScreen(printers: await engine.printers()).screen(page.texts))
    }

    @Sendable private func show(_ page: PageRequest) async throws -> Response {
        let status = try await engine.printer(page.context.printerID())
        return page.answer(.printers, try await screen(of: status).screen(page.texts))
    }

    private func screen(of status: PrinterStatus) async throws -> PrinterScreen {
        let profiles = await editor.registry.profiles?.profiles ?? []
        return PrinterScreen(
            status: status, revision: try Revision(of: status.printer).text,
            profiles: profiles.map { (name: $0.name, description: $0.description) })
    }

    /// Saves what was entered, or shows it again with what is wrong, or with what somebody else has saved meanwhile.
    @Sendable private func save(_ page: PageRequest) async throws -> Response {
        let id = try page.context.printerID()
        let before = try await engine.printer(id)
        let form = PrinterForm(page.fields)
        var screen = try await screen(of: before)
        screen.form = form
        let printer: SavedPrinter
        do {
            printer = try form.printer(id: id)
        } catch {
            screen.mistakes = error
            let notice = PageNotice(.problem, page.texts("problem.not-saved"), detail: page.texts("problem.fields"))
            return page.answer(.printers, screen.screen(page.texts), notice: notice, status: .unprocessableContent)
        }
        let condition = page.condition
        do {
            try await editor.edit(by: page.context.caller) { registry in
                try condition.check(registry.printer(id), of: "the printer \"\(id)\"")
                return try registry.saving(printer)
            }
        } catch {
            let problem = Problem(describing: error)
            if problem.code == .changedMeanwhile { screen.changedTo = before.printer }
            return page.answer(
                .printers, screen.screen(page.texts), notice: page.notice(of: problem),
                status: HTTPResponse.Status(code: problem.status))
        }
        page.context.noteTrust(in: printer, insteadOf: before.printer)
        return page.seeOther("/printers/\(id)", done: "printer-saved")
    }

    @Sendable private func contact(_ page: PageRequest) async throws -> Response {
        let id = try page.context.printerID()
        _ = try await engine.contact(id, by: access.requester(of: page.context))
        // The screens where the button stands.
        return page.seeOther(page.fields["back"] == "/" ? "/" : "/printers/\(id)", done: "contacted")
    }

    @Sendable private func identify(_ page: PageRequest) async throws -> Response {
        let id = try page.context.printerID()
        let status = try await engine.printer(id)
        do {
            _ = try await engine.identify(id, message: nil)
        } catch {
            let problem = Problem(describing: error)
            return page.answer(
                .printers, try await screen(of: status).screen(page.texts), notice: page.notice(of: problem),
                status: HTTPResponse.Status(code: problem.status))
        }
        page.context.noteIdentification(of: id)
        return page.seeOther("/printers/\(id)", done: "identified")
    }

    /// Ends at the test's job, where its fate shows.
    @Sendable private func printTest(_ page: PageRequest) async throws -> Response {
        let id = try page.context.printerID()
        let status = try await engine.printer(id)
        do {
            let job = try await tests.print(on: id, opensDrawer: false, page.context)
            return page.seeOther("/jobs/\(job.id)", done: "test-sent")
        } catch {
            let problem = Problem(describing: error)
            return page.answer(
                .printers, try await screen(of: status).screen(page.texts), notice: page.notice(of: problem),
                status: HTTPResponse.Status(code: problem.status))
        }
    }

    @Sendable private func askToRemove(_ page: PageRequest) async throws -> Response {
        let status = try await engine.printer(page.context.printerID())
        let screen = RemovePrinterScreen(
            printer: status.printer, roles: await editor.registry.roles(naming: status.printer.id),
            revision: try Revision(of: status.printer).text)
        return page.answer(.printers, screen.screen(page.texts))
    }

    @Sendable private func remove(_ page: PageRequest) async throws -> Response {
        let id = try page.context.printerID()
        let condition = page.condition
        try await editor.edit(by: page.context.caller) { registry in
            try condition.check(registry.printer(id), of: "the printer \"\(id)\"")
            return try registry.removing(id, fromRoles: true)
        }
        return page.seeOther("/", done: "printer-removed")
    }
}
