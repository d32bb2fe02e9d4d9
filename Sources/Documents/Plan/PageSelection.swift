import KioskPrintModel

/// The pages of a document that are printed.
struct PageSelection: Hashable, Sendable {
    /// Ascending, from 0, each once.
    let pages: [Int]
    /// Says which pages of the ticket's ranges do not exist, as a sentence without a full stop.
    let remark: String?

    /// The ranges count the document's pages, not the printed sides (RFC 8011 §5.2.7). Those of the ticket are an error
    /// where they select nothing; those of the document itself are not.
    init(_ ticket: Ticket, _ preferences: DocumentPreferences, pageCount: Int) throws(PlanProblem) {
        guard pageCount > 0 else { throw PlanProblem(.noPages, "the document has no pages; send one that has") }
        guard let ranges = ticket.pageRanges else {
            let preferred = preferences.pageRanges.map { Self.pages(in: $0, of: pageCount) } ?? []
            (pages, remark) = (preferred.isEmpty ? Array(0..<pageCount) : preferred, nil)
            return
        }
        pages = Self.pages(in: ranges, of: pageCount)
        let text = ranges.map(\.description).joined(separator: ",")
        guard !pages.isEmpty else {
            throw PlanProblem(
                .noPages,
                "page-ranges is \(text), and the document has \(Self.count(pageCount)); write pages from 1 to \(pageCount)"
            )
        }
        remark =
            ranges.contains { $0.last > pageCount }
            ? "page-ranges is \(text), and the document has \(Self.count(pageCount)): the others do not exist" : nil
    }

    private static func count(_ pages: Int) -> String { pages == 1 ? "1 page" : "\(pages) pages" }

    private static func pages(in ranges: [PageRange], of count: Int) -> [Int] {
        var isSelected = [Bool](repeating: false, count: count)
        for range in ranges where range.first <= count {
            for page in range.first...min(range.last, count) { isSelected[page - 1] = true }
        }
        return isSelected.indices.filter { isSelected[$0] }
    }
}
