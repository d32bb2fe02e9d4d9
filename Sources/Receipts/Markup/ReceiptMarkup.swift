import KioskPrintModel

/// The reader of `text/receiptline`, OFSC's receipt description language ("ReceiptLine Specification",
/// https://www.ofsc.or.jp/receiptline/en/), with additions in the same grammar: word wrap, more codes, fonts
/// and spacing, feeds, cut modes and the drawer.
///
/// The specification ignores mistakes and omits what they affect. This reader handles them in one of two ways. As in
/// the specification, an unknown value means the default of its key and an unknown key is ignored; both are remarked.
/// A mistake that would lose a whole line of the receipt (a stray brace, a broken property, data that no barcode can
/// hold) is an error.
package enum ReceiptMarkup {
    package static let mediaType = "text/receiptline"

    /// What a document may contain.
    package struct Rules: Hashable, Sendable {
        /// Whether the specification applies without our additions.
        package var isStrict: Bool
        package var privileges: Set<ReceiptPrivilege>
        /// The width of the widest paper in dots. A code that is wider even at its smallest is an error. Nil where no
        /// paper is known.
        package var maximumPaperWidth: Int?

        package init(isStrict: Bool = false, privileges: Set<ReceiptPrivilege> = [], maximumPaperWidth: Int? = nil) {
            self.isStrict = isStrict
            self.privileges = privileges
            self.maximumPaperWidth = maximumPaperWidth
        }
    }

    /// The receipt in a document, and the remarks about the document.
    package struct Reading: Hashable, Sendable {
        package var receipt: Receipt
        /// The first hundred keys and values that were ignored.
        package var remarks: [ReceiptError]
    }

    package static func read(_ bytes: [UInt8], rules: Rules = Rules()) throws(ReceiptError) -> Reading {
        guard bytes.count <= ReceiptLimits.documentLength else {
            throw ReceiptError(.tooLarge, "the receipt has more than \(ReceiptLimits.documentLength) bytes")
        }
        let text = bytes.starts(with: byteOrderMark) ? bytes[byteOrderMark.count...] : bytes[...]
        var reader = MarkupReader(rules: rules)
        var (line, start) = (1, text.startIndex)
        while true {
            let end = MarkupSyntax.lineBreaks.first(in: text, from: start) ?? text.endIndex
            try reader.read(MarkupLine(number: line, bytes: text[start..<end]))
            guard end < text.endIndex else { break }
            let isCRLF = text[end] == 0x0D && end + 1 < text.endIndex && text[end + 1] == 0x0A
            start = end + (isCRLF ? 2 : 1)
            line += 1
            // A line break at the end of the document does not begin another line.
            if start == text.endIndex { break }
        }
        return Reading(receipt: Receipt(reader.elements), remarks: reader.remarks)
    }

    package static func read(_ text: String, rules: Rules = Rules()) throws(ReceiptError) -> Reading {
        try read(Array(text.utf8), rules: rules)
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
}

/// Parses the lines of a receiptline document, one after another, into the elements of a receipt. Its state is what
/// persists from line to line: the options of codes, and the counts that are limited.
struct MarkupReader {
    private let rules: ReceiptMarkup.Rules
    private(set) var elements: [ReceiptElement] = []
    private(set) var remarks: [ReceiptError] = []
    /// The options of the codes that follow.
    private var option = ReceiptCode("", .code128)
    private var spanCount = 0
    private var textLength = 0

    init(rules: ReceiptMarkup.Rules) { self.rules = rules }

    /// What `_` stands for in the lines that follow.
    private var underlinesAreThick = false
    /// How pictures that follow are dithered.
    private var dithering: Dithering?

    private static let maximumRemarks = 100

    private mutating func remark(_ message: String, instead: String? = nil, at place: ReceiptError.Place) {
        guard remarks.count < Self.maximumRemarks else { return }
        remarks.append(ReceiptError(.value, message, instead: instead, at: place))
    }

    private mutating func append(_ element: ReceiptElement, at place: ReceiptError.Place) throws(ReceiptError) {
        guard elements.count < ReceiptLimits.elements else {
            throw ReceiptError(.tooLarge, "the receipt has more than \(ReceiptLimits.elements) elements", at: place)
        }
        elements.append(element)
    }

    mutating func read(_ line: MarkupLine) throws(ReceiptError) {
        try line.checkEncoding()
        let delimiters = try line.delimiters()
        let cells = line.cells(at: delimiters.pipes)
        if let first = cells.first, cells.count == 1 {
            try read(sole: first, delimiters, in: line)
        } else {
            if delimiters.braces != nil { for cell in cells { try checkBraces(cell, in: line) } }
            try row(cells, in: line)
        }
    }

    /// Reads a line of one cell, which may be a property, a rule or a cut.
    private mutating func read(
        sole cell: MarkupLine.Cell, _ delimiters: MarkupLine.Delimiters, in line: MarkupLine
    ) throws(ReceiptError) {
        let place = line.place(at: cell.bytes.startIndex)
        if let braces = delimiters.braces {
            guard Self.isProperty(cell.bytes, braces) else { throw Self.strayBrace(at: line.place(at: braces.first)) }
            let property = try MarkupProperty(
                cell.bytes.dropFirst().dropLast(), in: line, hasBackslashes: delimiters.hasBackslashes)
            try read(property, alignment: cell.alignment, at: place)
        } else if let first = cell.bytes.first, first == MarkupSyntax.hyphen || first == MarkupSyntax.equals,
            cell.bytes.allSatisfy({ $0 == first })
        {
            try append(first == MarkupSyntax.hyphen ? .rule : .cut(.partial), at: place)
        } else {
            try row([cell], in: line)
        }
    }

    private static func isProperty(_ cell: ArraySlice<UInt8>, _ braces: (first: Int, last: Int, count: Int)) -> Bool {
        braces.count == 2 && braces.first == cell.startIndex && cell[braces.first] == MarkupSyntax.openingBrace
            && braces.last == cell.endIndex - 1 && cell[braces.last] == MarkupSyntax.closingBrace
    }

    private static func strayBrace(at place: ReceiptError.Place) -> ReceiptError {
        ReceiptError(
            .syntax, "the brace neither begins nor ends a property of the whole line",
            instead: "\\{ and \\} for braces in text", at: place)
    }

    private func checkBraces(_ cell: MarkupLine.Cell, in line: MarkupLine) throws(ReceiptError) {
        guard let braces = try MarkupLine(number: line.number, bytes: cell.bytes).delimiters().braces else { return }
        guard Self.isProperty(cell.bytes, braces) else { throw Self.strayBrace(at: line.place(at: braces.first)) }
        throw ReceiptError(
            .syntax, "the property is in a line with other columns", instead: "it on a separate line",
            at: line.place(at: braces.first))
    }

    private mutating func row(_ cells: [MarkupLine.Cell], in line: MarkupLine) throws(ReceiptError) {
        let place = line.place(at: line.bytes.startIndex)
        guard line.bytes.count <= ReceiptLimits.lineLength else {
            throw ReceiptError(.tooLarge, "the line has more than \(ReceiptLimits.lineLength) bytes", at: place)
        }
        textLength += line.bytes.count
        guard textLength <= ReceiptLimits.textLength else {
            throw ReceiptError(
                .tooLarge, "the receipt has more than \(ReceiptLimits.textLength) bytes of text", at: place)
        }
        let row = ReceiptRow(
            cells.map {
                ReceiptCell(
                    MarkupText.spans($0.bytes, underlinesAreThick: underlinesAreThick), alignment: $0.alignment)
            })
        spanCount += row.cells.reduce(row.cells.count) { $0 + $1.spans.count }
        guard spanCount <= ReceiptLimits.spans else {
            throw ReceiptError(
                .tooLarge, "the receipt has more than \(ReceiptLimits.spans) cells and changes of style", at: place)
        }
        try append(.row(row), at: place)
    }

    /// Reads the keys of a property in the order of the reference implementation, whatever their order in the braces.
    private mutating func read(
        _ property: MarkupProperty, alignment: HorizontalAlignment, at place: ReceiptError.Place
    ) throws(ReceiptError) {
        for key in property.keys
        where !Self.keys.contains(key.name) && (rules.isStrict || !Self.additionalKeys.contains(key.name)) {
            remark("the property \"\(key.name)\" is unknown", at: key.place)
        }
        let settings = try settings(property.values)
        if !settings.isEmpty { try append(.settings(settings), at: place) }
        if let value = property.values["option"] { option = codeOption(value) }
        if !rules.isStrict { try readStyles(property.values) }
        if !rules.isStrict, let value = property.values["logo"] {
            // A picture in the same braces is the logo's substitute.
            let substitute = try property.values["image"].map { value throws(ReceiptError) in
                try image(value, alignment)
            }
            try append(.logo(try logo(value, alignment, substitute)), at: value.place)
        } else if let value = property.values["image"] {
            try append(.image(try image(value, alignment)), at: value.place)
        }
        if let value = property.values["code"] { try append(.code(try code(value, alignment)), at: value.place) }
        if let value = property.values["command"] {
            let bytes = try command(value)
            // Where all escapes stand for nothing, there are no bytes to send.
            if !bytes.isEmpty { try append(.command(bytes), at: value.place) }
        }
        if !rules.isStrict { try readAdditions(property.values) }
    }

    /// The keys of the specification.
    private static let keys: Set<String> = [
        "image", "code", "option", "align", "width", "border", "text", "command", "comment",
    ]
    private static let additionalKeys: Set<String> = [
        "font", "spacing", "feed", "cut", "drawer", "rule", "underline", "dither", "rotate", "color", "buzzer",
        "logo",
    ]

    private func image(
        _ value: MarkupProperty.Value, _ alignment: HorizontalAlignment
    ) throws(ReceiptError) -> ReceiptImage {
        guard let file = Base64.decode(value.resolved), !file.isEmpty else {
            throw ReceiptError(
                .image, "the image is not Base64", instead: "a PNG or JPEG file in Base64", at: value.place)
        }
        guard file.count <= ReceiptLimits.imageLength else {
            throw ReceiptError(.tooLarge, "the image has more than \(ReceiptLimits.imageLength) bytes", at: value.place)
        }
        let image = ReceiptImage(file, alignment: alignment, dithering: dithering)
        do { try image.checkStructure() } catch { throw error.at(value.place) }
        return image
    }

    private func logo(
        _ value: MarkupProperty.Value, _ alignment: HorizontalAlignment, _ substitute: ReceiptImage?
    ) throws(ReceiptError) -> StoredLogo {
        guard let name = StoredLogo.Name(value.text) else {
            throw invalid(
                "the logo", value, "its number, 1 to \(StoredLogo.Name.numbers.upperBound), or its two-character key")
        }
        return StoredLogo(name, alignment: alignment, substitute: substitute)
    }

    private func code(
        _ value: MarkupProperty.Value, _ alignment: HorizontalAlignment
    ) throws(ReceiptError) -> ReceiptCode {
        var code = option
        code.data = value.text
        code.alignment = alignment
        do { try CheckedCode(code).check(code, fits: rules.maximumPaperWidth) } catch { throw error.at(value.place) }
        return code
    }

    private func command(_ value: MarkupProperty.Value) throws(ReceiptError) -> [UInt8] {
        guard rules.privileges.contains(.rawCommands) else {
            throw ReceiptError(.forbidden, "the caller may not send raw commands", at: value.place)
        }
        let bytes = value.text.unicodeScalars.map { UInt8(exactly: $0.value) }
        guard bytes.count <= ReceiptLimits.commandLength else {
            throw ReceiptError(
                .tooLarge, "the command has more than \(ReceiptLimits.commandLength) bytes", at: value.place)
        }
        guard bytes.allSatisfy({ $0 != nil }) else {
            throw ReceiptError(
                .value, "a command consists of bytes", instead: "\\x and two digits for each", at: value.place)
        }
        return bytes.compactMap(\.self)
    }

    /// Reads the keys that change how later underlines and pictures are drawn.
    private mutating func readStyles(_ values: [String: MarkupProperty.Value]) throws(ReceiptError) {
        if let value = values["underline"] {
            guard ["thin", "thick"].contains(value.word) else { throw invalid("the underline", value, "thin or thick") }
            underlinesAreThick = value.word == "thick"
        }
        if let value = values["dither"] {
            guard let kind = Dithering(rawValue: value.word) else {
                throw invalid("the dithering", value, Self.names(Dithering.self))
            }
            dithering = kind
        }
    }

    /// The keywords of an enumeration, as a list.
    private static func names<Keyword: RawRepresentable<String> & CaseIterable>(_ type: Keyword.Type) -> String {
        let names = Keyword.allCases.map(\.rawValue)
        return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
    }

    private func turn(_ value: MarkupProperty.Value) throws(ReceiptError) -> TurnedLines {
        let numbers = value.words.map { $0.isDigits ? Int($0) : nil }
        guard (1...2).contains(numbers.count), let rotation = numbers[0].flatMap({ LineRotation(rawValue: $0) }),
            numbers.count == 1
                || rotation.isSideways
                    && numbers[1].map((1...TurnedLines.maximumColumns).contains) == true
        else {
            throw invalid(
                "the rotation", value,
                "0, 90, 180 or 270 degrees, and for 90 and 270 optionally the length of lines in characters")
        }
        return TurnedLines(rotation, columns: numbers.count == 2 ? numbers[1] : nil)
    }

    private func buzzer(_ value: MarkupProperty.Value) throws(ReceiptError) -> BuzzerSignal {
        guard rules.privileges.contains(.drawer) else {
            throw ReceiptError(.forbidden, "the caller may not sound the buzzer", at: value.place)
        }
        let numbers = value.words.map { Int($0) }
        guard (1...2).contains(numbers.count), let count = numbers[0], BuzzerSignal.counts.contains(count),
            let length = numbers.count == 2 ? numbers[1] : BuzzerSignal.defaultMilliseconds,
            BuzzerSignal.lengths.contains(length)
        else {
            throw invalid(
                "the buzzer", value,
                "1 to 9 beeps, and optionally the milliseconds of each, \(BuzzerSignal.lengths.lowerBound) to \(BuzzerSignal.lengths.upperBound)"
            )
        }
        return BuzzerSignal(count: count, milliseconds: length)
    }

    /// Reads the keys that the specification does not have.
    private mutating func readAdditions(_ values: [String: MarkupProperty.Value]) throws(ReceiptError) {
        if let value = values["feed"] {
            guard let lines = Int(value.word), (1...ReceiptLimits.feedLines).contains(lines) else {
                throw invalid("the feed", value, "1 to \(ReceiptLimits.feedLines) lines")
            }
            try append(.feed(lines: lines), at: value.place)
        }
        if let value = values["cut"] {
            guard let mode = CutMode(rawValue: value.word) else {
                throw invalid("the cut", value, "full, partial or feed")
            }
            try append(.cut(mode), at: value.place)
        }
        if let value = values["rule"] {
            guard let style = RuleStyle(rawValue: value.word) else {
                throw invalid("the rule", value, Self.names(RuleStyle.self))
            }
            try append(.rule(style), at: value.place)
        }
        if let value = values["drawer"] { try append(.drawer(try drawer(value)), at: value.place) }
        if let value = values["buzzer"] { try append(.buzzer(try buzzer(value)), at: value.place) }
    }

    private func drawer(_ value: MarkupProperty.Value) throws(ReceiptError) -> DrawerKick {
        guard rules.privileges.contains(.drawer) else {
            throw ReceiptError(.forbidden, "the caller may not open the drawer", at: value.place)
        }
        let numbers = value.words.map { Int($0) }
        guard let connector = numbers.first.flatMap(\.self), DrawerKick.connectors.contains(connector),
            numbers.count <= 2,
            let pulse = numbers.dropFirst().first ?? DrawerKick.defaultMilliseconds, DrawerKick.pulses.contains(pulse)
        else {
            let pulses = DrawerKick.pulses
            throw invalid(
                "the drawer", value,
                "1 or 2, and optionally the milliseconds of its pulse, \(pulses.lowerBound) to \(pulses.upperBound)")
        }
        return DrawerKick(connector: connector, milliseconds: pulse)
    }

    /// The error for an invalid value of an addition. It is more than a remark, since no document relies on a default.
    private func invalid(_ what: String, _ value: MarkupProperty.Value, _ instead: String) -> ReceiptError {
        ReceiptError(.value, "\(what) is invalid", instead: instead, at: value.place)
    }

    /// Reads the settings. An unknown value means the default, as in the specification.
    private mutating func settings(_ values: [String: MarkupProperty.Value]) throws(ReceiptError) -> LineSettings {
        var settings = LineSettings()
        settings.wrapping = values["text"].map { wrapping($0) }
        settings.border = values["border"].map { border($0) }
        settings.widths = values["width"].map { widths($0) }
        settings.alignment = values["align"].map { value in
            keyword(value, HorizontalAlignment.init(rawValue:), default: .center, "left, center or right")
        }
        guard !rules.isStrict else { return settings }
        if let value = values["font"] {
            guard let font = ReceiptFont(rawValue: value.word) else { throw invalid("the font", value, "a or b") }
            settings.font = font
        }
        if let value = values["spacing"] { settings.spacing = try spacing(value) }
        if let value = values["rotate"] { settings.turn = try turn(value) }
        if let value = values["color"] {
            guard let color = TextColor(rawValue: value.word) else { throw invalid("the color", value, "black or red") }
            settings.color = color
        }
        return settings
    }

    private mutating func keyword<Keyword>(
        _ value: MarkupProperty.Value, _ reading: (String) -> Keyword?, default standard: Keyword, _ instead: String
    ) -> Keyword {
        if let keyword = reading(value.word) { return keyword }
        remark("\"\(value.word.prefix(40))\" is unknown", instead: instead, at: value.place)
        return standard
    }

    private mutating func wrapping(_ value: MarkupProperty.Value) -> TextWrapping {
        let known = TextWrapping.allCases.filter { !rules.isStrict || $0 != .word }
        return keyword(
            value, { word in known.first { $0.rawValue == word } }, default: .character,
            known.map(\.rawValue).joined(separator: " or "))
    }

    private mutating func border(_ value: MarkupProperty.Value) -> ColumnBorder {
        keyword(
            value,
            { word in
                switch word {
                case "line": .line
                case "space": .space(1)
                case "none": .space(0)
                default: Int(word).flatMap { word.isDigits && ColumnBorder.spaces.contains($0) ? .space($0) : nil }
                }
            },
            default: .space(1), "line, space, none, or 0 to 2")
    }

    private mutating func widths(_ value: MarkupProperty.Value) -> [ColumnWidth] {
        let words = value.words.prefix(ReceiptLimits.columns)
        if words.contains("auto") { return [] }
        return words.map { word in
            if word == "*" { return .share }
            // An empty word hides a column too.
            if !word.isEmpty, !word.isDigits {
                remark("the width of a column is invalid", instead: "auto, or numbers and *", at: value.place)
            }
            return .characters(word.isDigits ? min(Int(word) ?? ColumnWidth.maximum, ColumnWidth.maximum) : 0)
        }
    }

    private func spacing(_ value: MarkupProperty.Value) throws(ReceiptError) -> LineSpacing {
        if value.word == "standard" { return .standard }
        guard value.word.isDigits, let dots = Int(value.word), LineSpacing.range.contains(dots) else {
            throw invalid("the spacing", value, "standard, or 0 to \(LineSpacing.range.upperBound) dots")
        }
        return .dots(dots)
    }

    /// Reads the options of codes. Their ranges tell numbers apart, so one number may set two options. An option that
    /// is not named returns to its default.
    private mutating func codeOption(_ value: MarkupProperty.Value) -> ReceiptCode {
        let words = value.words
        var code = ReceiptCode("", .code128)
        var known: Set<String> = ["", "hri", "nohri"]
        func number(in range: ClosedRange<Int>) -> Int? {
            let word = words.first { $0.isDigits && Int($0).map(range.contains) == true }
            if let word { known.insert(word) }
            return word.flatMap { Int($0) }
        }
        let symbologies =
            rules.isStrict
            ? Self.symbologies : Self.symbologies.merging(Self.additionalSymbologies) { first, _ in first }
        code.symbology = words.lazy.compactMap { symbologies[$0] }.first ?? code.symbology
        code.module = number(in: ReceiptCode.modules) ?? code.module
        code.height = number(in: ReceiptCode.heights) ?? code.height
        code.cell = number(in: ReceiptCode.cells) ?? code.cell
        code.readable = words.contains("hri")
        code.level = words.lazy.compactMap { ReceiptCode.CorrectionLevel(rawValue: $0) }.first ?? code.level
        for word in words
        where symbologies[word] == nil && !known.contains(word) && ReceiptCode.CorrectionLevel(rawValue: word) == nil {
            remark("\"\(word.prefix(40))\" is not an option of codes", at: value.place)
        }
        return code
    }

    private static let symbologies: [String: Symbology] = [
        "upc": .upc, "ean": .ean, "jan": .ean, "code39": .code39, "itf": .itf, "codabar": .codabar, "nw7": .codabar,
        "code93": .code93, "code128": .code128, "qrcode": .qrcode,
    ]
    private static let additionalSymbologies: [String: Symbology] = [
        "pdf417": .pdf417, "datamatrix": .datamatrix, "gs1-128": .gs1128, "databar": .databar,
        "databar-expanded": .databarExpanded, "aztec": .aztec, "maxicode": .maxicode,
        "databar-stacked": .databarStacked, "databar-stacked-omnidirectional": .databarStackedOmnidirectional,
        "databar-expanded-stacked": .databarExpandedStacked, "maxicode-carrier": .maxicodeCarrier,
    ]
}
