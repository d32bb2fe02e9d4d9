package import KioskPrintModel

/// `/printers/{id}`: one printer, how it does, what it can do, and its settings.
package struct PrinterScreen: Sendable {
    /// The printer and its state.
    package var status: PrinterStatus
    /// The settings' revision, which the form sends back.
    package var revision: String
    /// The names and descriptions of the profiles that it may be given.
    package var profiles: [(name: String, description: String)]
    /// What the form shows.
    package var form: PrinterForm
    /// What is wrong with what was entered.
    package var mistakes: PrinterForm.Mistakes
    /// The settings as somebody else has saved them meanwhile.
    package var changedTo: SavedPrinter?

    /// Creates the screen. `form`: what was entered, where that was not saved.
    package init(
        status: PrinterStatus, revision: String, profiles: [(name: String, description: String)],
        form: PrinterForm? = nil, mistakes: PrinterForm.Mistakes = .init(), changedTo: SavedPrinter? = nil
    ) {
        self.status = status
        self.revision = revision
        self.profiles = profiles
        self.form = form ?? PrinterForm(status.printer)
        self.mistakes = mistakes
        self.changedTo = changedTo
    }

    private var printer: SavedPrinter { status.printer }

    /// The screen in a language.
    package func screen(_ texts: Texts) -> PageScreen {
        PageScreen(
            title: printer.name ?? printer.id.rawValue,
            actions: "<a class=\"button\" href=\"/\">\(texts("printer.all"))</a>",
            content: """
                <div class="two"><div class="stack">\(stateCard(texts))\(settingsCard(texts))</div>
                <div class="stack">\(factsCard(texts))\(quirksCard(texts))\(removeCard(texts))</div></div>
                """,
            events: ["printer", "registry", "job-c"])
    }

    private func stateCard(_ texts: Texts) -> HTML {
        let name = printer.name ?? printer.id.rawValue
        let say = texts("printers.say", ["printer": name, "state": status.availability.word(texts)])
        return """
            <section class="card" id="state" data-live data-say="\(say)" aria-labelledby="state-title">
            <div class="head"><h2 id="state-title">\(texts("printer.state"))</h2>\(status.availability.badge(texts))</div>
            \(status.availability.reasonList(texts))
            \(PrinterFacts.line(status, texts))
            <div class="row foot">
            <form method="post" action="/printers/\(printer.id)/contact" data-quick>\
            <button type="submit" id="contact">\(Icon.refresh.html)\(texts("printers.contact"))</button></form>
            <form method="post" action="/printers/\(printer.id)/identify" data-quick>\
            <button type="submit" id="identify">\(Icon.light.html)\(texts("printer.identify"))</button></form>
            <form method="post" action="/printers/\(printer.id)/test" data-quick>\
            <button type="submit" id="test">\(Icon.receipt.html)\(texts("printer.test"))</button></form>
            <a class="button" href="/jobs?printer=\(printer.id)">\(Icon.queue.html)\(texts("printers.jobs", count: status.jobCount))</a>
            </div></section>
            """
    }

    private func settingsCard(_ texts: Texts) -> HTML {
        let wrong = mistakes.messages
        let entered = form
        func now(_ value: (PrinterForm) -> String?) -> String? {
            guard let changedTo = changedTo.map(PrinterForm.init), value(changedTo) != value(entered) else {
                return nil
            }
            return texts("printer.now", ["value": value(changedTo)?.nonempty ?? texts("printer.none")])
        }
        let profileOptions =
            [(value: "", label: texts("printer.profile.auto"))]
            + profiles.map { (value: $0.name, label: "\($0.name) – \($0.description)") }
        let known = profileOptions.contains { $0.value == form.profile }
        let options = known ? profileOptions : profileOptions + [(value: form.profile, label: form.profile)]
        return """
            <section class="card" aria-labelledby="settings-title">
            <h2 id="settings-title">\(texts("printer.settings"))</h2>
            <form method="post" action="/printers/\(printer.id)" class="fields pair">
            \(Field.hidden("revision", revision))
            \(Field.text("name", texts("printer.name"), form.name, hint: now { $0.name }))
            \(Field.text("location", texts("printer.location"), form.location, hint: now { $0.location }))
            \(Field.text("url", texts("printer.url"), form.url, hint: now { $0.url } ?? texts("printer.url.hint"), wrong: wrong["url"], required: true, isWide: true, code: true))
            \(Field.select("profile", texts("printer.profile"), form.profile, options: options, hint: now { $0.profile } ?? texts("printer.profile.hint")))
            \(Field.text("credentials", texts("printer.credentials"), form.credentials, hint: now { $0.credentials } ?? texts("printer.credentials.hint"), code: true))
            <fieldset class="wide"><legend>\(texts("printer.job-types"))</legend><div class="ticks">
            \(JobTypes.keywords.html { Field.tick("job-types", texts.member($0.keyword, of: "job-type") ?? $0.keyword, value: $0.keyword, isOn: form.jobTypes.contains($0.keyword)) })\
            </div><p class="hint soft small">\(now { $0.jobTypes.joined(separator: ", ") } ?? texts("printer.job-types.hint"))</p></fieldset>
            \(Field.text("trust", texts("printer.trust"), form.trust, hint: now { $0.trust } ?? texts("printer.trust.hint"), wrong: wrong["trust"], isWide: true, code: true))
            <div class="wide">\(Field.tick("login-without-tls", texts("printer.plain-login"), isOn: form.allowsPlainLogin))</div>
            <div class="row wide"><button class="main" type="submit">\(texts("save"))</button></div>
            </form></section>
            """
    }

    private func factsCard(_ texts: Texts) -> HTML {
        """
        <section class="card" id="facts" data-live aria-labelledby="facts-title">
        <h2 id="facts-title">\(texts("printer.facts"))</h2>
        \(PrinterFacts.list(status, texts))
        </section>
        """
    }

    private func quirksCard(_ texts: Texts) -> HTML {
        guard !status.quirks.isEmpty else { return .empty }
        return """
            <section class="card"><h2>\(texts("printer.quirks"))</h2>
            <ul class="list">\(status.quirks.html { "<li><strong class=\"code\">\($0.name.rawValue): \($0.value)</strong><br><span>\($0.why)</span><br><span class=\"soft small\">\($0.source)</span></li>" })</ul>
            </section>
            """
    }

    private func removeCard(_ texts: Texts) -> HTML {
        "<p><a class=\"button\" href=\"/printers/\(printer.id)/remove\">\(Icon.remove.html)\(texts("printer.remove"))</a></p>"
    }
}

/// `/printers/{id}/remove`: asks before a printer is removed.
package struct RemovePrinterScreen: Sendable {
    private let printer: SavedPrinter
    private let roles: [RoleName]
    private let revision: String

    /// Creates the screen.
    package init(printer: SavedPrinter, roles: [RoleName], revision: String) {
        self.printer = printer
        self.roles = roles
        self.revision = revision
    }

    /// The screen in a language.
    package func screen(_ texts: Texts) -> PageScreen {
        let name = printer.name ?? printer.id.rawValue
        let names = roles.map(\.rawValue).joined(separator: ", ")
        return PageScreen(
            title: texts("remove.title", ["name": name]),
            content: """
                <div class="card"><p>\(roles.isEmpty ? texts("remove.printer") : texts("remove.printer.roles", ["roles": names]))</p>
                <p class="soft">\(texts("remove.undo"))</p>
                <form method="post" action="/printers/\(printer.id)/remove" class="row">\(Field.hidden("revision", revision))
                <button class="danger" type="submit">\(Icon.remove.html)\(texts("printer.remove"))</button>
                <a class="button" href="/printers/\(printer.id)">\(texts("cancel"))</a></form></div>
                """)
    }
}
