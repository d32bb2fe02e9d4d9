package import KioskPrintModel

/// `/tokens`: the access tokens of programs and tills: list, make, revoke. A secret is shown once.
package struct TokensScreen: Sendable {
    /// A token without its secret.
    package struct Token: Hashable, Sendable {
        /// Its number.
        package var id: UInt32
        /// Its name for people.
        package var name: String
        /// What it lets its holder do.
        package var scopes: [String]
        /// The pages that may use it.
        package var origins: [String]
        /// When it was made.
        package var createdAt: Timestamp
        /// When it ends; nil for never.
        package var expiresAt: Timestamp?
        /// When it was used last.
        package var lastUsedAt: Timestamp?
        /// Who made it.
        package var createdBy: String
        /// Whether its time is over.
        package var isExpired: Bool

        /// Creates a row.
        package init(
            id: UInt32, name: String, scopes: [String], origins: [String], createdAt: Timestamp,
            expiresAt: Timestamp?, lastUsedAt: Timestamp?, createdBy: String, isExpired: Bool
        ) {
            self.id = id
            self.name = name
            self.scopes = scopes
            self.origins = origins
            self.createdAt = createdAt
            self.expiresAt = expiresAt
            self.lastUsedAt = lastUsedAt
            self.createdBy = createdBy
            self.isExpired = isExpired
        }
    }

    /// The tokens, oldest first.
    package var tokens: [Token]
    /// The roles that a token may print to.
    package var roles: [RoleName]
    /// The secret of the token that was just made, with its name.
    package var made: (name: String, secret: String)?
    /// The form as it was sent, where it was refused.
    package var form: FormFields
    /// Why it was refused.
    package var problem: String?

    /// Creates the screen.
    package init(
        tokens: [Token], roles: [RoleName], made: (name: String, secret: String)? = nil,
        form: FormFields = FormFields(), problem: String? = nil
    ) {
        self.tokens = tokens
        self.roles = roles
        self.made = made
        self.form = form
        self.problem = problem
    }

    /// The days after which a new token ends, as offered.
    package static let lifetimes = [30, 365, 0]

    /// The screen in a language.
    package func screen(_ texts: Texts) -> PageScreen {
        PageScreen(
            title: texts("tokens.title"),
            content: """
                <div class="stack">
                \(made.map { secret($0.name, $0.secret, texts) })
                <p class="soft">\(texts("tokens.hint"))</p>
                \(tokens.isEmpty ? HTML("<div class=\"card empty\"><h2>\(texts("tokens.none"))</h2></div>") : table(texts))
                \(making(texts))
                </div>
                """)
    }

    private func secret(_ name: String, _ secret: String, _ texts: Texts) -> HTML {
        """
        <section class="notice done" role="status">\(Icon.token.html)<div><p><strong>\(texts("tokens.made", ["name": name]))</strong></p>
        <p><label for="secret">\(texts("tokens.once"))</label></p>
        <p><input id="secret" class="code" readonly value="\(secret)" autocomplete="off"></p></div></section>
        """
    }

    private func table(_ texts: Texts) -> HTML {
        """
        <div class="card table"><table class="stacked"><caption class="unseen">\(texts("tokens.title"))</caption>
        <thead><tr><th scope="col">\(texts("tokens.name"))</th><th scope="col">\(texts("tokens.scopes"))</th>\
        <th scope="col">\(texts("tokens.ends"))</th><th scope="col">\(texts("tokens.used"))</th>\
        <th scope="col"><span class="unseen">\(texts("jobs.actions"))</span></th></tr></thead>
        <tbody>\(tokens.html { row($0, texts) })</tbody></table></div>
        """
    }

    private func row(_ token: Token, _ texts: Texts) -> HTML {
        let ends = token.expiresAt.map { $0.html() } ?? HTML(escaping: texts("tokens.never"))
        let used = token.lastUsedAt.map { $0.html(ago: true) } ?? HTML(escaping: texts("tokens.unused"))
        return """
            <tr id="token-\(token.id)"><th scope="row"><bdi>\(token.name)</bdi><p class="small soft">\(texts("tokens.by")) <bdi>\(token.createdBy)</bdi></p></th>
            <td data-label="\(texts("tokens.scopes"))">\(token.scopes.html { "<span class=\"tag\">\($0)</span> " })\
            \(token.origins.html { "<p class=\"small\"><code>\($0)</code></p>" })</td>
            <td data-label="\(texts("tokens.ends"))">\(ends)\(token.isExpired ? HTML(" <span class=\"badge bad\">\(Icon.stopped.html)\(texts("tokens.expired"))</span>") : .empty)</td>
            <td data-label="\(texts("tokens.used"))">\(used)</td>
            <td class="does"><details><summary>\(texts("tokens.revoke"))<span class="unseen"> \(token.name)</span></summary>\
            \(FormMarkup.button("/tokens/\(token.id)/revoke", texts("tokens.revoke.do"), icon: .remove, style: "danger", isQuick: false))</details></td></tr>
            """
    }

    private func making(_ texts: Texts) -> HTML {
        let chosen = Set(form.all("scope"))
        let general = ["print", "read", "drawer", "raw", "standby", "admin"]
        func tick(_ scope: String, _ label: HTML) -> HTML {
            FormMarkup.tick("scope", scope, label, isOn: chosen.contains(scope))
        }
        return """
            <section class="card" id="make"><h2>\(texts("tokens.make"))</h2>
            \(problem.map { "<div class=\"reason bad\" role=\"alert\">\($0)</div>" } as HTML?)
            <form method="post" action="/tokens" class="fields">
            \(FormMarkup.text("name", texts("tokens.name"), value: form.text("name"), hint: texts("tokens.name.hint"), isRequired: true))
            <fieldset class="field"><legend>\(texts("tokens.scopes"))</legend>
            <div class="ticks">\(roles.html { role in
                tick("print:\(role.rawValue)", HTML(escaping: texts("tokens.scope.role", ["role": role.rawValue])))
            })\(general.html { scope in
                tick(scope, HTML(escaping: texts.member(scope, of: "tokens.scope") ?? scope))
            })</div></fieldset>
            \(FormMarkup.select(
                "days", texts("tokens.ends"), value: form.text("days") ?? "365",
                Self.lifetimes.map { .init("\($0)", $0 == 0 ? texts("tokens.never") : texts("tokens.days", ["count": "\($0)"])) }))
            <div class="field"><label for="field-origins">\(texts("tokens.origins"))</label>
            <textarea id="field-origins" name="origins" rows="2" aria-describedby="hint-origins" spellcheck="false">\("\n" as HTML)\(form["origins"] ?? "")</textarea>
            <p class="hint" id="hint-origins">\(texts("tokens.origins.hint"))</p></div>
            <div class="row"><button class="main" type="submit">\(Icon.plus.html)\(texts("tokens.make"))</button></div>
            </form></section>
            """
    }
}
