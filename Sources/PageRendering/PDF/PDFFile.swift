import CKioskPDFium
import KioskRenderingMessages

/// What PDFium has of a PDF file that it reads from a source.
final class PDFFile {
    let document: cpdfium_document
    /// The form, if the file has one.
    let form: cpdfium_form?
    private let library: cpdfium_library
    private let source: PDFSource
    // PDFium keeps pointers to both while the document is open.
    private let file: UnsafeMutablePointer<cpdfium_file>
    private let environment: UnsafeMutablePointer<cpdfium_form_environment>

    init(_ source: PDFSource, password: String?, _ library: cpdfium_library) throws(RenderingRefusal) {
        self.library = library
        self.source = source
        file = .allocate(capacity: 1)
        file.initialize(to: source.file)
        environment = .allocate(capacity: 1)
        environment.initialize(to: cpdfium_form_environment())
        environment.pointee.version = 2
        do throws(RenderingRefusal) {
            document = try Self.open(password, file, library)
        } catch {
            file.deallocate()
            environment.deallocate()
            throw error
        }
        form =
            library.FPDF_GetFormType(document) == Int32(CPDFIUM_FORMS_NONE)
            ? nil : library.FPDFDOC_InitFormFillEnvironment(document, environment)
    }

    deinit {
        if let form { library.FPDFDOC_ExitFormFillEnvironment(form) }
        library.FPDF_CloseDocument(document)
        file.deallocate()
        environment.deallocate()
    }

    private static func open(
        _ password: String?, _ file: UnsafeMutablePointer<cpdfium_file>, _ library: cpdfium_library
    ) throws(RenderingRefusal) -> cpdfium_document {
        guard file.pointee.length > 0 else { throw RenderingRefusal(.damaged, "the document is empty") }
        guard let document = library.FPDF_LoadCustomDocument(file, password) else {
            switch Int(library.FPDF_GetLastError()) {
            case CPDFIUM_ERROR_PASSWORD where password == nil:
                throw RenderingRefusal(
                    .password, "the PDF is encrypted; send its password with it, or save it without a password")
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
}
