import CKioskTIFF
import KioskPictureHeaders
package import KioskRenderingMessages

/// A TIFF file (TIFF 6.0) as pages, each of which is decoded when its turn has come.
package enum TIFFDocument {
    /// Opens a file: reads the directories of its pages.
    package static func open(
        _ source: PDFSource, _ library: PDFiumLibrary
    ) throws(RenderingRefusal) -> GeneratedDocument {
        let file = try TIFFFile(source)
        var info = DocumentInfo(pages: file.pages.map(\.page.pageSize))
        info.hasStatedSizes = file.pages.allSatisfy { $0.page.size.resolution != nil }
        info.largestPicture = file.pages.map { $0.page.width * $0.page.height }.max() ?? 0
        return GeneratedDocument(info, library, content: .pictures) { index throws(RenderingRefusal) in
            try file.decode(file.pages[index])
        }
    }
}

/// An open TIFF file.
private final class TIFFFile {
    private(set) var pages: [Page] = []
    private let tiff: OpaquePointer
    // libtiff has its address.
    private let file: UnsafeMutablePointer<ctiff_file>
    private let source: PDFSource

    /// A directory that is a page.
    struct Page {
        let offset: UInt64
        let page: PicturePage
        let layout: Layout
    }

    /// How a page's pixels are decoded.
    enum Layout {
        /// Rows of bits, as of facsimiles.
        case bits
        /// So many rows at once. Their pixels are in grey, or else in colours.
        case rows(Int, isGrey: Bool)
    }

    /// Bytes of one allocation of libtiff's, and of pixels that are decoded at once.
    private static let maximumAllocation = 256_000_000
    /// Directories that are looked at: pages, and smaller versions of them.
    private static let maximumDirectories = 2 * RenderingLimits.pages
    /// The codings that are read: none, Huffman, Group 3 and 4, LZW, JPEG, Deflate and PackBits. Others are rare, and
    /// their decoders little tried.
    private static let codings: Set<Int32> = [
        COMPRESSION_NONE, COMPRESSION_CCITTRLE, COMPRESSION_CCITTFAX3, COMPRESSION_CCITTFAX4, COMPRESSION_LZW,
        COMPRESSION_JPEG, COMPRESSION_ADOBE_DEFLATE, COMPRESSION_DEFLATE, COMPRESSION_PACKBITS,
    ]

    init(_ source: PDFSource) throws(RenderingRefusal) {
        self.source = source
        file = .allocate(capacity: 1)
        file.initialize(to: ctiff_file(descriptor: source.descriptor, length: UInt64(source.length), place: 0))
        guard let tiff = ctiff_open(file, tmsize_t(Self.maximumAllocation)) else {
            file.deallocate()
            throw RenderingRefusal(.damaged, "the document is no TIFF picture, or is damaged; save or export it anew")
        }
        self.tiff = tiff
        var looked = 0
        repeat {
            looked += 1
            // A smaller version of another page, or a mask of one.
            if number(TIFFTAG_SUBFILETYPE) & Int(FILETYPE_REDUCEDIMAGE | FILETYPE_MASK) == 0 { try addPage() }
            guard pages.count <= RenderingLimits.pages, looked <= Self.maximumDirectories else {
                throw RenderingRefusal(
                    .tooLarge, "the TIFF file has more than \(RenderingLimits.pages) pages; split it")
            }
        } while TIFFReadDirectory(tiff) != 0
        guard !pages.isEmpty else { throw RenderingRefusal(.damaged, "the TIFF file has no pages") }
    }

    deinit {
        TIFFClose(tiff)
        file.deallocate()
    }

    private func number(_ tag: Int32) -> Int { Int(ctiff_number(tiff, UInt32(tag))) }

    private func addPage() throws(RenderingRefusal) {
        let (width, height) = (number(TIFFTAG_IMAGEWIDTH), number(TIFFTAG_IMAGELENGTH))
        let coding = Int32(truncatingIfNeeded: number(TIFFTAG_COMPRESSION))
        guard Self.codings.contains(coding) else {
            throw RenderingRefusal(
                .unsupported,
                "page \(pages.count + 1) of the TIFF file has an unsupported compression (\(coding)); save it with LZW or Deflate"
            )
        }
        let (bits, samples) = (number(TIFFTAG_BITSPERSAMPLE), number(TIFFTAG_SAMPLESPERPIXEL))
        let photometric = Int32(truncatingIfNeeded: number(TIFFTAG_PHOTOMETRIC))
        let isGrey = [PHOTOMETRIC_MINISWHITE, PHOTOMETRIC_MINISBLACK].contains(photometric)
        let isTiled = TIFFIsTiled(tiff) != 0
        let isBits = isGrey && bits == 1 && samples == 1 && !isTiled
        try PicturePage.check(width, height, samples: isBits ? 0 : isGrey ? 1 : 3)
        var page = PicturePage(
            width: width, height: height, size: size, space: isGrey ? "DeviceGray" : "DeviceRGB",
            length: width * height * (isGrey ? 1 : 3))
        var layout = Layout.bits
        if isBits {
            page.bits = 1
            page.length = (width + 7) / 8 * height
            if photometric == PHOTOMETRIC_MINISWHITE { page.entries = "/Decode[1 0]" }
        } else {
            let unit = number(isTiled ? TIFFTAG_TILELENGTH : TIFFTAG_ROWSPERSTRIP)
            let rows = min(max(unit, 1), height)
            // A strip is decoded from its beginning each time.
            let count = rows * max(64 / rows, 1)
            guard count <= Self.maximumAllocation / 4 / width else {
                throw RenderingRefusal(
                    .tooLarge,
                    "page \(pages.count + 1) of the TIFF file has strips of \(width) × \(rows) pixels; save it with smaller ones"
                )
            }
            layout = .rows(count, isGrey: isGrey)
        }
        pages.append(Page(offset: UInt64(TIFFCurrentDirOffset(tiff)), page: page, layout: layout))
    }

    /// What the directory says of the size on paper.
    private var size: PictureMetadata {
        var size = PictureMetadata()
        let orientation = number(TIFFTAG_ORIENTATION)
        if (1...8).contains(orientation) { size.orientation = orientation }
        let unit =
            switch Int32(truncatingIfNeeded: number(TIFFTAG_RESOLUTIONUNIT)) {
            case RESUNIT_INCH: 1.0
            case RESUNIT_CENTIMETER: 2.54
            default: 0.0
            }
        let x = Double(ctiff_resolution(tiff, UInt32(TIFFTAG_XRESOLUTION)))
        let y = Double(ctiff_resolution(tiff, UInt32(TIFFTAG_YRESOLUTION)))
        size.state(PictureMetadata.Resolution(x * unit, y * unit))
        return size
    }

    func decode(_ page: Page) throws(RenderingRefusal) -> PDFSource {
        guard TIFFSetSubDirectory(tiff, page.offset) != 0 else { throw damaged }
        return try page.page.source { pixels throws(RenderingRefusal) in
            switch page.layout {
            case .bits: try decodeBits(page.page, into: pixels)
            case .rows(let count, let isGrey): try decodeRows(page.page, count, isGrey: isGrey, into: pixels)
            }
        }
    }

    private func decodeBits(
        _ page: PicturePage, into pixels: UnsafeMutableRawBufferPointer
    ) throws(RenderingRefusal) {
        let stride = (page.width + 7) / 8
        guard TIFFScanlineSize(tiff) == stride, let start = pixels.baseAddress else { throw damaged }
        for row in 0..<page.height {
            guard TIFFReadScanline(tiff, start + row * stride, UInt32(row), 0) == 1 else { throw damaged }
        }
    }

    private func decodeRows(
        _ page: PicturePage, _ count: Int, isGrey: Bool, into pixels: UnsafeMutableRawBufferPointer
    ) throws(RenderingRefusal) {
        guard let image = ctiff_image(tiff) else {
            throw RenderingRefusal(
                .unsupported,
                "the TIFF picture has colours or samples that are not read; save it as RGB or grey of 8 bits")
        }
        defer { ctiff_end(image) }
        guard image.pointee.width == page.width, image.pointee.height == page.height else { throw damaged }
        let chunk = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: page.width * min(count, page.height))
        defer { chunk.deallocate() }
        for top in Swift.stride(from: 0, to: page.height, by: count) {
            let rows = min(count, page.height - top)
            guard ctiff_rows(image, Int32(top), chunk.baseAddress, UInt32(rows)) != 0 else { throw damaged }
            var place = page.width * top * (isGrey ? 1 : 3)
            // The samples are multiplied by their alpha.
            for pixel in chunk[..<(page.width * rows)] {
                let white = 255 - pixel >> 24
                pixels[place] = UInt8(truncatingIfNeeded: min(pixel & 0xFF + white, 255))
                if !isGrey {
                    pixels[place + 1] = UInt8(truncatingIfNeeded: min(pixel >> 8 & 0xFF + white, 255))
                    pixels[place + 2] = UInt8(truncatingIfNeeded: min(pixel >> 16 & 0xFF + white, 255))
                }
                place += isGrey ? 1 : 3
            }
        }
    }

    private var damaged: RenderingRefusal {
        RenderingRefusal(.damaged, "the TIFF picture is damaged; save or export it anew")
    }
}
