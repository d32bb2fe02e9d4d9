import CKioskPDFium
import Glibc

/// PDFium, loaded at run time. It may not be called from two threads, not even for two documents: one process draws
/// one.
package struct PDFiumLibrary {
    let functions: cpdfium_library
    /// The name and version, for people: "PDFium 8149".
    package let name: String
    /// The date on which it was built, `2026-11-09`, where that is known.
    package let built: String?

    /// Why the library cannot be used.
    package struct LoadError: Error, CustomStringConvertible {
        /// A sentence without its full stop.
        package var description: String
    }

    private static let fileName = "libpdfium.so"
    /// Where the library's own package has it.
    private static let packageFolder = "/usr/lib/kioskd/"

    /// Loads the library: from the folder of the running program, else from that of its own package. Opens no fonts.
    package static func load() throws(LoadError) -> PDFiumLibrary {
        var reasons: [String] = []
        for folder in [programFolder, packageFolder].compactMap(\.self) {
            guard access(folder + fileName, R_OK) == 0 else { continue }
            var functions = cpdfium_library()
            if let failure = cpdfium_load(folder + fileName, &functions) {
                reasons.append(String(cString: failure))
                continue
            }
            let words = description(in: folder)
            let number = value(of: "build", in: words).flatMap { $0.allSatisfy(\.isNumber) ? $0 : nil }
            return PDFiumLibrary(
                functions: functions, name: number.map { "PDFium \($0)" } ?? "PDFium",
                built: value(of: "built", in: words))
        }
        throw LoadError(
            description: reasons.first.map { "\(fileName) cannot be loaded (\($0)); install it again" }
                ?? "\(fileName), which draws PDF, is not installed; put it beside the program or into \(packageFolder)")
    }

    /// Initializes the library, once. The fonts below `/usr/share/fonts` are looked for when a document first needs
    /// one.
    package func initialize() {
        var configuration = cpdfium_configuration()
        configuration.version = 2
        functions.FPDF_InitLibraryWithConfig(&configuration)
    }

    /// The folder of the running program, with its last slash.
    private static var programFolder: String? {
        // PATH_MAX bytes are the most that the kernel gives (path_resolution(7)).
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink("/proc/self/exe", &buffer, Int(PATH_MAX))
        guard count > 0 else { return nil }
        let program = String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return program.lastIndex(of: "/").map { String(program[...$0]) }
    }

    /// The words of the file that comes with the library, which has no function for its version: `"build": 8149`, and
    /// `"built": "2026-11-09"` from `Scripts/bootstrap`.
    private static func description(in folder: String) -> [Substring] {
        let file = open("\(folder)libpdfium.json", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(file, &bytes, bytes.count)
        let text = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
        return text.split { ": ,\n\"{}".contains($0) }
    }

    private static func value(of key: String, in words: [Substring]) -> String? {
        words.firstIndex { $0 == key }.flatMap { words[$0...].dropFirst().first }.map { String($0) }
    }
}

extension PDFiumLibrary {
    /// Looks for the machine's fonts, which the library does once, by reading a page with a font that is not embedded.
    package func findFonts() {
        let page = Array(Self.pageWithoutFont.utf8)
        page.withUnsafeBytes { bytes in
            guard let document = functions.FPDF_LoadMemDocument64(bytes.baseAddress, bytes.count, nil) else { return }
            if let page = functions.FPDF_LoadPage(document, 0) { functions.FPDF_ClosePage(page) }
            functions.FPDF_CloseDocument(document)
        }
    }

    /// Without a table of its objects, which the library then looks for.
    private static let pageWithoutFont = """
        %PDF-1.4
        1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
        2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj
        3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>> endobj
        4 0 obj <</Length 26>> stream
        BT /F 9 Tf 0 0 Td (a) Tj ET
        endstream endobj
        5 0 obj <</Type/Font/Subtype/TrueType/BaseFont/NotoSans>> endobj
        trailer <</Root 1 0 R>>
        """
}
