package import KioskRenderingMessages

/// A picture as the only thing on a page of a PDF, of its own size, so that it is drawn as any page is.
struct PicturePage {
    var width: Int
    var height: Int
    /// Pixels per inch across and down, where they are stated.
    var resolution: (x: Double, y: Double)?
    /// How the picture is turned upright, 1 to 8 (Exif's Orientation, 0x0112).
    var orientation = 1
    /// The name of its colour space, and what else stands in its dictionary.
    var space: String
    var entries = ""
    /// Bytes of its samples.
    var length: Int

    /// Pixels per inch where a picture has no size of its own.
    private static let standardResolution = 200.0

    /// The PDF up to the picture's samples.
    var prefix: [UInt8] {
        let resolution = resolution ?? (Self.standardResolution, Self.standardResolution)
        let across = Double(width) * 72 / resolution.x
        let down = Double(height) * 72 / resolution.y
        // Orientations from 5 on swap the sides.
        let (pageWidth, pageHeight) = orientation < 5 ? (across, down) : (down, across)
        let content = "\(Self.placement(orientation, pageWidth, pageHeight)) cm /I Do"
        let text = """
            %PDF-1.7
            1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
            2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj
            3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 \(pageWidth) \(pageHeight)]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>> endobj
            4 0 obj <</Length \(content.utf8.count)>> stream
            \(content)
            endstream endobj
            5 0 obj <</Type/XObject/Subtype/Image/Width \(width)/Height \(height)/BitsPerComponent 8/ColorSpace/\(space)\(entries)/Length \(length)>> stream

            """
        return Array(text.utf8)
    }

    /// The PDF behind the picture's samples: the end of the last object, and the table of all, without which PDFium
    /// would look for objects in the picture.
    func suffix(behind prefix: [UInt8]) -> [UInt8] {
        let end = "\nendstream endobj\n"
        let rows = (1...5).compactMap { Self.place(ofObject: $0, in: prefix) }.map { place in
            let digits = String(place)
            return String(repeating: "0", count: max(10 - digits.count, 0)) + digits + " 00000 n \n"
        }
        let table = prefix.count + length + end.utf8.count
        return Array(
            "\(end)xref\n0 6\n0000000000 65535 f \n\(rows.joined())trailer <</Size 6/Root 1 0 R>>\nstartxref\n\(table)\n%%EOF\n"
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

    /// The place of the line that begins this object.
    private static func place(ofObject number: Int, in text: [UInt8]) -> Int? {
        var place = 0
        for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            if line.starts(with: "\(number) 0 obj ".utf8) { return place }
            place += line.count + 1
        }
        return nil
    }
}

extension PDFSource {
    /// This JPEG file as a page. It is not copied: PDFium decodes its rows as it needs them.
    package func wrappingJPEG() throws(RenderingRefusal) -> PDFSource {
        let header = try JPEGHeader(self)
        let space = header.components == 1 ? "DeviceGray" : header.components == 3 ? "DeviceRGB" : "DeviceCMYK"
        let inverted = header.components == 4 && header.isAdobe ? "/Decode [1 0 1 0 1 0 1 0]" : ""
        let page = PicturePage(
            width: header.width, height: header.height, resolution: header.resolution, orientation: header.orientation,
            space: space, entries: "/Filter/DCTDecode\(inverted)", length: length)
        let prefix = page.prefix
        return PDFSource(
            self, prefix: prefix, suffix: page.suffix(behind: prefix), hasStatedSize: header.resolution != nil)
    }
}
