internal import PrintModel
internal import Receipts

/// A receipt with its ticket, for one printer.
struct ReceiptJob {
    let receipt: Receipt
    let ticket: Ticket
    let isCopy: Bool
    let target: ReceiptTarget

    /// More than any receipt, in bytes; what asks for it is a mistake.
    private static let longest = 64 << 20

    /// The bytes for all copies of the ticket, and what is printed otherwise than the receipt says. The drawer is kicked once, by the
    /// first.
    func encoded(by artist: ReceiptArtist) async throws(DocumentProblem) -> (bytes: [UInt8], remarks: [String]) {
        var (bytes, remarks) = try await once(kicksDrawer: true, artist)
        let count = max(ticket.copies ?? 1, 1)
        guard count > 1 else { return (bytes, remarks) }
        let next = try await once(kicksDrawer: false, artist).bytes
        guard bytes.count + next.count * (count - 1) <= Self.longest else {
            throw DocumentProblem(.unprintable, DocumentRemark(message: "\(count) copies of it are more than \(Self.longest) bytes", instead: "fewer copies"))
        }
        bytes.reserveCapacity(bytes.count + next.count * (count - 1))
        for _ in 1..<count { bytes += next }
        return (bytes, remarks)
    }

    private func once(kicksDrawer: Bool, _ artist: ReceiptArtist) async throws(DocumentProblem) -> (bytes: [UInt8], remarks: [String]) {
        let document: ReceiptDocument
        do throws(ReceiptError) {
            document = try ReceiptDocument(receipt.printed(with: ticket, isCopy: isCopy, kicksDrawer: kicksDrawer), for: target)
        } catch {
            throw DocumentProblem(error, otherwise: .unprintable)
        }
        let drawn = try await artist.draw(document.drawings)
        do throws(ReceiptError) {
            return (try document.bytes(with: drawn), document.remarks + drawn.remarks)
        } catch {
            throw DocumentProblem(error, otherwise: .unprintable)
        }
    }
}

extension Drawn {
    /// As sentences without an end.
    fileprivate var remarks: [String] {
        guard !withoutGlyph.isEmpty else { return [] }
        let characters = withoutGlyph.sorted { $0.value < $1.value }.prefix(Self.mostCharacters).map { "U+" + String($0.value, radix: 16, uppercase: true) }
        return ["no font here has \(characters.joined(separator: ", ")): blank on paper; install a font that does"]
    }

    private static let mostCharacters = 10
}
