package import KioskPrintModel

/// The page that shows how a printer of documents is set up, as a PDF file: its printable area, its resolution, its
/// greys and colours, its letters; and a back side that says so, where it prints on both.
package struct TestPages: Sendable {
    private let subject: TestPrintSubject
    private let medium: Medium
    private let hasBack: Bool

    /// `medium` is the one that the printer takes where a job names none.
    package init(_ subject: TestPrintSubject, on medium: Medium, hasBack: Bool) {
        self.subject = subject
        self.medium = medium
        self.hasBack = hasBack
    }

    /// The file, `application/pdf`.
    package var pdf: [UInt8] {
        var file = PDFFile(width: width, height: height)
        file.addPage(front)
        if hasBack { file.addPage(back) }
        return file.bytes
    }

    // MARK: Lengths, in points

    private static func points(_ hundredths: Int) -> Double { Double(hundredths) * 72 / 2540 }

    /// A paper's edge from 25 mm to 5 m: what a printer says may be anything.
    private static func edge(_ hundredths: Int) -> Double { points(min(max(hundredths, 2500), 500_000)) }

    private var width: Double { Self.edge(medium.width) }
    private var height: Double { Self.edge(medium.height) }

    /// The printable area: left, bottom, right, top. Half of the paper at least, whatever the printer says.
    private var area: (left: Double, bottom: Double, right: Double, top: Double) {
        let margins = medium.margins
        func margin(_ hundredths: Int?, of edge: Double) -> Double {
            min(max(0, Self.points(min(hundredths ?? 423, 100_000))), edge / 4)
        }
        return (
            margin(margins?.left, of: width), margin(margins?.bottom, of: height),
            width - margin(margins?.right, of: width), height - margin(margins?.top, of: height)
        )
    }

    // MARK: Pages

    private var front: PDFContent {
        var content = PDFContent()
        frame(&content)
        rulers(&content)
        let (left, _, right, top) = area
        let inner = left + 24
        let scale = min(1, (right - left) / 500)
        var y = top - 24 - 22 * scale
        content.text(subject.id.rawValue, x: inner, y: y, size: 22 * scale, bold: true)
        y -= 16 * scale
        content.text("Test page of kioskd - front", x: inner, y: y, size: 11 * scale)
        y -= 10 * scale
        for (name, value) in subject.facts + [("Paper", paperText), ("Margins", marginText)] {
            y -= 14 * scale
            content.text(name, x: inner, y: y, size: 10 * scale, bold: true)
            // Half of its size is a letter's width, on average.
            let fitting = (right - 24 - inner - 60 * scale) * 2 / Double(max(1, value.count))
            content.text(value, x: inner + 60 * scale, y: y, size: min(10 * scale, max(4, fitting)))
        }
        y -= 20 * scale
        greys(&content, x: inner, y: &y, width: right - inner - 24, scale: scale)
        colours(&content, x: inner, y: &y, width: right - inner - 24, scale: scale)
        hairlines(&content, x: inner, y: &y, scale: scale)
        letters(&content, x: inner, y: &y, scale: scale)
        if hasBack {
            content.text(
                "The back has a frame at the same place, and is upright when the sheet is turned like a book's.",
                x: inner, y: y - 14 * scale, size: 9 * scale)
        }
        return content
    }

    private var back: PDFContent {
        var content = PDFContent()
        frame(&content)
        let (left, _, right, top) = area
        let scale = min(1, (right - left) / 500)
        content.text("back", x: left + 24, y: top - 70 * scale, size: 44 * scale, bold: true)
        content.text(
            "\(subject.id) prints on both sides. The top is where the front has it: turned at the long edge.",
            x: left + 24, y: top - 96 * scale, size: 10 * scale)
        return content
    }

    private var paperText: String {
        "\(Self.millimetres(medium.width)) x \(Self.millimetres(medium.height)) mm"
            + (medium.name.map { " (\($0.withoutControlCharacters.prefix(utf8Count: 63)))" } ?? "")
    }

    private var marginText: String {
        guard let margins = medium.margins else { return "not known; the frame is at 4.2 mm" }
        let all = [margins.top, margins.right, margins.bottom, margins.left].map { Self.millimetres($0) }
        return "top \(all[0]), right \(all[1]), bottom \(all[2]), left \(all[3]) mm; the frame is there"
    }

    private static func millimetres(_ hundredths: Int) -> String {
        let tenths = hundredths / 10
        return tenths % 10 == 0 ? String(tenths / 10) : "\(tenths / 10).\(abs(tenths % 10))"
    }

    // MARK: Parts

    /// The printable area's edge, and a cross in each corner. All four sides must be on paper.
    private func frame(_ content: inout PDFContent) {
        let (left, bottom, right, top) = area
        let half = Self.lineWidth / 2
        content.frame(left + half, bottom + half, right - half, top - half, width: Self.lineWidth)
        for x in [left + 12, right - 12] {
            for y in [bottom + 12, top - 12] {
                content.line(x - 8, y, x + 8, y, width: Self.lineWidth)
                content.line(x, y - 8, x, y + 8, width: Self.lineWidth)
            }
        }
    }

    private static let lineWidth = 0.5

    /// Millimetres from the paper's corner at the top left, along the frame: whether the size is true.
    private func rulers(_ content: inout PDFContent) {
        let (left, bottom, right, top) = area
        func length(_ millimetre: Int) -> Double { millimetre % 10 == 0 ? 9 : millimetre % 5 == 0 ? 6 : 3 }
        for millimetre in stride(from: 0, through: Int(width / 72 * 25.4), by: 1) {
            let x = Double(millimetre) * 72 / 25.4
            guard x > left + 24, x < right - 24 else { continue }
            content.line(x, top, x, top - length(millimetre), width: 0.25)
            if millimetre % 50 == 0 { content.text(String(millimetre), x: x + 1, y: top - 16, size: 6) }
        }
        for millimetre in stride(from: 0, through: Int(height / 72 * 25.4), by: 1) {
            let y = height - Double(millimetre) * 72 / 25.4
            guard y > bottom + 24, y < top - 24 else { continue }
            content.line(left, y, left + length(millimetre), y, width: 0.25)
            if millimetre % 50 == 0 { content.text(String(millimetre), x: left + 10, y: y - 2, size: 6) }
        }
    }

    /// Steps of a tenth from white to black.
    private func greys(_ content: inout PDFContent, x: Double, y: inout Double, width: Double, scale: Double) {
        let step = width / 11
        y -= 24 * scale
        for index in 0...10 {
            let level = 1 - Double(index) / 10
            content.fill(x + Double(index) * step, y, step, 22 * scale, red: level, green: level, blue: level)
            content.text("\(index * 10) %", x: x + Double(index) * step, y: y - 8 * scale, size: 6 * scale)
        }
        content.frame(x, y, x + width, y + 22 * scale, width: 0.25)
        y -= 16 * scale
    }

    private func colours(_ content: inout PDFContent, x: Double, y: inout Double, width: Double, scale: Double) {
        let colours: [(name: String, red: Double, green: Double, blue: Double)] = [
            ("cyan", 0, 1, 1), ("magenta", 1, 0, 1), ("yellow", 1, 1, 0), ("black", 0, 0, 0), ("red", 1, 0, 0),
            ("green", 0, 1, 0), ("blue", 0, 0, 1),
        ]
        let step = width / Double(colours.count)
        y -= 24 * scale
        for (index, colour) in colours.enumerated() {
            let left = x + Double(index) * step
            content.fill(
                left, y, step - 2, 22 * scale, red: colour.red, green: colour.green, blue: colour.blue)
            content.text(colour.name, x: left, y: y - 8 * scale, size: 6 * scale)
        }
        y -= 18 * scale
    }

    /// Lines as far apart as they are wide: where they run together, the printer's dots are larger.
    private func hairlines(_ content: inout PDFContent, x: Double, y: inout Double, scale: Double) {
        y -= 32 * scale
        var left = x
        for resolution in [600, 300, 200, 150, 100] {
            let line = 72 / Double(resolution)
            for index in 0..<Int(36 * scale / (2 * line)) {
                content.fill(left + Double(index) * 2 * line, y, line, 30 * scale, red: 0, green: 0, blue: 0)
            }
            content.text("1/\(resolution) inch", x: left, y: y - 8 * scale, size: 6 * scale)
            left += 60 * scale
        }
        y -= 20 * scale
    }

    private func letters(_ content: inout PDFContent, x: Double, y: inout Double, scale: Double) {
        for size in [6.0, 8, 10, 12, 16] {
            y -= (size + 5) * scale
            content.text(
                "\(Int(size)) pt: The quick brown fox € ÄÖÜ äöü ß éèç ñ ø 0123456789", x: x, y: y, size: size * scale)
        }
    }
}
