package import KioskPrintModel

/// `/changes`: the versions of the registry, newest first, each with what it changed; any of them can be restored.
package struct ChangesScreen: Sendable {
    /// A version of the registry's file.
    package struct Version: Sendable {
        /// Its number: the highest is the newest.
        package var number: Int
        /// When it came into force.
        package var savedAt: Timestamp
        /// The file as it was.
        package var text: String
        /// Who saved it, and from where; nil where that is not known.
        package var actor: String?

        /// Creates a version.
        package init(number: Int, savedAt: Timestamp, text: String, actor: String? = nil) {
            self.number = number
            self.savedAt = savedAt
            self.text = text
            self.actor = actor
        }
    }

    private let versions: [Version]
    private let problem: String?

    /// Creates the screen. `versions`: newest first. `problem`: why the file is not in force as it is.
    package init(versions: [Version], problem: String? = nil) {
        self.versions = versions
        self.problem = problem
    }

    /// The screen in a language.
    package func screen(_ texts: Texts) -> PageScreen {
        PageScreen(
            title: texts("changes.title"),
            content: """
                <p class="soft">\(texts("changes.about"))</p>
                <div id="changes" class="stack" data-live>\(problem.map { "<div class=\"notice problem\">\(Icon.stopped.html)<div><p><strong>\(texts("changes.refused"))</strong></p><p class=\"detail\"><bdi>\($0)</bdi></p></div></div>" })\
                \(versions.isEmpty ? "<div class=\"card empty\"><p>\(texts("changes.none"))</p></div>" : list(texts))</div>
                """,
            events: ["registry"])
    }

    private func list(_ texts: Texts) -> HTML {
        let newest = versions.first?.number ?? 0
        return zip(versions, versions.dropFirst().map { $0 as Version? } + [nil]).html { version, previous in
            let diff = previous.map { LineDiff(from: $0.text, to: version.text) }
            return """
                <section class="card" id="version-\(version.number)"><div class="head"><div>
                <h2>\(texts("changes.version", ["number": "\(version.number)"]))</h2>
                <p class="soft">\(version.savedAt.html())\(version.actor.map { " · <bdi>\($0)</bdi>" })</p></div>
                \(version.number == newest ? "<span class=\"badge good\">\(Icon.ready.html)\(texts("changes.in-force"))</span>" : restore(version, newest, texts))</div>
                \(diff.map { markup($0, texts) } ?? "<p class=\"soft\">\(texts("changes.oldest"))</p>")</section>

                """
        }
    }

    private func restore(_ version: Version, _ newest: Int, _ texts: Texts) -> HTML {
        "<a class=\"button\" href=\"/changes/\(version.number)\">\(Icon.change.html)\(texts("changes.restore"))</a>"
    }

    private func markup(_ diff: LineDiff, _ texts: Texts) -> HTML {
        let values = ["added": "\(diff.added)", "removed": "\(diff.removed)"]
        return """
            <details\(flag: "open", diff.added + diff.removed <= 12)><summary>\(texts("changes.summary", values))</summary>\
            \(diff.html(texts))</details>
            """
    }
}

/// `/changes/{number}`: what restoring a version would change, and the button that does it.
package struct RestoreScreen: Sendable {
    private let version: ChangesScreen.Version
    private let newest: ChangesScreen.Version

    /// Creates the screen. `newest`: the version in force.
    package init(version: ChangesScreen.Version, newest: ChangesScreen.Version) {
        self.version = version
        self.newest = newest
    }

    /// The screen in a language.
    package func screen(_ texts: Texts) -> PageScreen {
        let diff = LineDiff(from: newest.text, to: version.text)
        return PageScreen(
            title: texts("restore.title", ["number": "\(version.number)"]),
            content: """
                <div class="card"><p>\(texts.html("restore.about", ["time": version.savedAt.html()]))</p>
                \(diff.html(texts))
                <form method="post" action="/changes/\(version.number)/restore" class="row">\(Field.hidden("newest", "\(newest.number)"))
                <button class="main" type="submit">\(Icon.change.html)\(texts("changes.restore"))</button>
                <a class="button" href="/changes">\(texts("cancel"))</a></form></div>
                """)
    }
}

extension LineDiff {
    /// The lines with a sign and a colour for what was added and removed; a screen reader is told by words.
    package func html(_ texts: Texts) -> HTML {
        guard added + removed > 0 else { return "<p class=\"soft\">\(texts("changes.same"))</p>" }
        return
            "<div class=\"diff\" tabindex=\"0\" role=\"group\" aria-label=\"\(texts("changes.diff"))\">\(lines.html { line($0, texts) })</div>"
    }

    private func line(_ line: Line, _ texts: Texts) -> HTML {
        switch line.kind {
        case .same: "<span>  \(line.text)</span>"
        case .added: "<span class=\"added\"><b class=\"unseen\">\(texts("changes.added")) </b>+ \(line.text)</span>"
        case .removed:
            "<span class=\"removed\"><b class=\"unseen\">\(texts("changes.removed")) </b>- \(line.text)</span>"
        case .skipped: "<span class=\"skipped\">\(line.text)</span>"
        }
    }
}
