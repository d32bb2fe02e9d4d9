import KioskPrintModel

/// Reads the `printing` section of a profile: language, fonts, paper and features of a printer for receipts or labels.
struct PrintingSettingsReader {
    private var yaml: YAMLReader

    private static let printingKeys = [
        "language", "dots", "dpi", "paper-width", "font-a", "font-b", "line-gap", "code-pages", "initial-code-page",
        "symbologies", "cuts", "tear-feed", "raster", "logo-memory", "drawers", "text-only", "motion-units",
        "multi-byte", "colors", "buzzer", "stored-logos", "upside-down", "label", "source",
    ]
    private static let rasterKeys = ["method", "band", "buffer"]
    private static let labelKeys = ["width", "height", "gap", "darkness", "speed"]

    // The limits of the values.
    private static let dots = 64...4096
    private static let resolutions = 60...1200
    private static let widths = 10...300
    private static let gaps = 0...100
    private static let feeds = 0...2000
    /// One byte of `GS P`.
    private static let units = 1...255

    /// Reads a section. What it leaves open keeps the values of `base`.
    static func read(_ node: YAMLNode, over base: PrintingSettings?, with yaml: inout YAMLReader) -> PrintingSettings? {
        var reader = Self(yaml: yaml)
        defer { yaml = reader.yaml }
        return reader.settings(node, over: base)
    }

    private mutating func settings(_ node: YAMLNode, over base: PrintingSettings?) -> PrintingSettings? {
        guard let values = yaml.mapping(node, of: "printing", keys: Self.printingKeys, path: "") else {
            return nil
        }
        let language =
            values["language"].flatMap { yaml.keyword($0, "the language", as: PrintingSettings.Language.self) }
            ?? base?.language
        let dots = values["dots"].flatMap { number($0, "dots", in: Self.dots, "dots across the paper") } ?? base?.dots
        for (key, isThere) in [("language", language != nil), ("dots", dots != nil)]
        where !isThere && values[key] == nil {
            yaml.report("printing lacks its \(key)", at: node.position, instead: "\(key): …")
        }
        let sources = self.sources(values["source"], at: node)
        guard let language, let dots else { return nil }
        var settings = base ?? PrintingSettings(language: language, dots: dots)
        if settings.language != language {
            settings.raster.method = language.rasterMethods.first
            settings.storedLogos = nil
        }
        (settings.language, settings.dots) = (language, dots)
        settings.sources = sources + settings.sources.filter { !sources.contains($0) }
        readPaper(values, into: &settings)
        readCharacters(values, into: &settings)
        readFeatures(values, into: &settings)
        return settings
    }

    private mutating func readPaper(_ values: [String: YAMLNode], into settings: inout PrintingSettings) {
        if let node = values["dpi"] {
            settings.dpi = number(node, "dpi", in: Self.resolutions, "dots per inch") ?? settings.dpi
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
                ? nil : number(node, "motion-units", in: Self.units, "per inch") ?? settings.motionUnits
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
            let page = yaml.keyword(node, "the initial code page", as: CodePage.self)
        {
            settings.initialCodePage = page
        }
        guard let page = settings.initialCodePage, settings.codePages[page] == nil else { return }
        // A list without the parent's initial code page drops it.
        if let node = values["initial-code-page"] {
            yaml.report(
                "the initial code page is none of the code-pages\(yaml.quoted(node))", at: node.position,
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
            settings.logoMemory = yaml.flag(node, "logo-memory") ?? settings.logoMemory
        }
        if let node = values["text-only"] { settings.textOnly = yaml.flag(node, "text-only") ?? settings.textOnly }
        if let node = values["multi-byte"] { settings.multiByte = yaml.flag(node, "multi-byte") ?? settings.multiByte }
        if let node = values["colors"] { settings.colors = keywords(node, "colors", example: "black, red") }
        if let node = values["buzzer"] { settings.buzzer = yaml.flag(node, "buzzer") ?? settings.buzzer }
        if let node = values["upside-down"] {
            settings.upsideDown = yaml.flag(node, "upside-down") ?? settings.upsideDown
        }
        if let node = values["stored-logos"] { readLogos(node, into: &settings) }
        if let node = values["drawers"] {
            settings.drawers = number(node, "drawers", in: 0...2, "drawers") ?? settings.drawers
        }
        if let node = values["raster"] { readRaster(node, into: &settings) }
    }

    /// The command of stored logos, or `none`.
    private mutating func readLogos(_ node: YAMLNode, into settings: inout PrintingSettings) {
        if node.text == "none" {
            settings.storedLogos = nil
            return
        }
        guard let command = yaml.keyword(node, "the command of stored-logos", as: PrintingSettings.LogoCommand.self)
        else { return }
        let commands = settings.language.logoCommands
        guard commands.contains(command) else {
            yaml.report(
                "the language \(settings.language.rawValue) does not print stored logos this way\(yaml.quoted(node))",
                at: node.position,
                instead: commands.isEmpty
                    ? "none: it has no such command" : commands.map(\.rawValue).joined(separator: " or "))
            return
        }
        settings.storedLogos = command
    }

    /// A whole number in a range.
    private mutating func number(_ node: YAMLNode, _ what: String, in range: ClosedRange<Int>, _ unit: String) -> Int? {
        guard let number = yaml.integer(node, what) else { return nil }
        guard range.contains(number) else {
            yaml.report(
                "\(what) is out of range\(yaml.quoted(node))", at: node.position,
                instead: "\(unit), from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number
    }

    /// Keywords of an enumeration, each at most once; returned in the order of the cases.
    private mutating func keywords<Value: RawRepresentable<String> & CaseIterable & Hashable>(
        _ node: YAMLNode, _ what: String, example: String
    ) -> [Value] {
        var found: Set<Value> = []
        for item in yaml.items(node, what, example: example) ?? [] {
            guard let value: Value = yaml.keyword(item, "one of the \(what)") else { continue }
            if !found.insert(value).inserted {
                yaml.report("\(value.rawValue) appears twice", at: item.position, instead: "it once")
            }
        }
        return Value.allCases.filter(found.contains)
    }

    private mutating func font(_ node: YAMLNode, _ what: String) -> PrintingSettings.Font? {
        if let font = node.text.flatMap({ PrintingSettings.Font($0) }) { return font }
        let sides = PrintingSettings.Font.sides
        yaml.report(
            "\(what) is not a character cell\(yaml.quoted(node))", at: node.position,
            instead: "its width and height in dots, each from \(sides.lowerBound) to \(sides.upperBound), such as 12x24"
        )
        return nil
    }

    /// Code pages with their numbers: `{ cp437: 0, cp858: 19 }`; no two have the same number.
    private mutating func codePages(_ node: YAMLNode) -> [CodePage: UInt8]? {
        let names = CodePage.allCases.map(\.rawValue)
        guard let pairs = node.pairs else {
            yaml.report(
                "code-pages must be a mapping, and is \(node.kind)", at: node.position,
                instead: "{ cp437: 0, cp858: 19 }")
            return nil
        }
        var pages: [CodePage: UInt8] = [:]
        for pair in pairs {
            let name = pair.key.text ?? ""
            guard let page = CodePage(rawValue: name) else {
                yaml.report(
                    "there is no code page \"\(name)\"", at: pair.key.position,
                    instead: Suggestion.instead(of: name, among: names, otherwise: "one of those in docs/profiles.md"))
                continue
            }
            guard let number = number(pair.value, name, in: 0...255, "the page's number"),
                let byte = UInt8(exactly: number)
            else { continue }
            if let other = pages.first(where: { $0.value == byte }) {
                yaml.report(
                    "the number \(byte) belongs to \(other.key.rawValue)", at: pair.value.position,
                    instead: "a number for each page")
            }
            pages[page] = byte
        }
        return pages
    }

    private mutating func readRaster(_ node: YAMLNode, into settings: inout PrintingSettings) {
        guard let values = yaml.mapping(node, of: "the raster", keys: Self.rasterKeys, path: "") else { return }
        let methods = settings.language.rasterMethods
        if let node = values["method"],
            let method = yaml.keyword(node, "the raster's method", as: PrintingSettings.Raster.Method.self)
        {
            if methods.contains(method) {
                settings.raster.method = method
            } else {
                yaml.report(
                    "the language \(settings.language.rawValue) does not print pictures this way\(yaml.quoted(node))",
                    at: node.position,
                    instead: methods.isEmpty
                        ? "no method: it has only one" : methods.map(\.rawValue).joined(separator: " or "))
            }
        }
        if let node = values["band"] {
            settings.raster.band = number(node, "band", in: 8...65_535, "rows of dots") ?? settings.raster.band
        }
        if let node = values["buffer"] {
            settings.raster.buffer = number(node, "buffer", in: 32...16_777_216, "bytes") ?? settings.raster.buffer
        }
    }

    private mutating func label(_ node: YAMLNode, over base: PrintingSettings.Label?) -> PrintingSettings.Label? {
        guard let values = yaml.mapping(node, of: "the label", keys: Self.labelKeys, path: "") else { return nil }
        func value(_ key: String, _ range: ClosedRange<Int>, _ unit: String) -> Int? {
            values[key].flatMap { number($0, "the label's \(key)", in: range, unit) }
        }
        let (width, height) = (
            value("width", 5...300, "millimetres") ?? base?.width,
            value("height", 5...1000, "millimetres") ?? base?.height
        )
        guard let width, let height else {
            for (key, size) in [("width", width), ("height", height)] where size == nil && values[key] == nil {
                yaml.report("the label lacks its \(key)", at: node.position, instead: "\(key): millimetres")
            }
            return nil
        }
        return PrintingSettings.Label(
            width: width, height: height, gap: value("gap", 0...50, "millimetres") ?? base?.gap ?? 3,
            darkness: value("darkness", 0...30, "in the scale of the printer's language") ?? base?.darkness,
            speed: value("speed", 1...14, "inches per second") ?? base?.speed)
    }

    /// One source or several; a profile has to state at least one.
    private mutating func sources(_ node: YAMLNode?, at section: YAMLNode) -> [String] {
        let example = "the URL or the title of the manual"
        guard let node else {
            yaml.report("printing lacks its source", at: section.position, instead: "source: \(example)")
            return []
        }
        return (node.items ?? [node]).compactMap { item in
            guard let source = yaml.oneLine(item, "the source", instead: example) else { return nil }
            if source.isEmpty { yaml.report("the source is empty", at: item.position, instead: example) }
            return source
        }
    }
}
