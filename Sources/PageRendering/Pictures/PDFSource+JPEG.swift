package import KioskRenderingMessages

extension PDFSource {
    /// This JPEG file as the only picture on a page of a PDF, of its own size: PDFium decodes it by rows, and draws it as
    /// it draws any page. The file itself is not copied.
    package func wrappingJPEG() throws(RenderingRefusal) -> PDFSource {
        let header = try JPEGHeader(self)
        let resolution = header.resolution ?? (Self.standardResolution, Self.standardResolution)
        let across = Double(header.width) * 72 / resolution.x
        let down = Double(header.height) * 72 / resolution.y
        // Orientations from 5 on swap the sides.
        let (width, height) = header.orientation < 5 ? (across, down) : (down, across)
        let space = header.components == 1 ? "DeviceGray" : header.components == 3 ? "DeviceRGB" : "DeviceCMYK"
        let decode = header.components == 4 && header.isAdobe ? "/Decode [1 0 1 0 1 0 1 0]" : ""
        let content = "\(Self.placement(header.orientation, width, height)) cm /I Do"
        let prefix = """
            %PDF-1.7
            1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
            2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj
            3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 \(width) \(height)]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>> endobj
            4 0 obj <</Length \(content.utf8.count)>> stream
            \(content)
            endstream endobj
            5 0 obj <</Type/XObject/Subtype/Image/Width \(header.width)/Height \(header.height)/BitsPerComponent 8/ColorSpace/\(space)\(decode)/Filter/DCTDecode/Length \(length)>> stream

            """
        return PDFSource(
            self, prefix: Array(prefix.utf8), suffix: Self.end(prefix, length), hasStatedSize: header.resolution != nil)
    }

    /// Pixels per inch where a picture has no size of its own.
    private static let standardResolution = 200.0

    /// The end of the last object, and the table of all: without it PDFium would look for objects in the picture.
    private static func end(_ prefix: String, _ length: Int) -> [UInt8] {
        let tail = "\nendstream endobj\n"
        let places = (1...5).compactMap { prefix.place(ofObject: $0) }
        let rows = places.map { place in
            let digits = String(place)
            return String(repeating: "0", count: max(10 - digits.count, 0)) + digits + " 00000 n \n"
        }
        let table = prefix.utf8.count + length + tail.utf8.count
        return Array(
            "\(tail)xref\n0 6\n0000000000 65535 f \n\(rows.joined())trailer <</Size 6/Root 1 0 R>>\nstartxref\n\(table)\n%%EOF\n"
                .utf8)
    }

    /// The matrix that puts the unit square of a picture, which is drawn upright, on a page of this size.
    private static func placement(_ orientation: Int, _ width: Double, _ height: Double) -> String {
        let matrix =
            switch orientation {
            case 2: [-width, 0, 0, height, width, 0]
            case 3: [-width, 0, 0, -height, width, height]
            case 4: [width, 0, 0, -height, 0, height]
            case 5: [0, -height, -width, 0, width, height]
            case 6: [0, -height, width, 0, 0, height]
            case 7: [0, height, width, 0, 0, 0]
            case 8: [0, height, -width, 0, width, 0]
            default: [width, 0, 0, height, 0, 0]
            }
        return matrix.map { "\($0)" }.joined(separator: " ")
    }
}

extension String {
    /// The place of the line that begins this object, in bytes.
    fileprivate func place(ofObject number: Int) -> Int? {
        var place = 0
        for line in utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            if line.starts(with: "\(number) 0 obj ".utf8) { return place }
            place += line.count + 1
        }
        return nil
    }
}
