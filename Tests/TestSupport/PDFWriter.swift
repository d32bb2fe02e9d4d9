/// Writes PDF files for tests: well-formed ones from pages, and any other from its objects.
package struct PDFWriter {
    /// The objects in their order; the first one has the number 1.
    private var objects: [[UInt8]] = []
    /// What stands in the trailer besides Size and Root.
    package var trailer = ""
    /// What stands in the catalog besides its pages.
    package var catalog = ""
    private var pages: [Int] = []

    /// The numbers of the catalog and of the page tree, which are written last.
    private static let reserved = 2

    /// Creates a document without pages.
    package init() { objects = [[UInt8]](repeating: [], count: Self.reserved) }

    /// Adds an object and returns its number.
    @discardableResult
    package mutating func add(_ object: String) -> Int {
        objects.append(Array(object.utf8))
        return objects.count
    }

    /// Adds a stream and returns its number. `entries` stand in its dictionary besides Length.
    @discardableResult
    package mutating func addStream(_ bytes: some Sequence<UInt8>, _ entries: String = "") -> Int {
        let bytes = Array(bytes)
        objects.append(
            Array("<< \(entries) /Length \(bytes.count) >> stream\n".utf8) + bytes + Array("\nendstream".utf8))
        return objects.count
    }

    /// Adds a grey picture of these samples, and returns its number.
    package mutating func addPicture(width: Int, height: Int, _ samples: [UInt8]) -> Int {
        addStream(
            samples,
            "/Type /XObject /Subtype /Image /Width \(width) /Height \(height) /BitsPerComponent 8 /ColorSpace /DeviceGray"
        )
    }

    /// Adds a page of this size in points. `entries` stand in its dictionary besides MediaBox and Contents.
    @discardableResult
    package mutating func addPage(
        width: Double = 595, height: Double = 842, _ content: String, _ entries: String = ""
    ) -> Int {
        let stream = addStream(content.utf8)
        pages.append(
            add(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 \(width) \(height)] /Contents \(stream) 0 R \(entries) >>")
        )
        return pages[pages.count - 1]
    }

    /// Adds a page in Helvetica, its baseline this many points from the top.
    package mutating func addTextPage(width: Double = 595, height: Double = 842, _ lines: [String], size: Double = 12) {
        let font = add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
        let text = lines.map { "(\($0)) Tj 0 -\(size * 1.2) Td" }.joined(separator: "\n")
        addPage(
            width: width, height: height, "BT /F \(size) Tf 40 \(height - 60) Td\n\(text) ET",
            "/Resources << /Font << /F \(font) 0 R >> >>")
    }

    /// The file.
    package var bytes: [UInt8] {
        var objects = objects
        objects[0] = Array("<< /Type /Catalog /Pages 2 0 R \(catalog) >>".utf8)
        let kids = pages.map { "\($0) 0 R" }.joined(separator: " ")
        objects[1] = Array("<< /Type /Pages /Kids [\(kids)] /Count \(pages.count) >>".utf8)
        var file = Array("%PDF-1.7\n".utf8)
        var places: [Int] = []
        for (index, object) in objects.enumerated() {
            places.append(file.count)
            file += Array("\(index + 1) 0 obj\n".utf8) + object + Array("\nendobj\n".utf8)
        }
        let table = file.count
        file += "xref\n0 \(objects.count + 1)\n0000000000 65535 f \n".utf8
        for place in places {
            let digits = String(place)
            file += (String(repeating: "0", count: 10 - digits.count) + digits + " 00000 n \n").utf8
        }
        file += "trailer << /Size \(objects.count + 1) /Root 1 0 R \(trailer) >>\nstartxref\n\(table)\n%%EOF\n".utf8
        return file
    }
}
