import KioskPictureHeaders
package import KioskRenderingMessages

/// A picture as the only thing on a page of a PDF, of its own size, so that it is drawn as any page is.
struct PicturePage {
    var width: Int
    var height: Int
    /// Its size on paper, and how it is turned upright.
    var size = PictureMetadata()
    /// Bits of a sample.
    var bits = 8
    /// The name of its colour space, and what else stands in its dictionary.
    var space: String
    var entries = ""
    /// Bytes of its samples.
    var length: Int

    /// Pixels per inch where a picture has no size of its own.
    private static let standardResolution = 200.0

    /// The PDF up to the picture's samples.
    var prefix: [UInt8] {
        let (page, content) = (pageSize, "\(PDFSource.plainState) gs \(placement) cm /I Do")
        let text = """
            %PDF-1.7
            1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
            2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj
            3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 \(page.width) \(page.height)]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>/ExtGState<</N<<>>/L<</TR 6 0 R>>>>>>>> endobj
            4 0 obj <</Length \(content.utf8.count)>> stream
            \(content)
            endstream endobj
            6 0 obj <</FunctionType 2/Domain[0 1]/N \(LinearLight.gamma)>> endobj
            5 0 obj <</Type/XObject/Subtype/Image/Width \(width)/Height \(height)/BitsPerComponent \(bits)/ColorSpace/\(space)\(entries)/Length \(length)>> stream

            """
        return Array(text.utf8)
    }

    /// The PDF behind the picture's samples: the end of the last object, and the table of all, without which PDFium
    /// would look for objects in the picture.
    func suffix(behind prefix: [UInt8]) -> [UInt8] {
        let end = "\nendstream endobj\n"
        let rows = (1...6).compactMap { Self.place(ofObject: $0, in: prefix) }.map { place in
            let digits = String(place)
            return String(repeating: "0", count: max(10 - digits.count, 0)) + digits + " 00000 n \n"
        }
        let table = prefix.count + length + end.utf8.count
        return Array(
            "\(end)xref\n0 7\n0000000000 65535 f \n\(rows.joined())trailer <</Size 7/Root 1 0 R>>\nstartxref\n\(table)\n%%EOF\n"
                .utf8)
    }

    /// The page's size in points.
    var pageSize: DocumentInfo.PageSize {
        let across = Double(width) * 72 / (size.resolution?.x ?? Self.standardResolution)
        let down = Double(height) * 72 / (size.resolution?.y ?? Self.standardResolution)
        // Orientations from 5 on swap the sides.
        return size.orientation < 5
            ? DocumentInfo.PageSize(width: across, height: down) : DocumentInfo.PageSize(width: down, height: across)
    }

    /// The matrix that puts the unit square of a picture, which is drawn upright, on the page.
    private var placement: String {
        let (width, height) = (pageSize.width, pageSize.height)
        let matrix =
            switch size.orientation {
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
        let header: JPEGHeader
        do throws(PictureProblem) {
            header = try JPEGHeader(length: length) { bytes(at: $0, atMost: $1) }
        } catch {
            throw RenderingRefusal(error.isDamaged ? .damaged : .unsupported, error.message)
        }
        try PicturePage.check(header.width, header.height)
        let space = header.components == 1 ? "DeviceGray" : header.components == 3 ? "DeviceRGB" : "DeviceCMYK"
        let inverted = header.components == 4 && header.isAdobe ? "/Decode [1 0 1 0 1 0 1 0]" : ""
        let page = PicturePage(
            width: header.width, height: header.height, size: header.size,
            space: space, entries: "/Filter/DCTDecode\(inverted)", length: length)
        let prefix = page.prefix
        return PDFSource(
            self, prefix: prefix, suffix: page.suffix(behind: prefix), hasStatedSize: header.size.resolution != nil)
    }
}

extension PicturePage {
    /// Bytes of a file that is read whole.
    static let maximumFile = 256_000_000
    /// Bytes of decoded pixels, which are in memory beside the file.
    static let maximumSamples = 256_000_000

    /// Refuses a picture before its pixels are decoded. `samples`: its bytes a pixel once they are.
    static func check(_ width: Int, _ height: Int, samples: Int = 0) throws(RenderingRefusal) {
        let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
        let limit = min(RenderingLimits.picturePixels, samples > 0 ? maximumSamples / samples : Int.max)
        guard width > 0, height > 0, !overflow, pixels <= limit else {
            throw RenderingRefusal(
                .tooLarge,
                "the picture has \(width) × \(height) pixels; at most \(limit / 1_000_000) megapixels are printed, so make it smaller"
            )
        }
    }

    /// This page with samples that are filled in.
    func source(
        _ fill: (UnsafeMutableRawBufferPointer) throws(RenderingRefusal) -> Void
    ) throws(RenderingRefusal) -> PDFSource {
        let prefix = prefix
        return try PDFSource(
            prefix: prefix, count: length, suffix: suffix(behind: prefix), hasStatedSize: size.resolution != nil,
            fill: fill)
    }
}

extension PDFSource {
    /// The bytes of this file, which is decoded whole.
    func wholePicture() throws(RenderingRefusal) -> [UInt8] {
        guard length <= PicturePage.maximumFile else {
            throw RenderingRefusal(
                .tooLarge, "the picture has more than \(PicturePage.maximumFile / 1_000_000) MB; make it smaller")
        }
        return bytes(at: 0, atMost: length)
    }
}
