import PrintModel

extension ProfileReader {
    /// A profile's `printing`: what the printer takes and how its paper is. What it leaves open stays as it was.
    mutating func printingSettings(_ node: YAMLNode, over base: PrintingSettings?) -> PrintingSettings? {
        guard let values = list.mapping(node, of: "printing", keys: Vocabulary.printingKeys, path: "") else {
            return nil
        }
        let language =
            values["language"].flatMap { list.keyword($0, "the language", as: PrintingSettings.Language.self) }
            ?? base?.language
        let dots = values["dots"].flatMap { number($0, "dots", in: Self.dots, "dots across the paper") } ?? base?.dots
        for (key, isThere) in [("language", language != nil), ("dots", dots != nil)]
        where !isThere && values[key] == nil {
            list.add("printing lacks its \(key)", at: node.position, instead: "\(key): …")
        }
        let sources = self.sources(values["source"], at: node)
        guard let language, let dots else { return nil }
        var settings = base ?? PrintingSettings(language: language, dots: dots)
        if settings.language != language { settings.raster.method = language.rasterMethods.first }
        (settings.language, settings.dots) = (language, dots)
        settings.sources = sources + settings.sources.filter { !sources.contains($0) }
        readPaper(values, into: &settings)
        readCharacters(values, into: &settings)
        readFeatures(values, into: &settings)
        return settings
    }

    private mutating func readPaper(_ values: [String: YAMLNode], into settings: inout PrintingSettings) {
        if let node = values["dpi"] {
            settings.dpi = number(node, "dpi", in: Self.resolutions, "dots an inch") ?? settings.dpi
        }
        if let node = values["paper-width"] {
            settings.paperWidth = number(node, "paper-width", in: Self.widths, "millimetres") ?? settings.paperWidth
        }
        if let node = values["line-gap"] {
            settings.lineGap = number(node, "line-gap", in: Self.gaps, "dots") ?? settings.lineGap
        }
        if let node = values["tear-feed"] {
            settings.tearFeed = number(node, "tear-feed", in: Self.feeds, "dots") ?? settings.tearFeed
        }
        if let node = values["motion-units"] {
            settings.motionUnits =
                node.text == "none"
                ? nil : number(node, "motion-units", in: Self.units, "an inch") ?? settings.motionUnits
        }
        if let node = values["font-a"], let font = font(node, "font-a") { settings.fontA = font }
        if let node = values["font-b"] {
            if node.text == "none" {
                settings.fontB = nil
            } else if let font = font(node, "font-b") {
                settings.fontB = font
            }
        }
        if let node = values["label"], let label = label(node, over: settings.label) { settings.label = label }
    }

    private mutating func readCharacters(_ values: [String: YAMLNode], into settings: inout PrintingSettings) {
        if let node = values["code-pages"], let pages = codePages(node) { settings.codePages = pages }
        if let node = values["initial-code-page"],
            let page = list.keyword(node, "the initial code page", as: CodePage.self)
        {
            settings.initialCodePage = page
        }
        guard let page = settings.initialCodePage, settings.codePages[page] == nil else { return }
        // A list that leaves its parent's first page out has another one.
        if let node = values["initial-code-page"] {
            list.add(
                "the initial code page is none of the code-pages\(list.quoted(node))", at: node.position,
                instead: settings.codePages.isEmpty
                    ? "it under code-pages with its number"
                    : Suggestion.instead(
                        of: page.rawValue, among: settings.codePages.keys.map(\.rawValue).sorted(),
                        otherwise: "one of them"))
        } else {
            settings.initialCodePage = nil
        }
    }

    private mutating func readFeatures(_ values: [String: YAMLNode], into settings: inout PrintingSettings) {
        if let node = values["symbologies"] {
            settings.symbologies = keywords(node, "symbologies", example: "code128, qrcode")
        }
        if let node = values["cuts"] { settings.cuts = keywords(node, "cuts", example: "full, partial") }
        if let node = values["logo-memory"] {
            settings.logoMemory = list.flag(node, "logo-memory") ?? settings.logoMemory
        }
        if let node = values["text-only"] { settings.textOnly = list.flag(node, "text-only") ?? settings.textOnly }
        if let node = values["multi-byte"] { settings.multiByte = list.flag(node, "multi-byte") ?? settings.multiByte }
        if let node = values["drawers"] {
            settings.drawers = number(node, "drawers", in: 0...2, "drawers") ?? settings.drawers
        }
        if let node = values["raster"] { readRaster(node, into: &settings) }
    }

    private static let dots = 64...4096
    private static let resolutions = 60...1200
    private static let widths = 10...300
    private static let gaps = 0...100
    private static let feeds = 0...2000
    /// One byte of `GS P`.
    private static let units = 1...255
}
