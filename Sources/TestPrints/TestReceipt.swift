package import KioskPrintModel

/// The receipt or label that shows how a printer of receipts is set up, in the markup of receipts.
///
/// A person sees at once whether the width is right (both ends of the ruler and of the black bar are there, on one
/// line), whether letters are right (the sample of characters), and whether codes, cut and drawer work.
package struct TestReceipt: Sendable {
    private let subject: TestPrintSubject
    private let settings: PrintingSettings
    private let opensDrawer: Bool

    /// The characters of font A on a line.
    private var columns: Int { max(1, settings.dots / max(1, settings.fontA.width)) }

    /// `settings` are those of the paper that the receipt is laid out for.
    package init(_ subject: TestPrintSubject, on settings: PrintingSettings, opensDrawer: Bool = false) {
        self.subject = subject
        self.settings = settings
        self.opensDrawer = opensDrawer
    }

    /// The document, `text/receiptline`.
    package var markup: String {
        let lines = settings.label.map { label($0) } ?? receipt
        return lines.joined(separator: "\n") + "\n"
    }

    // MARK: Receipts

    private var receipt: [String] {
        title + facts + width + letters + styles + codes + end
    }

    private var title: [String] {
        ["^^\"\(Self.escaped(subject.id.rawValue))\"", "Test print of kioskd", "{rule:double}"]
    }

    private var facts: [String] {
        ["{width:8,*;border:space}"] + subject.facts.map { "\($0.name) |\(Self.escaped($0.value))" }
            + ["{width:auto;border:none}"]
    }

    private var width: [String] {
        var lines = ["-", "|\"Width\"", "|\(columns) columns of \(settings.fontA) dots"]
        lines.append(
            "|\(settings.dots) dots, \(Self.millimetres(settings.dots, settings.dpi)) mm at \(settings.dpi) dpi")
        lines += Self.ruler(columns)
        if let fontB = settings.fontB, fontB != settings.fontA {
            let count = settings.dots / max(1, fontB.width)
            lines += ["{font:b}", "|Font B: \(count) columns of \(fontB) dots"] + Self.ruler(count) + ["{font:a}"]
        }
        lines.append("|Both ends must be there:")
        return lines + [bar]
    }

    /// White on black from edge to edge; where nothing is drawn, signs.
    private var bar: String {
        settings.textOnly ? String(repeating: "#", count: columns) : "`" + String(repeating: "~", count: columns) + "`"
    }

    /// Two lines that number the columns: the tens above, and all of them below.
    private static func ruler(_ columns: Int) -> [String] {
        var tens = ""
        var ones = ""
        for column in 1...max(1, columns) {
            tens += column % 10 == 0 ? String(column / 10 % 10) : "~"
            ones += String(column % 10)
        }
        return [tens, ones]
    }

    private var letters: [String] {
        ["-", "|\"Characters\""]
            + (settings.textOnly ? Self.plainSamples : Self.plainSamples + Self.samples).map { "|\(Self.escaped($0))" }
    }

    /// What tills print and printers with a wrong code page do not. Letters stand for these where a printer has no others.
    private static let plainSamples = ["€ ÄÖÜ äöü ß", "ÀÉÈ àéèêç Ññ Åå Øø"]
    /// What has to be drawn where no code page has it: signs, eastern letters and boxes.
    private static let samples = [
        "£ ¥ § ° ½ ± µ × ¿ ¡", "Č Š Ž č š ž Ł ł ő ű", "┌─┬─┐ ╔═╦═╗ ░▒▓█", "│1│2│ ║A║B║ ▀▄▌▐", "└─┴─┘ ╚═╩═╝",
    ]

    private var styles: [String] {
        var lines = [
            "-", "|\"Styles\"", "|\"Bold\", _underlined_, `~inverse~`", "|^Wide^ and ^^high", "|^^^Double",
        ]
        if settings.colors.contains(.red) { lines += ["{color:red}", "|Red", "{color:black}"] }
        return lines
    }

    private var codes: [String] {
        var lines = ["-", "|\"Codes\""]
        if settings.dots >= Self.barcodeWidth { lines += ["{code:TEST-128;option:code128,2,64,hri}"] }
        return lines + ["{code:\(Self.escapedValue(codeText));option:qrcode,4,m}"]
    }

    /// What a phone shows that reads the code.
    private var codeText: String { "kioskd \(subject.id) \(subject.timeText)" }

    /// The dots of the barcode and the white beside it.
    private static let barcodeWidth = 280

    private var end: [String] {
        var lines = ["-"]
        if opensDrawer {
            lines.append(settings.drawers > 0 ? "|The drawer opens." : "|No drawer: the profile has none.")
        }
        lines.append(settings.cuts.isEmpty ? "|The last line: tear off below." : "|The last line: the cut is below.")
        return lines + ["="]
    }

    // MARK: Labels

    /// The dots of a line of text with the gap below it.
    private var lineHeight: Int { settings.fontA.height + settings.lineGap }

    /// As much as fits the label, the most important first. Labels of a fixed length refuse what is longer.
    private func label(_ label: PrintingSettings.Label) -> [String] {
        let height = label.height * settings.dpi * 10 / 254
        var left = height / lineHeight - 1
        var lines: [String] = []
        func add(_ more: [String], rows: Int) {
            guard rows <= left else { return }
            left -= rows
            lines += more
        }
        add(["\"\(Self.escaped(subject.id.rawValue))\""], rows: 1)
        add([bar], rows: 1)
        add([Self.ruler(columns)[1]], rows: 1)
        let size = "\(label.width) x \(label.height) mm, \(settings.dots) dots, \(settings.dpi) dpi"
        add(["|\(size)"], rows: (size.count - 1) / columns + 1)
        add(["|€ ÄÖÜ äöü ß éèç ñ ø"], rows: 1)
        add(["|\(Self.escaped(subject.timeText))"], rows: 1)
        // A code of 25 modules and the white around them, 3 dots a module.
        add(["{code:\(Self.escapedValue(subject.id.rawValue));option:qrcode,3,m}"], rows: 33 * 3 / lineHeight + 1)
        if settings.dots >= Self.barcodeWidth {
            add(["{code:TEST-128;option:code128,2,48,hri}"], rows: 96 / lineHeight + 1)
        }
        add([bar], rows: 1)
        return lines
    }

    // MARK: Text

    /// Tenths of a millimetre are as much as a ruler shows.
    private static func millimetres(_ dots: Int, _ dpi: Int) -> String {
        let tenths = dots * 254 / max(1, dpi)
        return tenths % 10 == 0 ? String(tenths / 10) : "\(tenths / 10).\(tenths % 10)"
    }

    /// Text that markup takes for what it is.
    static func escaped(_ text: String) -> String {
        text.withoutControlCharacters.reduce(into: "") { result, character in
            if "\\{}|-=~_\"^`".contains(character) { result.append("\\") }
            result.append(character)
        }
    }

    /// The same for the value of a property.
    static func escapedValue(_ text: String) -> String {
        text.withoutControlCharacters.reduce(into: "") { result, character in
            if "\\{}|;".contains(character) { result.append("\\") }
            result.append(character)
        }
    }
}
