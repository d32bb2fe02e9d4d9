import KioskSimulatedPaper
import KioskTestSupport

/// PDF pages for label and receipt printers, made of whole dots of 203 to the inch.
enum LabelPages {
    /// What the barcode says.
    static let code = "KIOSK-4X6-0815"
    /// Bars and gaps of that in Code 128, in modules, as zxing writes them.
    private static let widths =
        "2112141123312313111331212131131123311221322212313311212231121221321131411322121132221421122331112"

    private static let dot = 72.0 / 203

    /// A page of this size in dots: a frame of 2 dots at its edges where it has one, the barcode with modules of 3
    /// dots, and black rectangles.
    static func add(
        to file: inout PDFWriter, width: Int, height: Int, isFramed: Bool = false, codeAt place: (x: Int, y: Int)?,
        rectangles: [(x: Int, y: Int, width: Int, height: Int)] = []
    ) {
        var all = rectangles
        if isFramed {
            all += [
                (0, 0, width, 2), (0, height - 2, width, 2), (0, 0, 2, height), (width - 2, 0, 2, height),
            ]
        }
        if let place {
            var x = place.x
            for (index, modules) in widths.compactMap(\.wholeNumberValue).enumerated() {
                if index % 2 == 0 { all.append((x, place.y, modules * 3, 120)) }
                x += modules * 3
            }
        }
        let content = all.map { rectangle in
            [
                Double(rectangle.x), Double(height - rectangle.y - rectangle.height), Double(rectangle.width),
                Double(rectangle.height),
            ].map { "\($0 * dot)" }.joined(separator: " ") + " re f"
        }.joined(separator: "\n")
        file.addPage(width: Double(width) * dot, height: Double(height) * dot, content)
    }

    /// A document of one page.
    static func document(
        width: Int, height: Int, isFramed: Bool = false, codeAt place: (x: Int, y: Int)?,
        rectangles: [(x: Int, y: Int, width: Int, height: Int)] = []
    ) -> [UInt8] {
        var file = PDFWriter()
        add(to: &file, width: width, height: height, isFramed: isFramed, codeAt: place, rectangles: rectangles)
        return file.bytes
    }

    /// The same dots as they should be on paper.
    static func dots(
        width: Int, height: Int, isFramed: Bool = false, codeAt place: (x: Int, y: Int)?,
        rectangles: [(x: Int, y: Int, width: Int, height: Int)] = []
    ) -> Bitmap {
        var dots = Bitmap(width: width, height: height)
        func fill(_ x: Int, _ y: Int, _ width: Int, _ height: Int) {
            for y in y..<y + height { for x in x..<x + width { dots[x, y] = true } }
        }
        for rectangle in rectangles { fill(rectangle.x, rectangle.y, rectangle.width, rectangle.height) }
        if isFramed {
            fill(0, 0, width, 2)
            fill(0, height - 2, width, 2)
            fill(0, 0, 2, height)
            fill(width - 2, 0, 2, height)
        }
        guard let place else { return dots }
        var x = place.x
        for (index, modules) in widths.compactMap(\.wholeNumberValue).enumerated() {
            if index % 2 == 0 { fill(x, place.y, modules * 3, 120) }
            x += modules * 3
        }
        return dots
    }
}

extension Bitmap {
    /// The number of dots that differ; nil where the sizes do.
    func differentDots(from other: Bitmap) -> Int? {
        guard width == other.width, height == other.height else { return nil }
        return zip(bytes, other.bytes).reduce(0) { $0 + ($1.0 ^ $1.1).nonzeroBitCount }
    }
}
