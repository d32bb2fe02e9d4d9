import CKioskPDFium
import KioskPageEncoding
package import KioskRenderingMessages

/// A page of a PDF file with its content.
package final class PDFPage {
    /// Its index in the document, from 0.
    package let index: Int
    /// What its content consists of.
    package let content: PageContent
    private let library: cpdfium_library
    /// Open as long as its pages.
    private let file: PDFFile
    private let page: cpdfium_page

    /// Reads the page's content. Form fields and annotations become part of it, as far as they are to be printed.
    init(_ index: Int, of file: PDFFile, _ library: cpdfium_library) throws(RenderingRefusal) {
        self.index = index
        self.library = library
        self.file = file
        page = try Self.load(index, of: file, library)
        content = PageContent(page, library)
        guard content.largestPicture <= RenderingLimits.picturePixels else {
            let megapixels = content.largestPicture / 1_000_000
            // PDFium has no memory for it, and would leave it out without a word.
            throw RenderingRefusal(
                .tooLarge,
                "page \(index + 1) has a picture of \(megapixels) megapixels; at most \(RenderingLimits.picturePixels / 1_000_000) are printed, so make it smaller"
            )
        }
    }

    deinit { Self.close(page, file.form, library) }

    private static func load(
        _ index: Int, of file: PDFFile, _ library: cpdfium_library
    ) throws(RenderingRefusal) -> cpdfium_page {
        let form = file.form
        guard let page = library.FPDF_LoadPage(file.document, Int32(index)) else { throw damaged(index) }
        // Fields without an appearance get one.
        if let form { library.FORM_OnAfterLoadPage(page, form) }
        guard hasAnnotations(page, library),
            library.FPDFPage_Flatten(page, Int32(CPDFIUM_FLATTEN_FOR_PRINTING)) == Int32(CPDFIUM_FLATTENED)
        else { return page }
        // What was made part of the page is read with it.
        close(page, form, library)
        guard let flattened = library.FPDF_LoadPage(file.document, Int32(index)) else { throw damaged(index) }
        if let form { library.FORM_OnAfterLoadPage(flattened, form) }
        return flattened
    }

    private static func close(_ page: cpdfium_page, _ form: cpdfium_form?, _ library: cpdfium_library) {
        if let form { library.FORM_OnBeforeClosePage(page, form) }
        library.FPDF_ClosePage(page)
    }

    private static func damaged(_ index: Int) -> RenderingRefusal {
        RenderingRefusal(.damaged, "page \(index + 1) of the PDF is damaged; save or export it anew")
    }

    /// More annotations than a page has that people made.
    private static let maximumAnnotations: Int32 = 100_000

    /// Whether the page has form fields or annotations that may be printed. Links, which many pages have, are not.
    private static func hasAnnotations(_ page: cpdfium_page, _ library: cpdfium_library) -> Bool {
        let count = library.FPDFPage_GetAnnotCount(page)
        guard count > 0 else { return false }
        for index in 0..<min(count, maximumAnnotations) {
            guard let annotation = library.FPDFPage_GetAnnot(page, index) else { continue }
            defer { library.FPDFPage_CloseAnnot(annotation) }
            let type = Int(library.FPDFAnnot_GetSubtype(annotation))
            if type != CPDFIUM_ANNOTATION_LINK, type != CPDFIUM_ANNOTATION_POPUP { return true }
        }
        return false
    }

    /// Draws the page over what a band of a side contains already. `top` is the band's first row in the side.
    package func draw(
        _ drawing: PageDrawing, into band: inout PixelBand, top: Int, smoothing: SideDrawing.Smoothing
    ) {
        let rows = DotRectangle(left: 0, top: top, right: band.width, bottom: top + band.height)
        let clip = drawing.clip.intersection(rows)
        guard !clip.isEmpty else { return }
        var matrix = cpdfium_matrix(drawing.matrix, top: top)
        var rectangle = cpdfium_rectangle(
            left: Float(clip.left), top: Float(clip.top - top), right: Float(clip.right),
            bottom: Float(clip.bottom - top))
        var flags = CPDFIUM_PRINTING
        if band.isColored { flags |= CPDFIUM_RGB_ORDER }
        if smoothing == .crisp { flags |= CPDFIUM_NO_SMOOTH_TEXT | CPDFIUM_NO_SMOOTH_PATH }
        let format = band.isColored ? CPDFIUM_BGR : CPDFIUM_GRAY
        let (width, height, stride) = (Int32(band.width), Int32(band.height), Int32(band.stride))
        band.withBytes { bytes in
            guard let bitmap = library.FPDFBitmap_CreateEx(width, height, Int32(format), bytes, stride) else { return }
            library.FPDF_RenderPageBitmapWithMatrix(bitmap, page, &matrix, &rectangle, Int32(flags))
            library.FPDFBitmap_Destroy(bitmap)
        }
    }
}

extension cpdfium_matrix {
    /// The matrix for a band whose first row is `top`.
    fileprivate init(_ matrix: PageMatrix, top: Int) {
        self.init(
            a: Float(matrix.a), b: Float(matrix.b), c: Float(matrix.c), d: Float(matrix.d), e: Float(matrix.e),
            f: Float(matrix.f - Double(top)))
    }
}

extension DotRectangle {
    /// The part that both have.
    func intersection(_ other: DotRectangle) -> DotRectangle {
        DotRectangle(
            left: max(left, other.left), top: max(top, other.top), right: min(right, other.right),
            bottom: min(bottom, other.bottom))
    }
}
