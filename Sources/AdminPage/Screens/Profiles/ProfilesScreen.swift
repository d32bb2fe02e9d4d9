package import KioskPrintModel

/// `/profiles`: the models that are known, for printers that do not describe themselves.
package struct ProfilesScreen: Sendable {
    /// The profiles, by name.
    package var profiles: [PrinterProfile]
    /// The printers that use each: named in the registry.
    package var printers: [PrinterStatus]

    /// Creates the screen.
    package init(profiles: [PrinterProfile], printers: [PrinterStatus]) {
        self.profiles = profiles
        self.printers = printers
    }

    /// The screen in a language.
    package func screen(_ texts: Texts) -> PageScreen {
        PageScreen(
            title: texts("profiles.title"),
            content: """
                <p class="soft">\(texts("profiles.hint"))</p>
                <ul class="cards">\(profiles.html { card($0, texts) })</ul>
                """)
    }

    private func card(_ profile: PrinterProfile, _ texts: Texts) -> HTML {
        let users = printers.filter { $0.printer.profile == profile.name }
        return """
            <li class="card link"><h2><a href="\(ProfileScreen.path(of: profile.name))">\(profile.name)</a></h2>
            <p class="soft">\(profile.description)</p>
            \(ProfileScreen.tags(profile, texts))
            \(users.isEmpty ? .empty : HTML("<p class=\"small\">\(texts("profiles.used")): \(users.map { $0.printer.name ?? $0.printer.id.rawValue }.joined(separator: ", "))</p>"))
            </li>
            """
    }
}

/// `/profiles/{name}`: one profile.
package struct ProfileScreen: Sendable {
    /// The profile, with what it inherits.
    package var profile: PrinterProfile

    /// Creates the screen.
    package init(profile: PrinterProfile) { self.profile = profile }

    /// The path of a profile's screen.
    static func path(of name: String) -> String {
        "/profiles/\(PercentEncoding.encode(name, keeping: PercentEncoding.isUnreserved))"
    }

    /// What it is for, in short words.
    static func tags(_ profile: PrinterProfile, _ texts: Texts) -> HTML {
        var words = (profile.jobTypes ?? []).keywords.map { texts.member($0, of: "job-type") ?? $0 }
        if let printing = profile.printing {
            words.append(word(printing.language, texts))
            if let width = printing.paperWidth { words.append("\(width) mm") }
        }
        guard !words.isEmpty else { return .empty }
        return "<p>\(words.html { "<span class=\"tag\">\($0)</span> " })</p>"
    }

    private static func word(_ language: PrintingSettings.Language, _ texts: Texts) -> String {
        texts.member(language.rawValue, of: "language") ?? language.rawValue
    }

    /// The screen in a language.
    package func screen(_ texts: Texts) -> PageScreen {
        PageScreen(
            title: profile.name,
            actions: "<a class=\"button\" href=\"/profiles\">\(Icon.profile.html)\(texts("profiles.all"))</a>",
            content: """
                <div class="stack"><section class="card"><p>\(profile.description)</p>\(Self.tags(profile, texts))
                \(profile.match.isEmpty ? .empty : HTML("<h2>\(texts("profiles.models"))</h2><ul>\(profile.match.html { "<li><code>\($0.description)</code></li>" })</ul>"))
                \(profile.inherits.map { "<p>\(texts("profiles.inherits")) <a href=\"\(Self.path(of: $0))\">\($0)</a></p>" } as HTML?)
                </section>
                \(profile.printing.map { printing($0, texts) })
                \(profile.quirks.isEmpty ? .empty : quirks(texts))</div>
                """)
    }

    private func printing(_ settings: PrintingSettings, _ texts: Texts) -> HTML {
        let columns = settings.fontA.width > 0 ? settings.dots / settings.fontA.width : 0
        let rows: [(String, String)] = [
            (texts("profiles.language"), Self.word(settings.language, texts)),
            (
                texts("profiles.width"),
                texts("profiles.dots", ["dots": "\(settings.dots)", "dpi": "\(settings.dpi)", "columns": "\(columns)"])
            ),
            (
                texts("profiles.cuts"),
                settings.cuts.isEmpty
                    ? "–"
                    : settings.cuts.map { texts.member($0.rawValue, of: "cut") ?? $0.rawValue }.joined(separator: ", ")
            ),
            (texts("profiles.drawers"), "\(settings.drawers)"),
            (texts("profiles.pages"), settings.codePages.keys.map(\.rawValue).sorted().joined(separator: ", ")),
            (texts("profiles.sources"), settings.sources.joined(separator: " · ")),
        ]
        return """
            <section class="card"><h2>\(texts("profiles.printing"))</h2><dl class="facts">\
            \(rows.html { $0.1.isEmpty ? .empty : "<dt>\($0.0)</dt><dd>\($0.1)</dd>" })</dl></section>
            """
    }

    private func quirks(_ texts: Texts) -> HTML {
        """
        <section class="card"><h2>\(texts("profiles.quirks"))</h2><ul class="reasons">\(profile.quirks.html {
            "<li class=\"reason\"><strong>\($0.name.rawValue): \($0.value)</strong>\($0.why) <span class=\"soft small\">\($0.source)</span></li>"
        })</ul></section>
        """
    }
}
