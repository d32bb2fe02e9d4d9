package import KioskAPIMessages
package import KioskPrintModel

/// `/printers/new`: adds a printer. Nothing is saved before its last button.
package struct AddPrinterScreen: Sendable {
    /// What the form holds.
    package var draft: Draft
    /// What the probe of the draft found; nil before the first.
    package var report: ProbeReport?
    /// Why the draft cannot be probed or saved: the URL is none, say.
    package var problem: String?
    /// The printers that were found; nil where nothing was looked for.
    package var found: DiscoveredPrinterList?
    /// The printers that are or were saved.
    package var recent: [RecentPrinterList.Entry]
    /// The roles, to assign it to.
    package var roles: [Role]
    /// The names of the profiles.
    package var profiles: [String]

    /// Creates the screen.
    package init(
        draft: Draft = Draft(), report: ProbeReport? = nil, problem: String? = nil,
        found: DiscoveredPrinterList? = nil, recent: [RecentPrinterList.Entry], roles: [Role], profiles: [String]
    ) {
        self.draft = draft
        self.report = report
        self.problem = problem
        self.found = found
        self.recent = recent
        self.roles = roles
        self.profiles = profiles
    }

    /// The screen in a language.
    package func screen(_ texts: Texts) -> PageScreen {
        PageScreen(
            title: texts("add.title"),
            content: """
                <form id="add" class="stack" method="post" action="/printers/new">
                <section class="card"><h2>\(texts("add.where"))</h2>
                \(FormMarkup.text(
                    "url", texts("add.url"), value: draft.url, hint: texts("add.url.hint"), isRequired: true))
                <div class="row"><button type="submit" name="do" value="probe" id="look">\(Icon.refresh.html)\(texts("add.look"))</button>
                <span id="probing" class="soft" role="status" data-busy="\(texts("add.looking"))"></span></div>
                </section>
                <div id="probe" class="stack" aria-live="polite">
                \(problem.map { "<div class=\"notice problem\" role=\"alert\">\(Icon.stopped.html)<div><p>\($0)</p></div></div>" } as HTML?)
                \(report.map { findings($0, texts) + saving($0, texts) })
                </div>
                </form>
                \(report == nil ? choices(texts) : .empty)
                """, scripts: [PageAssets.adding])
    }

    // MARK: What the probe found

    private func findings(_ report: ProbeReport, _ texts: Texts) -> HTML {
        """
        <section class="card"><h2>\(texts(report.isUsable ? "add.found" : "add.notYet"))</h2>
        <ol class="checks">\(report.steps.html { step($0, texts) })</ol>
        \(identity(report, texts))
        \(report.suggestedURL.map { url in
            """
            <p><button type="submit" name="take" value="\(url.description)">\(texts("add.takeURL", ["url": url.description]))</button></p>
            """
        } as HTML?)
        \(report.needs.contains(.login) ? login(texts) : .empty)
        </section>
        """
    }

    private func step(_ step: ProbeReport.Step, _ texts: Texts) -> HTML {
        let (tone, icon): (HTML, Icon) =
            switch step.outcome {
            case .passed: ("good", .ready)
            case .warning: ("warn", .attention)
            case .failed: ("bad", .stopped)
            }
        return """
            <li class="\(tone)">\(icon.html)<div><strong>\(texts.member(step.step.rawValue, of: "add.step") ?? step.step.rawValue)</strong> \
            <span class="unseen">\(texts.member(step.outcome.rawValue, of: "add.outcome") ?? "")</span>
            <p>\(Self.sentence(step.message))</p>\(step.advice.map { "<p class=\"soft\">\(Self.sentence($0))</p>" } as HTML?)</div></li>
            """
    }

    /// A sentence of the API, which begins with a small letter, as one that stands alone.
    private static func sentence(_ text: String) -> String {
        let word = text.prefix { !$0.isWhitespace }
        guard word.allSatisfy({ $0.isLetter || $0 == "'" || $0 == "," }) else { return text }
        return text.prefix(1).uppercased() + text.dropFirst()
    }

    private func identity(_ report: ProbeReport, _ texts: Texts) -> HTML {
        guard report.needs.contains(.trust), let identity = report.identity else { return .empty }
        let key = identity.keyFingerprint.description
        return """
            <fieldset class="reason warn"><legend class="unseen">\(texts("add.trust"))</legend>
            \(TrustMarkup.facts(identity, texts))
            \(FormMarkup.tick(
                "accept", key, HTML(escaping: texts("add.trust.accept")), isOn: draft.acceptedKey == key))
            <button type="submit" name="do" value="probe">\(texts("add.trust.go"))</button></fieldset>
            """
    }

    private func login(_ texts: Texts) -> HTML {
        """
        <div class="reason warn">\(FormMarkup.text(
            "credentials", texts("add.credentials"), value: draft.credentials, hint: texts("add.credentials.hint")))
        <p><button type="submit" name="do" value="probe">\(texts("add.login.go"))</button></p></div>
        """
    }

    // MARK: How it is saved

    private func saving(_ report: ProbeReport, _ texts: Texts) -> HTML {
        let any = FormMarkup.Option("", texts("add.profile.none"))
        let canSave = !report.needs.contains(.trust) && !report.needs.contains(.url)
        // One step after the other: what cannot be saved yet is not asked for its name.
        guard canSave || draft.id != nil else { return .empty }
        return """
            <section class="card"><h2>\(texts("add.save"))</h2>
            <div class="fields pair">
            \(FormMarkup.text("id", texts("add.id"), value: draft.id ?? report.suggestedID.rawValue, hint: texts("add.id.hint")))
            \(FormMarkup.text("name", texts("add.name"), value: draft.name ?? report.suggestedName))
            \(FormMarkup.text("location", texts("add.location"), value: draft.location ?? report.description?.location))
            \(FormMarkup.select(
                "profile", texts("add.profile"), value: draft.profile ?? report.suggestedProfile,
                [any] + profiles.map { .init($0, $0) }, hint: texts("add.profile.hint")))
            </div>
            \(rolesField(report, texts))
            \(FormMarkup.tick("test", "yes", HTML(escaping: texts("add.test")), isOn: draft.printsTest))
            \(report.needs.contains(.login) || draft.credentials == nil ? .empty : FormMarkup.hidden("credentials", draft.credentials ?? ""))
            \(draft.trust.map { FormMarkup.hidden("trust", $0) })
            <div class="row"><button class="main" type="submit" name="do" value="save"\(flag: "disabled", !canSave)>\(Icon.check.html)\(texts("add.do"))</button>
            <a class="button" href="/">\(texts("add.cancel"))</a></div>
            \(canSave ? .empty : HTML("<p class=\"soft\">\(texts("add.first"))</p>"))
            </section>
            """
    }

    private func rolesField(_ report: ProbeReport, _ texts: Texts) -> HTML {
        guard !roles.isEmpty else { return .empty }
        return """
            <fieldset class="field"><legend>\(texts("add.roles"))</legend><div class="ticks">
            \(roles.html { role in
                let fits = role.jobType.map { wanted in report.jobTypes.map { $0.isSuperset(of: wanted) } ?? true } ?? true
                let label: HTML = "<code>\(role.name)</code>\(fits ? .empty : HTML(" <span class=\"soft small\">\(texts("add.roles.not"))</span>"))"
                return FormMarkup.tick("role", role.name.rawValue, label, isOn: draft.roles.contains(role.name.rawValue))
            })
            </div></fieldset>
            """
    }

    // MARK: What to choose from

    private func choices(_ texts: Texts) -> HTML {
        """
        <section class="card" id="discovery" data-found="\(texts("add.choose"))" data-saved="\(texts("add.saved"))" \
        data-searching="\(texts("add.searching"))" data-none="\(texts("add.discovered.none"))">
        <div class="head"><h2>\(texts("add.discovered"))</h2>
        <form method="get" action="/printers/new"><button type="submit" name="search" value="yes">\(Icon.refresh.html)\(texts("add.search"))</button></form></div>
        <p id="searching" class="soft" role="status">\(found == nil ? texts("add.search.hint") : "")</p>
        <ul id="found" class="list">\((found?.printers ?? []).html { discovered($0, texts) })</ul>
        \(found.map { $0.printers.isEmpty ? HTML("<p class=\"soft\">\(texts("add.discovered.none"))</p>") : .empty })
        <ul id="notes" class="reasons">\((found?.notes ?? []).html { "<li class=\"reason\">\($0)</li>" })</ul>
        </section>
        \(recentList(texts))
        """
    }

    private func discovered(_ printer: DiscoveredPrinter, _ texts: Texts) -> HTML {
        let place = [printer.location, printer.address, printer.port].compactMap(\.self).filter { !$0.isEmpty }
        return choice(
            printer.url, title: printer.makeAndModel, detail: place.joined(separator: " · "), savedAs: printer.savedAs,
            profile: printer.suggestedProfile, texts)
    }

    private func recentList(_ texts: Texts) -> HTML {
        let gone = recent.filter { !$0.isSaved }
        guard !gone.isEmpty else { return .empty }
        return """
            <section class="card"><h2>\(texts("add.recent"))</h2><ul class="list">\(gone.html {
                choice($0.url, title: $0.name ?? $0.id.rawValue, detail: "", savedAs: nil, profile: $0.profile, texts)
            })</ul></section>
            """
    }

    private func choice(
        _ url: PrinterURL, title: String, detail: String, savedAs: PrinterID?, profile: String?, _ texts: Texts
    ) -> HTML {
        """
        <li class="choice"><div><strong><bdi>\(title)</bdi></strong>\(detail.isEmpty ? .empty : HTML(" <span class=\"soft\">\(detail)</span>"))
        <p class="small"><code>\(url.description)</code></p></div>
        \(savedAs.map { "<a class=\"tag\" href=\"/printers/\($0)\">\(texts("add.saved")) \($0)</a>" } as HTML?)
        <form method="post" action="/printers/new">\(FormMarkup.hidden("url", url.description))\
        \(profile.map { FormMarkup.hidden("profile", $0) })\
        <button type="submit" name="do" value="probe">\(texts("add.choose"))<span class="unseen"> \(title)</span></button></form></li>
        """
    }
}

extension AddPrinterScreen {
    /// What the form holds, as it was typed.
    package struct Draft: Hashable, Sendable {
        /// The fields.
        package var url, id, name, location, profile, credentials: String?
        /// How its identity is proven.
        package var trust: String?
        /// The fingerprint that a person has compared.
        package var acceptedKey: String?
        /// The roles that it is for.
        package var roles: [String] = []
        /// Whether a test receipt is printed once it is saved.
        package var printsTest = false

        /// An empty form.
        package init() {}

        /// Reads a form.
        package init(_ fields: FormFields) {
            (url, id, name) = (fields.text("url"), fields.text("id"), fields.text("name"))
            (location, profile) = (fields.text("location"), fields.text("profile"))
            (credentials, acceptedKey) = (fields.text("credentials"), fields.text("accept"))
            trust = acceptedKey ?? fields.text("trust")
            roles = fields.all("role")
            printsTest = fields.isTicked("test")
            // Another URL that the probe proposed.
            if let other = fields.text("take") { url = other }
        }
    }
}
