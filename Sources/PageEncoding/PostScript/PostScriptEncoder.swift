import KioskPrintModel

/// Sides in PostScript, level 2: one image for each, compressed by `RunLengthDecode`, with comments by the Document
/// Structuring Conventions 3.0.
struct PostScriptEncoder: Sendable {
    private let document: RasterDocument
    private var sideCount = 0
    private var hasBegun = false
    /// What the page device was set to: it starts a new sheet where it is set again.
    private var device: String?
    private var coder = RunLengthCoder(.packBits)
    private var ascii: ASCII85Writer?
    private var packed: [UInt8] = []

    /// The byte that ends run-length data.
    private static let endOfData: UInt8 = 128

    init(_ document: RasterDocument) { self.document = document }

    mutating func beginSide(_ page: RasterPage, into output: inout [UInt8]) {
        let size = PointSize(page)
        if !hasBegun {
            if document.usesPJL { PJLHeader(document).append(to: &output) }
            output += header(page, size).utf8
            hasBegun = true
        }
        sideCount += 1
        let (width, height) = (size.width.text, size.height.text)
        output += "%%Page: \(sideCount) \(sideCount)\n%%BeginPageSetup\n".utf8
        let device = Self.device(page, width, height)
        // A back side belongs to the sheet that its front has set up.
        if device != self.device, !page.isBack || self.device == nil {
            output += device.utf8
            self.device = device
        }
        output += "%%EndPageSetup\n".utf8
        let (space, decode) =
            switch page.color {
            case .black1: ("/DeviceGray", "1 0")
            case .gray8: ("/DeviceGray", "0 1")
            case .rgb24: ("/DeviceRGB", "0 1 0 1 0 1")
            }
        let bits = page.color == .black1 ? 1 : 8
        let isASCII = !document.isEightBitClean
        // The upper left corner of the sheet is moved to a whole dot, and a unit is a dot. The filters are read to
        // their ends, since `image` stops at its last row.
        let program = """
            save
            0 \(height) transform round exch round exch itransform translate
            72 \(page.dpi) div dup neg scale
            \(space) setcolorspace
            {/A currentfile\(isASCII ? "/ASCII85Decode filter" : "") def/R A/RunLengthDecode filter def
            <</ImageType 1/Width \(page.width)/Height \(page.height)/BitsPerComponent \(bits)/Decode[\(decode)]
            /ImageMatrix[1 0 0 1 0 0]/DataSource R>>image R flushfile\(isASCII ? " A flushfile" : "")}exec

            """
        output += program.utf8
        ascii = isASCII ? ASCII85Writer() : nil
    }

    /// Adds rows, which are `rowBytes` apart and `length` bytes long.
    mutating func append(
        _ rows: Span<UInt8>, count: Int, rowBytes: Int, length: Int, into output: inout [UInt8]
    ) {
        for index in 0..<count {
            let row = rows.extracting(index * rowBytes..<index * rowBytes + length)
            if ascii == nil {
                coder.append(row, to: &output)
            } else {
                packed.removeAll(keepingCapacity: true)
                coder.append(row, to: &packed)
                ascii?.append(packed, to: &output)
            }
        }
    }

    mutating func endSide(into output: inout [UInt8]) {
        if ascii == nil {
            output += [Self.endOfData, 0x0A]
        } else {
            ascii?.append(CollectionOfOne(Self.endOfData), to: &output)
            ascii?.finish(to: &output)
        }
        output += "restore\nshowpage\n".utf8
    }

    mutating func end(into output: inout [UInt8]) {
        guard hasBegun else { return }
        output += "%%Trailer\n".utf8
        if document.sideCount == 0 { output += "%%Pages: \(sideCount)\n".utf8 }
        output += "%%EOF\n".utf8
        if document.usesPJL { output += PJLHeader.exitLanguage }
    }

    private func header(_ page: RasterPage, _ size: PointSize) -> String {
        let title = document.jobName.map { "%%Title: (\(Self.escaped($0)))\n" } ?? ""
        let copies = document.copies > 1 ? " numcopies(\(document.copies))\(document.isCollated ? " collate" : "")" : ""
        let duplex = page.sides == .oneSided ? "" : " duplex\(page.sides == .twoSidedShortEdge ? "(tumble)" : "")"
        let requirements = copies + duplex
        return """
            %!PS-Adobe-3.0
            \(title)%%BoundingBox: 0 0 \(size.width.roundedUp) \(size.height.roundedUp)
            %%LanguageLevel: 2
            %%DocumentData: \(document.isEightBitClean ? "Binary" : "Clean7Bit")
            %%Pages: \(document.sideCount > 0 ? "\(document.sideCount)" : "(atend)")
            %%PageOrder: Ascend
            %%Orientation: Portrait
            \(requirements.isEmpty ? "" : "%%Requirements:\(requirements)\n")%%EndComments
            %%BeginSetup
            \(setup)%%EndSetup

            """
    }

    /// The copies, each in `stopped`, since not every printer has every key.
    private var setup: String {
        guard document.copies > 1 else { return "" }
        return Self.attempt("/NumCopies \(document.copies)") + Self.attempt("/Collate \(document.isCollated)")
    }

    /// The page device of a sheet.
    private static func device(_ page: RasterPage, _ width: String, _ height: String) -> String {
        let isDuplex = page.sides != .oneSided
        let tumble = isDuplex ? "/Tumble \(page.sides == .twoSidedShortEdge)" : ""
        let manual = page.mediaSource == "manual" ? attempt("/ManualFeed true") : ""
        return attempt("/PageSize[\(width) \(height)]/ImagingBBox null") + manual
            + attempt("/Duplex \(isDuplex)\(tumble)")
    }

    /// Sets keys of the page device, and goes on where the printer has none of them.
    private static func attempt(_ keys: String) -> String {
        "[{<<\(keys)>>setpagedevice}stopped cleartomark\n"
    }

    /// A name in a literal string: at most 80 characters of ASCII.
    private static func escaped(_ name: String) -> String {
        PJLHeader.quotable(name).reduce(into: "") { text, character in
            if "()\\".contains(character) { text.append("\\") }
            text.append(character)
        }
    }
}

/// The size of a sheet in hundredths of a point.
private struct PointSize {
    var width: Length
    var height: Length

    init(_ page: RasterPage) {
        width = Length(page.paperWidth, dots: page.width, page.dpi)
        height = Length(page.paperHeight, dots: page.height, page.dpi)
    }

    struct Length {
        private let hundredths: Int

        init(_ paper: Int, dots: Int, _ dpi: Int) {
            hundredths = paper > 0 ? (paper * 7200 + 1270) / 2540 : (dots * 7200 + dpi / 2) / dpi
        }

        var text: String {
            let fraction = hundredths % 100
            return "\(hundredths / 100)" + (fraction == 0 ? "" : (fraction < 10 ? ".0" : ".") + "\(fraction)")
        }

        var roundedUp: Int { (hundredths + 99) / 100 }
    }
}
