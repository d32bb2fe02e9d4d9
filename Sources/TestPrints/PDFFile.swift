/// A PDF file (ISO 32000-1) of pages of one size, with Helvetica, which every reader has.
struct PDFFile {
    private let width: Double
    private let height: Double
    private var pages: [PDFContent] = []

    /// The size in points.
    init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    mutating func addPage(_ content: PDFContent) { pages.append(content) }

    var bytes: [UInt8] {
        // The first four objects; then each page and its content.
        let kids = pages.indices.map { "\(5 + 2 * $0) 0 R" }.joined(separator: " ")
        var objects = [
            "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [\(kids)] /Count \(pages.count) >>",
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
        ]
        for (index, page) in pages.enumerated() {
            objects.append(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 \(number(width)) \(number(height))]"
                    + " /Resources << /Font << /F 3 0 R /B 4 0 R >> >> /Contents \(6 + 2 * index) 0 R >>")
            objects.append("<< /Length \(page.operators.utf8.count) >> stream\n\(page.operators)\nendstream")
        }
        var file = Array("%PDF-1.4\n".utf8)
        var places: [Int] = []
        for (index, object) in objects.enumerated() {
            places.append(file.count)
            file += Array("\(index + 1) 0 obj\n\(object)\nendobj\n".utf8)
        }
        let table = file.count
        file += Array("xref\n0 \(objects.count + 1)\n0000000000 65535 f \n".utf8)
        for place in places {
            let digits = String(place)
            file += Array((String(repeating: "0", count: 10 - digits.count) + digits + " 00000 n \n").utf8)
        }
        file += Array(
            "trailer << /Size \(objects.count + 1) /Root 1 0 R >>\nstartxref\n\(table)\n%%EOF\n".utf8)
        return file
    }
}

/// What is drawn on a page: operators of PDF, with lengths in points from the corner at the bottom left.
struct PDFContent {
    private(set) var operators = ""

    /// A line of text from its baseline. Characters that WinAnsiEncoding lacks become question marks.
    mutating func text(_ text: String, x: Double, y: Double, size: Double, bold: Bool = false) {
        operators += "0 g BT /\(bold ? "B" : "F") \(number(size)) Tf \(number(x)) \(number(y)) Td <"
        for octet in Self.winAnsi(text) { operators += (octet < 16 ? "0" : "") + String(octet, radix: 16) }
        operators += "> Tj ET\n"
    }

    mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, width: Double) {
        operators += "0 G \(number(width)) w \(number(x1)) \(number(y1)) m \(number(x2)) \(number(y2)) l S\n"
    }

    mutating func frame(_ left: Double, _ bottom: Double, _ right: Double, _ top: Double, width: Double) {
        operators +=
            "0 G \(number(width)) w \(number(left)) \(number(bottom)) \(number(right - left))"
            + " \(number(top - bottom)) re S\n"
    }

    mutating func fill(
        _ x: Double, _ y: Double, _ width: Double, _ height: Double, red: Double, green: Double, blue: Double
    ) {
        operators +=
            "\(number(red)) \(number(green)) \(number(blue)) rg \(number(x)) \(number(y)) \(number(width))"
            + " \(number(height)) re f\n"
    }

    /// WinAnsiEncoding (ISO 32000-1, annex D): Latin-1, and the euro sign at 128.
    private static func winAnsi(_ text: String) -> [UInt8] {
        text.unicodeScalars.map { scalar in
            switch scalar.value {
            case 0x20AC: 128
            case 0x20...0x7E, 0xA0...0xFF: UInt8(scalar.value)
            default: UInt8(ascii: "?")
            }
        }
    }
}

/// A number as PDF has it: no exponent, four decimals.
private func number(_ value: Double) -> String {
    let scaled = Int((value * 10_000).rounded())
    let (whole, fraction) = (abs(scaled) / 10_000, abs(scaled) % 10_000)
    let digits = String(fraction)
    return "\(scaled < 0 ? "-" : "")\(whole).\(String(repeating: "0", count: 4 - digits.count))\(digits)"
}
