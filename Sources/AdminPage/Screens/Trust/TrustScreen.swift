package import KioskPrintModel

/// What a printer shows of its identity, for people who compare it.
enum TrustMarkup {
    /// The fields to compare.
    static func facts(_ identity: ShownIdentity, _ texts: Texts) -> HTML {
        var rows: [(String, HTML)] = []
        switch identity {
        case .certificate(let certificate):
            rows = [
                (texts("trust.subject"), "<bdi>\(certificate.subject)</bdi>"),
                (texts("trust.issuer"), "<bdi>\(certificate.issuer)</bdi>"),
                (texts("trust.until"), certificate.notAfter.html()),
                (texts("trust.certificate"), "<code>\(certificate.fingerprint.description)</code>"),
                (texts("trust.key"), "<code>\(certificate.keyFingerprint.description)</code>"),
            ]
        case .hostKey(let key):
            rows = [
                (texts("trust.algorithm"), "<code>\(key.algorithm)</code>"),
                (texts("trust.key"), "<code>\(key.fingerprint.openSSH)</code>"),
            ]
        case .device(let device):
            rows = [(texts("trust.device"), "<bdi>\(device.description)</bdi>")]
        }
        return "<dl class=\"facts\">\(rows.html { "<dt>\($0.0)</dt><dd>\($0.1)</dd>" })</dl>"
    }

    /// How a printer is trusted, in a word.
    static func word(_ trust: Trust?, _ texts: Texts) -> String {
        switch trust ?? .system {
        case .system: texts("trust.system")
        case .caFile, .knownHosts: texts("trust.file")
        case .pinned(let pins): texts("trust.pinned", count: pins.count)
        case .ask: texts("trust.ask")
        case .none: texts("trust.none")
        }
    }
}

/// `/trust`: how each printer's identity is proven, and which are refused for it.
package struct TrustScreen: Sendable {
    /// The printers.
    package var printers: [PrinterStatus]

    /// Creates the screen.
    package init(printers: [PrinterStatus]) { self.printers = printers }

    /// The screen in a language.
    package func screen(_ texts: Texts) -> PageScreen {
        PageScreen(
            title: texts("trust.title"),
            content: """
                <p class="soft">\(texts("trust.hint"))</p>
                <div id="trust" data-live>\(printers.isEmpty ? empty(texts) : table(texts))</div>
                """, events: ["printer", "registry"])
    }

    private func empty(_ texts: Texts) -> HTML {
        "<div class=\"card empty\"><h2>\(texts("printers.none"))</h2></div>"
    }

    private func table(_ texts: Texts) -> HTML {
        """
        <div class="card table"><table class="stacked"><caption class="unseen">\(texts("trust.title"))</caption>
        <thead><tr><th scope="col">\(texts("jobs.printer"))</th><th scope="col">\(texts("trust.by"))</th>\
        <th scope="col">\(texts("jobs.state"))</th><th scope="col"><span class="unseen">\(texts("jobs.actions"))</span></th></tr></thead>
        <tbody>\(printers.html { row($0, texts) })</tbody></table></div>
        """
    }

    private func row(_ status: PrinterStatus, _ texts: Texts) -> HTML {
        let printer = status.printer
        let pins: [Fingerprint] = if case .pinned(let pins)? = printer.trust { pins } else { [] }
        return """
            <tr id="trust-\(printer.id)"><th scope="row"><bdi>\(printer.name ?? printer.id.rawValue)</bdi><p class="small soft"><code>\(printer.url.description)</code></p></th>
            <td data-label="\(texts("trust.by"))">\(TrustMarkup.word(printer.trust, texts))\(pins.html { "<p class=\"small\"><code>\($0.description)</code></p>" })</td>
            <td data-label="\(texts("jobs.state"))">\(Self.badge(status, texts))</td>
            <td class="does"><a class="button" href="/trust/\(printer.id)">\(texts("trust.look"))<span class="unseen"> \(printer.id)</span></a></td></tr>
            """
    }

    /// What is known of the printer's identity: refused, not checked, not contacted, or in order.
    static func badge(_ status: PrinterStatus, _ texts: Texts) -> HTML {
        let isRefused = status.availability.reasons.contains { reason in
            ["certificate-", "host-key-", "identity-", "tls-"].contains { reason.keyword.hasPrefix($0) }
        }
        if isRefused { return "<span class=\"badge bad\">\(Icon.stopped.html)\(texts("trust.refused"))</span>" }
        if status.printer.trust == Trust.none {
            return "<span class=\"badge warn\">\(Icon.attention.html)\(texts("trust.unchecked"))</span>"
        }
        switch status.availability.state {
        case .unknown, .unreachable:
            return "<span class=\"badge none\">\(Icon.unknown.html)\(status.availability.word(texts))</span>"
        case .ready, .busy, .attention, .stopped:
            return "<span class=\"badge good\">\(Icon.check.html)\(texts("trust.ok"))</span>"
        }
    }
}

/// `/trust/{id}`: what one printer shows now, and accepting it.
package struct PrinterTrustScreen: Sendable {
    /// The printer.
    package var printer: SavedPrinter
    /// What it shows; nil where it could not be asked.
    package var shown: PrinterTrust?
    /// Why it could not be asked.
    package var problem: String?

    /// Creates the screen.
    package init(printer: SavedPrinter, shown: PrinterTrust?, problem: String? = nil) {
        self.printer = printer
        self.shown = shown
        self.problem = problem
    }

    /// The screen in a language.
    package func screen(_ texts: Texts) -> PageScreen {
        PageScreen(
            title: texts("trust.of", ["printer": printer.name ?? printer.id.rawValue]),
            actions: "<a class=\"button\" href=\"/trust\">\(Icon.trust.html)\(texts("trust.all"))</a>",
            content: """
                <section class="card"><h2>\(texts("trust.shown"))</h2>
                <p class="soft"><code>\(printer.url.description)</code> · \(TrustMarkup.word(printer.trust, texts))</p>
                \(problem.map { "<div class=\"reason bad\">\($0)</div>" } as HTML?)
                \(shown.map { body($0, texts) })
                </section>
                """)
    }

    private func body(_ shown: PrinterTrust, _ texts: Texts) -> HTML {
        guard let identity = shown.identity else { return "<p>\(texts("trust.nothing"))</p>" }
        let key = identity.keyFingerprint.description
        return """
            \(shown.isTrusted
                ? "<p><span class=\"badge good\">\(Icon.check.html)\(texts("trust.yes"))</span></p>"
                : "<p><span class=\"badge bad\">\(Icon.stopped.html)\(texts("trust.no"))</span></p>" as HTML)
            \(TrustMarkup.facts(identity, texts))
            \(shown.problem.map { "<p class=\"reason bad\">\($0)</p>" } as HTML?)
            \(isPinned(key) ? .empty : accept(key, texts))
            """
    }

    private func isPinned(_ key: String) -> Bool {
        guard case .pinned(let pins)? = printer.trust else { return false }
        return pins.map(\.description) == [key]
    }

    private func accept(_ key: String, _ texts: Texts) -> HTML {
        """
        <form method="post" action="/trust/\(printer.id)" class="foot">\(FormMarkup.hidden("key", key))
        <label class="tick"><input type="checkbox" name="compared" value="yes" required><span>\(texts("add.trust.accept"))</span></label>
        <button class="main" type="submit">\(Icon.trust.html)\(texts("trust.accept"))</button></form>
        """
    }
}
