package import KioskPrintModel

/// `/roles/{name}`: the settings of one role.
package struct RoleScreen: Sendable {
    /// The role as it is saved.
    package var role: Role
    /// The revision that the form sends back.
    package var revision: String
    /// What the form shows.
    package var form: RoleForm
    /// The fields whose value could not be read.
    package var mistakes: RoleForm.Mistakes

    /// Creates the screen. `form`: what was entered, where that was not saved.
    package init(role: Role, revision: String, form: RoleForm? = nil, mistakes: RoleForm.Mistakes = .init()) {
        self.role = role
        self.revision = revision
        self.form = form ?? RoleForm(role)
        self.mistakes = mistakes
    }

    /// The screen in a language.
    package func screen(_ texts: Texts) -> PageScreen {
        PageScreen(
            title: texts("role.title", ["role": role.name.rawValue]),
            actions: "<a class=\"button\" href=\"/roles\">\(texts("role.all"))</a>",
            content: """
                <div class="stack"><section class="card"><h2>\(texts("role.settings"))</h2>
                <form method="post" action="/roles/\(role.name)" class="fields pair">\(Field.hidden("revision", revision))
                \(fields(texts))
                <div class="row wide"><button class="main" type="submit">\(texts("save"))</button></div>
                </form></section>
                <p><a class="button" href="/roles/\(role.name)/remove">\(Icon.remove.html)\(texts("role.remove"))</a></p></div>
                """)
    }

    private func fields(_ texts: Texts) -> HTML {
        func wrong(_ field: String, _ key: Texts.Key) -> String? { mistakes.fields.contains(field) ? texts(key) : nil }
        let open = [(value: "", label: texts("role.open"))]
        func options(_ values: [String], _ family: Texts.Key) -> [(value: String, label: String)] {
            values.map { (value: $0, label: texts.member($0, of: family) ?? $0) }
        }
        let types = [(value: "", label: texts("role.any-type"))] + options(JobTypes.keywords.map(\.keyword), "job-type")
        return """
            \(Field.select("policy", texts("role.policy"), form.policy, options: options(Role.PrinterPolicy.allCases.map(\.rawValue), "policy")))
            \(Field.select("job-type", texts("role.job-type"), form.jobType, options: types, hint: texts("role.job-type.hint")))
            \(Field.select("unconfirmed", texts("role.unconfirmed"), form.unconfirmed, options: options(Role.UnconfirmedPolicy.allCases.map(\.rawValue), "unconfirmed"), hint: texts("role.unconfirmed.hint")))
            \(Field.text("expires-after", texts("role.expires"), form.expiresAfter, hint: texts("role.expires.hint", ["time": Duration.fileText(ofSeconds: role.effectiveExpiry)]), wrong: wrong("expires-after", "role.wrong-time")))
            \(Field.text("page-limit", texts("role.page-limit"), form.pageLimit, hint: texts("role.page-limit.hint"), wrong: wrong("page-limit", "role.wrong-number")))
            \(Field.select("mirror", texts("role.mirror"), form.mirror, options: [(value: "false", label: texts("no")), (value: "true", label: texts("yes"))], hint: texts("role.mirror.hint")))
            \(Field.select("cut", texts("role.cut"), form.cut, options: open + options(Ticket.Cut.allCases.map(\.rawValue), "cut")))
            \(Field.select("sides", texts("role.sides"), form.sides, options: open + options(Ticket.Sides.allCases.map(\.rawValue), "sides")))
            \(Field.select("color-mode", texts("role.color"), form.colorMode, options: open + options(Ticket.ColorMode.allCases.map(\.rawValue), "color")))
            \(Field.text("keep-jobs", texts("role.keep-jobs"), form.keepJobs, hint: texts("role.keep-jobs.hint"), wrong: wrong("keep-jobs", "role.wrong-time")))
            \(Field.text("keep-documents", texts("role.keep-documents"), form.keepDocuments, hint: texts("role.keep-documents.hint"), wrong: wrong("keep-documents", "role.wrong-time")))
            """
    }
}

/// `/roles/{name}/remove`: asks before a role is removed.
package struct RemoveRoleScreen: Sendable {
    private let role: RoleName
    private let revision: String

    /// Creates the screen.
    package init(role: RoleName, revision: String) {
        self.role = role
        self.revision = revision
    }

    /// The screen in a language.
    package func screen(_ texts: Texts) -> PageScreen {
        PageScreen(
            title: texts("remove.title", ["name": role.rawValue]),
            content: """
                <div class="card"><p>\(texts("remove.role", ["role": role.rawValue]))</p>
                <p class="soft">\(texts("remove.undo"))</p>
                <form method="post" action="/roles/\(role)/remove" class="row">\(Field.hidden("revision", revision))
                <button class="danger" type="submit">\(Icon.remove.html)\(texts("role.remove"))</button>
                <a class="button" href="/roles/\(role)">\(texts("cancel"))</a></form></div>
                """)
    }
}
