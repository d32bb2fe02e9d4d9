package import KioskPrintModel

/// `/`: the saved printers, and how each does now.
package struct PrintersScreen: Sendable {
    /// The printers, in the registry's order.
    package var printers: [PrinterStatus]

    /// Creates the screen.
    package init(printers: [PrinterStatus]) { self.printers = printers }

    /// The screen in a language.
    package func screen(_ texts: Texts) -> PageScreen {
        PageScreen(
            title: texts("printers.title"),
            actions:
                "<a class=\"button main\" href=\"/printers/new\">\(Icon.plus.html)\(texts("printers.add"))</a>",
            content: "<div id=\"printers\" data-live>\(printers.isEmpty ? empty(texts) : list(texts))</div>",
            events: ["printer", "registry", "job-c"])
    }

    private func empty(_ texts: Texts) -> HTML {
        """
        <div class="card empty"><h2>\(texts("printers.none"))</h2><p>\(texts("printers.none.hint"))</p>
        <p><a class="button main" href="/printers/new">\(Icon.plus.html)\(texts("printers.add"))</a></p></div>
        """
    }

    private func list(_ texts: Texts) -> HTML {
        let values = ["available": "\(printers.count { $0.availability.isAvailable })", "saved": "\(printers.count)"]
        return """
            <p class="soft lead">\(texts("printers.summary", values))</p>
            <ul class="cards">\(printers.html { card($0, texts) })</ul>
            """
    }

    private func card(_ status: PrinterStatus, _ texts: Texts) -> HTML {
        let printer = status.printer
        let name = printer.name ?? printer.id.rawValue
        let say = texts("printers.say", ["printer": name, "state": status.availability.word(texts)])
        let place = printer.location ?? status.description?.location
        return """
            <li class="card link" id="printer-\(printer.id)" data-say="\(say)">
            <div class="head"><div><h2><a href="/printers/\(printer.id)"><bdi>\(name)</bdi></a></h2>
            \(subtitle([status.description?.makeAndModel, place?.nonempty]))</div>\(status.availability.badge(texts))</div>
            \(status.availability.reasonList(texts))
            \(tags(status, texts))
            \(PrinterFacts.line(status, texts))\(status.availability.isAvailable ? .empty : contact(printer.id, name, texts))
            </li>

            """
    }

    private func subtitle(_ parts: [String?]) -> HTML? {
        let known = parts.compactMap(\.self)
        guard !known.isEmpty else { return nil }
        let separated = known.enumerated().html { index, text in "\(index > 0 ? " · " : "")<bdi>\(text)</bdi>" }
        return "<p class=\"soft small\">\(separated)</p>"
    }

    private func tags(_ status: PrinterStatus, _ texts: Texts) -> HTML {
        guard !status.roles.isEmpty || status.jobCount > 0 else { return .empty }
        return "<div class=\"row small above\">\(PrinterFacts.roles(status.roles))\(jobs(status, texts))</div>"
    }

    private func jobs(_ status: PrinterStatus, _ texts: Texts) -> HTML {
        guard status.jobCount > 0 else { return .empty }
        return
            "<a class=\"tag\" href=\"/jobs?printer=\(status.printer.id)\">\(Icon.queue.html)\(texts("printers.jobs", count: status.jobCount))</a>"
    }

    /// A button that asks a printer again at once, for whoever has just switched it on.
    private func contact(_ id: PrinterID, _ name: String, _ texts: Texts) -> HTML {
        """
        <form method="post" action="/printers/\(id)/contact" data-quick>\(Field.hidden("back", "/"))\
        <button type="submit" id="contact-\(id)" aria-label="\(texts("printers.contact.one", ["printer": name]))">\
        \(Icon.refresh.html)\(texts("printers.contact"))</button></form>
        """
    }
}
