package import DrawingService
package import PrintModel
import Receipts

/// Shows a receipt before any paper is spent: as the ticket has it printed, on the paper of a printer.
package struct ReceiptPreview: Sendable {
    /// What the document says and was not heeded, and what the printer would print otherwise.
    package let remarks: [DocumentRemark]
    private let layout: ReceiptLayout
    /// What is drawn for the printer of its text.
    private let drawnText: Set<Drawing>

    /// In bytes.
    package static let longestDocument = ReceiptSource.longest

    /// Throws what is wrong with the document, or does not fit this paper. Nobody needs rights to look at one.
    package init(
        of document: [UInt8], as format: DocumentFormat, with ticket: Ticket = Ticket(), on paper: Paper
    ) throws(DocumentProblem) {
        let source = try ReceiptSource(document, format, rights: .all)
        do throws(ReceiptError) {
            switch paper.kind {
            case .columns(let count):
                layout = try ReceiptLayout(
                    source.receipt.printed(with: ticket, isCopy: false), on: ReceiptPaper(columns: count))
                remarks = source.remarks
                drawnText = []
            case .printer(let form):
                let printed = source.receipt.printed(with: ticket, isCopy: false, on: form)
                let document = try ReceiptDocument(printed.receipt, for: form.target)
                layout = document.layout
                drawnText = document.drawings.filter { if case .text = $0.content { true } else { false } }
                remarks = source.remarks + (printed.remarks + document.remarks).map { DocumentRemark(message: $0) }
            }
        } catch {
            throw DocumentProblem(error, otherwise: .unprintable)
        }
    }

    /// The remarks, and what no font has: that shows only when it is drawn. Where it cannot be, the remarks alone.
    package func remarks(by drawing: DrawingService?) async -> [DocumentRemark] {
        guard !drawnText.isEmpty,
            let drawn = try? await ReceiptArtist(service: drawing, purpose: .preview).draw(drawnText)
        else { return remarks }
        return remarks + drawn.remarks.map { DocumentRemark(message: $0) }
    }

    package var text: String { TextPreview.text(of: layout) }

    /// SVG 1.1.
    package var svg: String { SVGPreview.svg(of: layout) }

    /// A dot of the picture is a dot of the printer.
    package func png(by drawing: DrawingService?) async throws(DocumentProblem) -> [UInt8] {
        let (artist, picture) = (ReceiptArtist(service: drawing, purpose: .preview), ReceiptPicture(layout))
        let drawn = try await artist.draw(picture.drawings)
        let dots: DotMatrix
        do throws(ReceiptError) {
            dots = try picture.matrix(with: drawn)
        } catch {
            throw DocumentProblem(error, otherwise: .unprintable)
        }
        return try await artist.png(of: dots)
    }

    /// What a receipt is laid out on.
    package struct Paper: Sendable {
        let kind: Kind

        enum Kind {
            case printer(PrinterForm)
            case columns(Int)
        }

        /// Of a printer; nil where nothing is known of how it takes receipts.
        package init?(of printer: PreparationTarget, _ settings: PrintingSettings?) {
            guard let form = PrinterForm(printer, settings) else { return nil }
            kind = .printer(form)
        }

        package init(_ settings: PrintingSettings) { kind = .printer(PrinterForm(settings)) }

        /// The usual roll of 80 mm.
        package static let usual = Paper(columns: 48)

        /// So many characters of the usual font on a line.
        package init(columns: Int) { kind = .columns(columns) }
    }
}
