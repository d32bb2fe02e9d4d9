import CKioskPango
package import KioskRenderingMessages
import KioskTextLayout
import KioskTextShaping

/// A text file as pages: Noto Sans Mono of 10 points, six lines an inch, on the paper that the request names.
package enum TextDocument {
    /// Bytes of a file that is read whole.
    private static let maximumFile = 16 << 20
    /// Points of a cell: twelve characters and six lines an inch.
    private static let cell = (width: 6.0, height: 12.0)

    /// Opens a file. Fonts are found now: `LineShaper.prepare()` was called.
    package static func open(
        _ source: PDFSource, on paper: TextPaper, _ library: PDFiumLibrary
    ) throws(RenderingRefusal) -> GeneratedDocument {
        guard source.length > 0 else { throw RenderingRefusal(.damaged, "the document is empty") }
        guard source.length <= maximumFile else {
            throw RenderingRefusal(
                .tooLarge, "the text has more than \(maximumFile >> 20) MiB; split it")
        }
        let text = PlainText(
            source.bytes(at: 0, atMost: source.length), maximumLines: TextLayout.maximumRows)
        let columns = Int((paper.width - paper.left - paper.right + 0.01) / cell.width)
        let rows = Int((paper.height - paper.top - paper.bottom + 0.01) / cell.height)
        guard columns >= 2, rows >= 1 else {
            throw RenderingRefusal(
                .unsupported, "the paper has no room for text beside its margins; print on larger paper")
        }
        let layout: TextLayout
        do throws(TextLayout.Problem) {
            layout = try TextLayout(text, columns: columns, rows: rows, maximumPages: RenderingLimits.pages)
        } catch {
            let limit =
                error == .lines ? "\(TextLayout.maximumRows) lines" : "\(RenderingLimits.pages) pages"
            throw RenderingRefusal(.tooLarge, "the text has more than \(limit) as it is printed; split it")
        }
        let shaper = try shaper()
        var info = DocumentInfo(
            pages: layout.pages.map { _ in DocumentInfo.PageSize(width: paper.width, height: paper.height) })
        info.isLatin1 = text.isLatin1
        return GeneratedDocument(info, library, content: .text) { index throws(RenderingRefusal) in
            try draw(layout.pages[index], on: paper, columns: columns, shaper)
        }
    }

    private static func shaper() throws(RenderingRefusal) -> LineShaper {
        do throws(TextShapingError) { return try LineShaper(isHinted: false) } catch {
            throw RenderingRefusal(.unavailable, error.description)
        }
    }

    /// A page as a PDF, which cairo writes with the glyphs that it needs.
    private static func draw(
        _ rows: [TextLayout.Row], on paper: TextPaper, columns: Int, _ shaper: LineShaper
    ) throws(RenderingRefusal) -> PDFSource {
        let file = PDFBytes()
        // `file` lives until the surface is finished.
        let surface = cairo_pdf_surface_create_for_stream(
            { closure, bytes, count in
                guard let closure, let bytes else { return CAIRO_STATUS_WRITE_ERROR }
                let file = Unmanaged<PDFBytes>.fromOpaque(closure).takeUnretainedValue()
                file.bytes.append(contentsOf: UnsafeBufferPointer(start: bytes, count: Int(count)))
                return CAIRO_STATUS_SUCCESS
            }, Unmanaged.passUnretained(file).toOpaque(), paper.width, paper.height)
        guard let surface, let cairo = cairo_create(surface) else {
            throw RenderingRefusal(.memory, "there is not enough memory to draw the text")
        }
        let scale = (x: cell.width / TextCell.width, y: cell.height / TextCell.height)
        var failure: TextShapingError?
        for (index, row) in rows.enumerated() where !row.text.isEmpty {
            do throws(TextShapingError) {
                let line = try shaper.line(
                    LineShaper.drawable(row.text), .natural(isRightToLeft: row.isRightToLeft))
                cairo_save(cairo)
                cairo_translate(cairo, paper.left, paper.top + Double(index) * cell.height)
                line.draw(cairo, scale: scale, width: Double(columns) * cell.width, hasDots: false)
                cairo_restore(cairo)
            } catch {
                failure = error
            }
        }
        cairo_destroy(cairo)
        cairo_surface_finish(surface)
        let status = cairo_surface_status(surface)
        cairo_surface_destroy(surface)
        if let failure { throw RenderingRefusal(.rendering, failure.description) }
        guard status == CAIRO_STATUS_SUCCESS else {
            throw RenderingRefusal(.memory, "there is not enough memory to draw the text")
        }
        return PDFSource(bytes: file.bytes)
    }
}

/// What cairo has written.
private final class PDFBytes {
    var bytes: [UInt8] = []
}
