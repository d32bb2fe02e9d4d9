import CKioskPDFium
import Glibc
import KioskPrintModel
package import KioskRenderingMessages

/// An open PDF file. It is read from its descriptor as it is needed, and never in memory as a whole.
package final class PDFDocument {
    private let library: cpdfium_library
    private let descriptor: Int32
    // PDFium keeps pointers to both while the document is open.
    private let file: UnsafeMutablePointer<cpdfium_file>
    private let environment: UnsafeMutablePointer<cpdfium_form_environment>
    private let document: cpdfium_document
    private let form: cpdfium_form?
    /// The pages of the side that is drawn: their content is read once for all bands.
    private var pages: [Int: PDFPage] = [:]

    /// Opens the document and takes over the descriptor.
    package init(_ descriptor: Int32, password: String?, _ library: PDFiumLibrary) throws(RenderingRefusal) {
        self.library = library.functions
        self.descriptor = descriptor
        file = .allocate(capacity: 1)
        file.initialize(to: cpdfium_file())
        environment = .allocate(capacity: 1)
        environment.initialize(to: cpdfium_form_environment())
        environment.pointee.version = 2
        do throws(RenderingRefusal) {
            document = try Self.open(descriptor, password, file, library.functions)
        } catch {
            close(descriptor)
            file.deallocate()
            environment.deallocate()
            throw error
        }
        form =
            self.library.FPDF_GetFormType(document) == Int32(CPDFIUM_FORMS_NONE)
            ? nil : self.library.FPDFDOC_InitFormFillEnvironment(document, environment)
    }

    deinit {
        pages = [:]
        if let form { library.FPDFDOC_ExitFormFillEnvironment(form) }
        library.FPDF_CloseDocument(document)
        close(descriptor)
        file.deallocate()
        environment.deallocate()
    }

    private static func open(
        _ descriptor: Int32, _ password: String?, _ file: UnsafeMutablePointer<cpdfium_file>, _ library: cpdfium_library
    ) throws(RenderingRefusal) -> cpdfium_document {
        let failure = cpdfium_open(descriptor, file)
        guard failure == 0 else {
            throw RenderingRefusal(.rendering, "the document cannot be read (\(String(cString: strerror(failure))))")
        }
        guard file.pointee.length > 0 else { throw RenderingRefusal(.damaged, "the document is empty") }
        guard let document = library.FPDF_LoadCustomDocument(file, password) else {
            switch Int(library.FPDF_GetLastError()) {
            case CPDFIUM_ERROR_PASSWORD where password == nil:
                throw RenderingRefusal(.password, "the PDF is encrypted; send its password as well")
            case CPDFIUM_ERROR_PASSWORD:
                throw RenderingRefusal(.password, "the password does not open the PDF; send the right one")
            case CPDFIUM_ERROR_SECURITY:
                throw RenderingRefusal(
                    .unsupported, "the PDF is encrypted in a way that is not supported; save it without encryption")
            default:
                throw RenderingRefusal(
                    .damaged, "the document is no PDF, or is damaged; save or export it anew")
            }
        }
        // What such a form shows is made by a program inside it; its only page says "please wait".
        guard library.FPDF_GetFormType(document) != Int32(CPDFIUM_FORMS_XFA_FULL) else {
            library.FPDF_CloseDocument(document)
            throw RenderingRefusal(
                .unsupported, "the PDF is an XFA form, which only Adobe's programs show; print it to PDF there first")
        }
        return document
    }

    // MARK: What it says

    /// The pages' sizes and the document's wishes.
    package func info() throws(RenderingRefusal) -> DocumentInfo {
        let count = Int(library.FPDF_GetPageCount(document))
        guard count > 0 else { throw RenderingRefusal(.damaged, "the PDF has no pages") }
        guard count <= RenderingLimits.pages else {
            throw RenderingRefusal(
                .tooLarge, "the PDF has \(count) pages; at most \(RenderingLimits.pages) are printed, so split it")
        }
        var info = DocumentInfo(pages: [])
        info.pages.reserveCapacity(count)
        for index in 0..<count { info.pages.append(try size(ofPage: index)) }
        info.preferences.actualSize = library.FPDF_VIEWERREF_GetPrintScaling(document) == 0
        info.preferences.copies = min(
            max(Int(library.FPDF_VIEWERREF_GetNumCopies(document)), 1), RenderingLimits.copies)
        info.preferences.sides =
            switch Int(library.FPDF_VIEWERREF_GetDuplex(document)) {
            case CPDFIUM_SIMPLEX: .oneSided
            case CPDFIUM_DUPLEX_SHORT_EDGE: .twoSidedShortEdge
            case CPDFIUM_DUPLEX_LONG_EDGE: .twoSidedLongEdge
            default: nil
            }
        return info
    }

    private func size(ofPage index: Int) throws(RenderingRefusal) -> DocumentInfo.PageSize {
        var size = cpdfium_size()
        guard library.FPDF_GetPageSizeByIndexF(document, Int32(index), &size) != 0 else {
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
        let page = try PDFPage(index, of: document, form: form, library)
        pages[index] = page
        return page
    }

    /// Closes all pages but these.
    package func closePages(besides indices: Set<Int>) { pages = pages.filter { indices.contains($0.key) } }

    /// Pixels of the largest picture of the first pages, as far as `isTimeLeft`; 0 without any.
    package func largestPicture(isTimeLeft: () -> Bool) throws(RenderingRefusal) -> Int {
        var largest = 0
        for index in 0..<Int(library.FPDF_GetPageCount(document)) {
            guard isTimeLeft() else { break }
            largest = max(largest, try page(index).content.largestPicture)
            // The first page is likely to be drawn next.
            closePages(besides: [0])
        }
        return largest
    }
}
