import CKioskPDFium
import KioskPrintModel
package import KioskRenderingMessages

/// An open PDF document. It is read from its source as it is needed, and never in memory as a whole.
package final class PDFDocument: PagedDocument {
    private let library: cpdfium_library
    private let source: PDFSource
    private let password: String?
    private var file: PDFFile
    /// The pages of the side that is drawn: their content is read once for all bands.
    private var pages: [Int: PDFPage] = [:]
    /// The pages that were read since the file was opened.
    private var pagesRead = 0

    /// PDFium keeps much of what it has read until the file is closed. It is opened anew, which takes a few
    /// milliseconds, after so many pages.
    private static let pagesPerOpening = 256

    /// Opens the document.
    package init(_ source: PDFSource, password: String?, _ library: PDFiumLibrary) throws(RenderingRefusal) {
        file = try PDFFile(source, password: password, library.functions)
        self.library = library.functions
        self.source = source
        self.password = password
    }

    // MARK: What it says

    /// The pages' sizes and the document's wishes.
    package func info() throws(RenderingRefusal) -> DocumentInfo {
        let count = Int(library.FPDF_GetPageCount(file.document))
        guard count > 0 else { throw RenderingRefusal(.damaged, "the PDF has no pages") }
        guard count <= RenderingLimits.pages else {
            throw RenderingRefusal(
                .tooLarge, "the PDF has \(count) pages; at most \(RenderingLimits.pages) are printed, so split it")
        }
        var info = DocumentInfo(pages: [])
        info.hasStatedSizes = source.hasStatedSize
        info.pages.reserveCapacity(count)
        for index in 0..<count { info.pages.append(try size(ofPage: index)) }
        info.preferences.actualSize = library.FPDF_VIEWERREF_GetPrintScaling(file.document) == 0
        info.preferences.copies = min(
            max(Int(library.FPDF_VIEWERREF_GetNumCopies(file.document)), 1), RenderingLimits.copies)
        info.preferences.sides =
            switch Int(library.FPDF_VIEWERREF_GetDuplex(file.document)) {
            case CPDFIUM_SIMPLEX: .oneSided
            case CPDFIUM_DUPLEX_SHORT_EDGE: .twoSidedShortEdge
            case CPDFIUM_DUPLEX_LONG_EDGE: .twoSidedLongEdge
            default: nil
            }
        return info
    }

    private func size(ofPage index: Int) throws(RenderingRefusal) -> DocumentInfo.PageSize {
        var size = cpdfium_size()
        guard library.FPDF_GetPageSizeByIndexF(file.document, Int32(index), &size) != 0 else {
            throw RenderingRefusal(.damaged, "page \(index + 1) of the PDF is damaged; save or export it anew")
        }
        let (width, height) = (Double(size.width), Double(size.height))
        guard width.isFinite, height.isFinite, width <= RenderingLimits.pageEdge, height <= RenderingLimits.pageEdge
        else {
            throw RenderingRefusal(
                .tooLarge,
                "page \(index + 1) of the PDF is larger than \(Int(RenderingLimits.pageEdge)) points; make it smaller")
        }
        return DocumentInfo.PageSize(width: max(width, 1), height: max(height, 1))
    }

    // MARK: Its pages

    /// The page with this index, its content read.
    package func page(_ index: Int) throws(RenderingRefusal) -> PDFPage {
        if let page = pages[index] { return page }
        let page = try PDFPage(index, of: file, library)
        pages[index] = page
        pagesRead += 1
        return page
    }

    /// Closes all pages but these, which are read next.
    package func keepPages(_ indices: Set<Int>) throws(RenderingRefusal) {
        pages = pages.filter { indices.contains($0.key) }
        guard pagesRead >= Self.pagesPerOpening else { return }
        pages = [:]
        file = try PDFFile(source, password: password, library)
        pagesRead = 0
    }

    /// Has pages that consist of a picture drawn in linear light (`LinearLight`), or no longer; false where there are
    /// none.
    package func drawPictures(inLinearLight: Bool) throws(RenderingRefusal) -> Bool {
        guard source.hasLinearLight else { return false }
        if source.setLinearLight(inLinearLight) {
            pages = [:]
            file = try PDFFile(source, password: password, library)
            pagesRead = 0
        }
        return inLinearLight
    }

    /// Pixels of the largest picture of the first pages, as far as `isTimeLeft`; 0 without any.
    package func largestPicture(isTimeLeft: () -> Bool) throws(RenderingRefusal) -> Int {
        var largest = 0
        for index in 0..<Int(library.FPDF_GetPageCount(file.document)) {
            guard isTimeLeft() else { break }
            largest = max(largest, try page(index).content.largestPicture)
            // The first page is likely to be drawn next.
            try keepPages([0])
        }
        return largest
    }
}
