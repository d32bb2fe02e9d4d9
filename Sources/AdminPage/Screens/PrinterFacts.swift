import KioskPrintModel

/// What is known of a printer, as facts with their names.
enum PrinterFacts {
    /// When it was contacted, and when it is tried again.
    static func line(_ status: PrinterStatus, _ texts: Texts) -> HTML {
        guard let contacted = status.contactedAt else {
            return "<p class=\"soft small\">\(texts("printers.never"))</p>"
        }
        let next = status.nextContactAt.map { time -> HTML in
            " · \(texts.html("printers.next", ["time": time.html(ago: true)]))"
        }
        return
            "<p class=\"soft small\">\(texts.html("printers.contacted", ["time": contacted.html(ago: true)]))\(next)</p>"
    }

    /// All that it said of itself, and what the profile adds.
    static func list(_ status: PrinterStatus, _ texts: Texts) -> HTML {
        let description = status.description
        var facts: [(name: Texts.Key, value: HTML)] = [
            ("fact.id", "<span class=\"code\">\(status.printer.id)</span>"),
            ("fact.url", "<span class=\"code\">\(status.printer.url.description)</span>"),
        ]
        func add(_ name: Texts.Key, _ value: String?) {
            if let value = value?.nonempty { facts.append((name, "<bdi>\(value)</bdi>")) }
        }
        add("fact.model", description?.makeAndModel)
        add("fact.location", status.printer.location ?? description?.location)
        add("fact.job-types", status.jobTypes.map { words($0, texts) })
        add("fact.formats", description.map { $0.formats.prefix(12).map(\.description).joined(separator: ", ") })
        add(
            "fact.paper",
            description.map {
                ($0.mediaReady.isEmpty ? [$0.mediaDefault].compactMap(\.self) : $0.mediaReady).prefix(8).joined(
                    separator: ", ")
            })
        add("fact.color", description?.isColor.map { texts($0 ? "yes" : "no") })
        add("fact.duplex", description.flatMap { $0.sides.isEmpty ? nil : texts($0.isDuplex ? "yes" : "no") })
        add("fact.resolution", description.map { $0.resolutions.prefix(8).map { "\($0) dpi" }.joined(separator: ", ") })
        add("fact.pages-left", description?.pagesLeft.map(String.init))
        if !status.roles.isEmpty { facts.append(("fact.roles", roles(status.roles))) }
        if let supplies = description?.supplies, !supplies.isEmpty {
            facts.append(("fact.supplies", supplies.prefix(16).html { supply($0, texts) }))
        }
        return "<dl class=\"facts\">\(facts.html { "<dt>\(texts($0.name))</dt><dd>\($0.value)</dd>\n" })</dl>"
    }

    /// The roles that name a printer, as links.
    static func roles(_ roles: [RoleName]) -> HTML {
        roles.html { "<a class=\"tag\" href=\"/roles/\($0)\">\(Icon.role.html)\($0)</a> " }
    }

    /// Job types in the reader's language.
    static func words(_ jobTypes: JobTypes, _ texts: Texts) -> String {
        jobTypes.keywords.map { texts.member($0, of: "job-type") ?? $0 }.joined(separator: ", ")
    }

    private static func supply(_ supply: Supply, _ texts: Texts) -> HTML {
        guard let level = supply.level else {
            return "<div><bdi>\(supply.name)</bdi>: <span class=\"soft\">\(texts("fact.supply.unknown"))</span></div>"
        }
        let bounded = min(max(level, 0), 100)
        return """
            <div class="meter"><meter min="0" max="100" value="\(bounded)" aria-label="\(supply.name)"></meter>\
            <span><bdi>\(supply.name)</bdi> \(bounded) %</span></div>
            """
    }
}
