package import KioskDrawingService
package import KioskPrintModel
import KioskReceipts

/// A receipt laid out as its job would print it: on the paper of a printer, with its ticket, as text, SVG or PNG.
package struct ReceiptPreview: Sendable {
    /// The parts of the document that are ignored, and the points in which the print would differ from it.
    package let remarks: [DocumentRemark]
    private let layout: ReceiptLayout
    /// The text that has to be drawn for the printer.
    private let drawnText: Set<Drawing>

    /// The maximum length of a document in bytes.
    package static let maximumDocumentLength = ReceiptSource.maximumLength

    /// Throws what is wrong with the document, or what does not fit this paper. A preview needs no rights.
    package init(
        of document: [UInt8], as format: DocumentFormat, with ticket: Ticket = Ticket(), on paper: Paper
    ) throws(DocumentProblem) {
        let source = try ReceiptSource(document, format, rights: .all)
        do throws(ReceiptError) {
            switch paper.kind {
            case .columns(let count):
                layout = try ReceiptLayout(
                    source.receipt.printed(with: ticket, isCopy: false), on: ReceiptPaper(columns: count))
                remarks = source.remarks + layout.remarks.map { DocumentRemark(message: $0) }
                drawnText = []
            case .printer(let output):
                let printed = source.receipt.printed(with: ticket, isCopy: false, on: output)
                let document = try ReceiptDocument(printed.receipt, for: output.target)
                layout = document.layout
                drawnText = document.drawings.filter { if case .text = $0.content { true } else { false } }
                remarks = source.remarks + (printed.remarks + document.remarks).map { DocumentRemark(message: $0) }
            }
        } catch {
            throw DocumentProblem(error, otherwise: .unprintable)
        }
    }

    /// The remarks with those on characters that no font has, which only drawing shows. Where nothing can be drawn, the
    /// remarks alone.
    package func remarks(by service: DrawingService?) async -> [DocumentRemark] {
        guard !drawnText.isEmpty,
            let drawn = try? await DrawingClient(service: service, purpose: .preview).draw(drawnText)
        else { return remarks }
        return remarks + drawn.remarks.map { DocumentRemark(message: $0) }
    }

    /// The layout in characters, with box-drawing characters for lines and a frame for each code and picture.
    package var text: String { TextPreview.text(of: layout) }

    /// The layout as SVG 1.1.
    package var svg: String { SVGPreview.svg(of: layout) }

    /// The layout as a PNG file, in which a pixel is a dot of the printer.
    package func png(by service: DrawingService?) async throws(DocumentProblem) -> [UInt8] {
        let (drawing, picture) = (DrawingClient(service: service, purpose: .preview), ReceiptPicture(layout))
        let drawn = try await drawing.draw(picture.drawings)
        let dots: DotMatrix
        do throws(ReceiptError) {
            dots = try picture.matrix(with: drawn)
        } catch {
            throw DocumentProblem(error, otherwise: .unprintable)
        }
        return try await drawing.png(of: dots)
    }

    /// The paper that a receipt is laid out on.
    package struct Paper: Sendable {
        let kind: Kind

        enum Kind {
            case printer(ReceiptOutputFormat)
            case columns(Int)
        }

        /// The paper of a printer; nil where it is not known how the printer takes receipts.
        package init?(of printer: PreparationTarget, _ settings: PrintingSettings?) {
            guard let output = ReceiptOutputFormat(printer, settings) else { return nil }
            kind = .printer(output)
        }

        /// The settings that receipts are laid out by; nil where only the columns are known.
        package var settings: PrintingSettings? {
            if case .printer(let output) = kind { output.settings } else { nil }
        }

        /// The paper that a profile's settings describe.
        package init(_ settings: PrintingSettings) { kind = .printer(ReceiptOutputFormat(settings)) }

        /// The usual roll of 80 mm.
        package static let usual = Paper(columns: 48)

        /// Paper that is this many characters of font A wide.
        package init(columns: Int) { kind = .columns(columns) }
    }
}
