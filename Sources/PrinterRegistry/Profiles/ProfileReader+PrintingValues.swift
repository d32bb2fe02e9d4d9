import PrintModel

/// Values of a profile's `printing`.
extension ProfileReader {
    mutating func number(_ node: YAMLNode, _ what: String, in range: ClosedRange<Int>, _ unit: String) -> Int? {
        guard let number = list.integer(node, what) else { return nil }
        guard range.contains(number) else {
            list.add(
                "\(what) is out of bounds\(list.quoted(node))", at: node.position,
                instead: "\(unit), from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number
    }

    /// Each at most once; in the order of the cases.
    mutating func keywords<Value: RawRepresentable<String> & CaseIterable & Hashable>(
        _ node: YAMLNode, _ what: String, example: String
    ) -> [Value] {
        var found: Set<Value> = []
        for item in list.items(node, what, example: example) ?? [] {
            guard let value: Value = list.keyword(item, "one of the \(what)") else { continue }
            if !found.insert(value).inserted {
                list.add("\(value.rawValue) stands twice", at: item.position, instead: "it once")
            }
        }
        return Value.allCases.filter(found.contains)
    }

    mutating func font(_ node: YAMLNode, _ what: String) -> PrintingSettings.Font? {
        if let font = node.text.flatMap({ PrintingSettings.Font($0) }) { return font }
        let sides = PrintingSettings.Font.sides
        list.add(
            "\(what) is no character cell\(list.quoted(node))", at: node.position,
            instead: "its width and height in dots, each from \(sides.lowerBound) to \(sides.upperBound), such as 12x24"
        )
        return nil
    }

    /// `{ cp437: 0, cp858: 19 }`; two of them cannot have one number.
    mutating func codePages(_ node: YAMLNode) -> [CodePage: UInt8]? {
        let names = CodePage.allCases.map(\.rawValue)
        guard let pairs = node.pairs else {
            list.add(
                "code-pages must be a mapping, and is \(node.kind)", at: node.position,
                instead: "{ cp437: 0, cp858: 19 }")
            return nil
        }
        var pages: [CodePage: UInt8] = [:]
        for pair in pairs {
            let name = pair.key.text ?? ""
            guard let page = CodePage(rawValue: name) else {
                list.add(
                    "there is no code page \"\(name)\"", at: pair.key.position,
                    instead: Suggestion.instead(of: name, among: names, otherwise: "one of those in docs/profiles.md"))
                continue
            }
            guard let number = number(pair.value, name, in: 0...255, "the page's number"),
                let byte = UInt8(exactly: number)
            else { continue }
            if let other = pages.first(where: { $0.value == byte }) {
                list.add(
                    "the number \(byte) is that of \(other.key.rawValue)", at: pair.value.position,
                    instead: "a number for each page")
            }
            pages[page] = byte
        }
        return pages
    }

    mutating func readRaster(_ node: YAMLNode, into settings: inout PrintingSettings) {
        guard let values = list.mapping(node, of: "the raster", keys: Vocabulary.rasterKeys, path: "") else { return }
        let methods = settings.language.rasterMethods
        if let node = values["method"],
            let method = list.keyword(node, "the raster's method", as: PrintingSettings.Raster.Method.self)
        {
            if methods.contains(method) {
                settings.raster.method = method
            } else {
                list.add(
                    "the language \(settings.language.rawValue) does not take pictures so\(list.quoted(node))",
                    at: node.position,
                    instead: methods.isEmpty
                        ? "no method: it has but one" : methods.map(\.rawValue).joined(separator: " or "))
            }
        }
        if let node = values["band"] {
            settings.raster.band = number(node, "band", in: 8...65_535, "rows of dots") ?? settings.raster.band
        }
        if let node = values["buffer"] {
            settings.raster.buffer = number(node, "buffer", in: 32...16_777_216, "bytes") ?? settings.raster.buffer
        }
    }

    mutating func label(_ node: YAMLNode, over base: PrintingSettings.Label?) -> PrintingSettings.Label? {
        guard let values = list.mapping(node, of: "the label", keys: Vocabulary.labelKeys, path: "") else { return nil }
        func value(_ key: String, _ range: ClosedRange<Int>, _ unit: String) -> Int? {
            values[key].flatMap { number($0, "the label's \(key)", in: range, unit) }
        }
        let (width, height) = (
            value("width", 5...300, "millimetres") ?? base?.width,
            value("height", 5...1000, "millimetres") ?? base?.height
        )
        guard let width, let height else {
            for (key, size) in [("width", width), ("height", height)] where size == nil && values[key] == nil {
                list.add("the label lacks its \(key)", at: node.position, instead: "\(key): millimetres")
            }
            return nil
        }
        return PrintingSettings.Label(
            width: width, height: height, gap: value("gap", 0...50, "millimetres") ?? base?.gap ?? 3,
            darkness: value("darkness", 0...30, "as the printer's language counts") ?? base?.darkness,
            speed: value("speed", 1...14, "inches a second") ?? base?.speed)
    }

    /// One text, or several: what a profile states, it has from somewhere.
    mutating func sources(_ node: YAMLNode?, at section: YAMLNode) -> [String] {
        let example = "the URL or the manual where it was learnt"
        guard let node else {
            list.add("printing lacks its source", at: section.position, instead: "source: \(example)")
            return []
        }
        return (node.items ?? [node]).compactMap { item in
            guard let source = oneLine(item, "the source", instead: example) else { return nil }
            if source.isEmpty { list.add("the source is empty", at: item.position, instead: example) }
            return source
        }
    }
}
