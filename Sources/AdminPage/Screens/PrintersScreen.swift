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
            <p class="soft">\(texts("printers.summary", values))</p>
            <ul class="cards">\(printers.html { card($0, texts) })</ul>
            """
    }

    private func card(_ status: PrinterStatus, _ texts: Texts) -> HTML {
        let printer = status.printer
        let name = printer.name ?? printer.id.rawValue
        let say = texts("printers.say", ["printer": name, "state": status.availability.word(texts)])
        return """
            <li class="card link" id="printer-\(printer.id)" data-say="\(say)">
            <div class="head"><h2><a href="/printers/\(printer.id)"><bdi>\(name)</bdi></a></h2>\
            \(status.availability.badge(texts))</div>
            </li>
            """
    }
}
