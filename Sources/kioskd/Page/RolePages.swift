import HTTPTypes
import Hummingbird
import KioskAPI
import KioskAdminPage
import KioskEngine
import KioskPrintModel
import KioskPrinterRegistry

/// The screens of roles: their printers in order, their settings, and removing one.
struct RolePages: Sendable {
    let engine: PrintEngine
    let editor: RegistryEditor

    func add(to router: Router<APIContext>, _ pages: PageServer) {
        pages.get("/roles", router, use: list)
        pages.post("/roles", router, use: create)
        pages.get("/roles/{name}", router, use: show)
        pages.post("/roles/{name}", router, use: save)
        pages.post("/roles/{name}/printers", router, use: changePrinters)
        pages.get("/roles/{name}/remove", router, use: askToRemove)
        pages.post("/roles/{name}/remove", router, use: remove)
    }

    @Sendable private func list(_ page: PageRequest) async throws -> Response {
        page.answer(.roles, try await screen().screen(page.texts))
    }

    private func screen() async throws -> RolesScreen {
        let entries = try await editor.registry.roles.map {
            RolesScreen.Entry(role: $0, revision: try Revision(of: $0).text)
        }
        return RolesScreen(roles: entries, printers: await engine.printers())
    }

    /// The list with a notice, after a change that was refused.
    private func list(_ page: PageRequest, refusing problem: Problem, newName: String = "") async throws -> Response {
        var screen = try await screen()
        screen.newName = newName
        return page.answer(
            .roles, screen.screen(page.texts), notice: page.notice(of: problem, changed: "problem.changed.order"),
            status: HTTPResponse.Status(code: problem.status))
    }

    @Sendable private func create(_ page: PageRequest) async throws -> Response {
        let text = page.fields.text("name") ?? ""
        guard let name = RoleName(rawValue: text) else {
            let problem = Problem(
                .invalidParameter,
                detail: "a role's name has lower-case letters and digits in words joined by hyphens")
            return try await list(page, refusing: problem, newName: text)
        }
        do {
            try await editor.edit(by: page.context.caller) { registry in
                try Precondition(nil).check(registry.role(name), of: "the role \"\(name)\"")
                return try registry.assigning(Role(name: name, printers: []))
            }
        } catch {
            return try await list(page, refusing: Problem(describing: error), newName: text)
        }
        return page.seeOther("/roles", done: "role-saved")
    }

    private func role(_ page: PageRequest) async throws -> Role {
        let name = try page.context.roleName()
        guard let role = await editor.registry.role(name) else { throw Problem.unknown(name) }
        return role
    }

    @Sendable private func show(_ page: PageRequest) async throws -> Response {
        let role = try await role(page)
        return page.answer(.roles, RoleScreen(role: role, revision: try Revision(of: role).text).screen(page.texts))
    }

    @Sendable private func save(_ page: PageRequest) async throws -> Response {
        let role = try await role(page)
        let form = RoleForm(page.fields)
        var screen = RoleScreen(role: role, revision: try Revision(of: role).text, form: form)
        do {
            // What is wrong with the form itself is told before anything is locked.
            _ = try form.applied(to: role)
        } catch {
            screen.mistakes = error
            let notice = PageNotice(.problem, page.texts("problem.not-saved"), detail: page.texts("problem.fields"))
            return page.answer(.roles, screen.screen(page.texts), notice: notice, status: .unprocessableContent)
        }
        let condition = page.condition
        do {
            try await editor.edit(by: page.context.caller) { registry in
                let saved = registry.role(role.name)
                try condition.check(saved, of: "the role \"\(role.name)\"")
                return try registry.assigning(form.applied(to: saved ?? role))
            }
        } catch {
            let problem = Problem(describing: error)
            return page.answer(
                .roles, screen.screen(page.texts), notice: page.notice(of: problem),
                status: HTTPResponse.Status(code: problem.status))
        }
        return page.seeOther("/roles", done: "role-saved")
    }

    @Sendable private func changePrinters(_ page: PageRequest) async throws -> Response {
        let name = try page.context.roleName()
        let condition = page.condition
        let fields = page.fields
        do {
            try await editor.edit(by: page.context.caller) { registry in
                let saved = registry.role(name)
                try condition.check(saved, of: "the role \"\(name)\"")
                guard var role = saved else { throw Problem.unknown(name) }
                role.printers = PrinterOrder(role.printers).changed(by: fields)
                return try registry.assigning(role)
            }
        } catch {
            return try await list(page, refusing: Problem(describing: error))
        }
        // The list itself shows what was done.
        return page.seeOther("/roles")
    }

    @Sendable private func askToRemove(_ page: PageRequest) async throws -> Response {
        let role = try await role(page)
        let screen = RemoveRoleScreen(role: role.name, revision: try Revision(of: role).text)
        return page.answer(.roles, screen.screen(page.texts))
    }

    @Sendable private func remove(_ page: PageRequest) async throws -> Response {
        let name = try page.context.roleName()
        let condition = page.condition
        try await editor.edit(by: page.context.caller) { registry in
            try condition.check(registry.role(name), of: "the role \"\(name)\"")
            return try registry.removing(name)
        }
        return page.seeOther("/roles", done: "role-removed")
    }
}
