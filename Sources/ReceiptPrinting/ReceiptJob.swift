import PrintModel
import Receipts

/// A receipt with its ticket, for one printer.
struct ReceiptJob {
    let receipt: Receipt
    let ticket: Ticket
    let isCopy: Bool
    let form: PrinterForm

    /// More than any receipt, in bytes; what asks for it is a mistake.
    private static let longest = 64 << 20

    /// The drawer is kicked once, by the first copy.
    func encoded(by artist: ReceiptArtist) async throws(DocumentProblem) -> EncodedReceipt {
        let count = max(ticket.copies ?? 1, 1)
        if case .raster(var printer) = form.target {
            // One document, whose head says how many pages it has.
            printer.copies = count
            return try await once(for: .raster(printer), kicksDrawer: true, artist)
        }
        var first = try await once(for: form.target, kicksDrawer: true, artist)
        guard count > 1 else { return first }
        let next = try await once(for: form.target, kicksDrawer: false, artist).bytes
        guard first.bytes.count + next.count * (count - 1) <= Self.longest else {
            throw DocumentProblem(
                .unprintable,
                DocumentRemark(
                    message: "\(count) copies of it are more than \(Self.longest) bytes", instead: "fewer copies"))
        }
        first.bytes.reserveCapacity(first.bytes.count + next.count * (count - 1))
        for _ in 1..<count { first.bytes += next }
        return first
    }

    private func once(
        for target: ReceiptTarget, kicksDrawer: Bool, _ artist: ReceiptArtist
    ) async throws(DocumentProblem) -> EncodedReceipt {
        let (receipt, remarks) = receipt.printed(with: ticket, isCopy: isCopy, kicksDrawer: kicksDrawer, on: form)
        let document: ReceiptDocument
        do throws(ReceiptError) {
            document = try ReceiptDocument(receipt, for: target)
        } catch {
            throw DocumentProblem(error, otherwise: .unprintable)
        }
        let drawn = try await artist.draw(document.drawings)
        do throws(ReceiptError) {
            return EncodedReceipt(
                bytes: try document.bytes(with: drawn), remarks: remarks + document.remarks + drawn.remarks,
                rollPage: document.rollPage, cut: cut(of: document, for: target))
        } catch {
            throw DocumentProblem(error, otherwise: .unprintable)
        }
    }

    /// Of pages in Apple Raster, which cannot say it itself as PWG Raster does: a single one is cut as the receipt
    /// ends. Several would be cut elsewhere than the receipt says.
    private func cut(of document: ReceiptDocument, for target: ReceiptTarget) -> Ticket.Cut? {
        guard case .raster(let printer) = target, printer.format == .urf else { return nil }
        guard document.pageEnds.count == 1, max(ticket.copies ?? 1, 1) == 1 else { return nil }
        switch document.pageEnds[0] {
        case .full: return .full
        case .partial: return .partial
        case .feed, nil: return Ticket.Cut.none
        }
    }
}

extension RenderedDrawings {
    /// As sentences without an end.
    var remarks: [String] {
        guard !withoutGlyph.isEmpty else { return [] }
        let characters = withoutGlyph.sorted { $0.value < $1.value }.prefix(Self.mostCharacters).map {
            "U+" + String($0.value, radix: 16, uppercase: true)
        }
        return ["no font here has \(characters.joined(separator: ", ")): blank on paper; install a font that does"]
    }

    private static let mostCharacters = 10
}
