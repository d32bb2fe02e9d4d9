/// What came of the bytes that a printer received.
package struct PrintedPaper: Sendable {
    /// What it read, in order.
    package var events: [PaperEvent]
    /// The paper from its start, margins and all; dashed lines show the cuts.
    package var picture: Bitmap
    package var cuts: [PaperCut]

    /// Everything that a printer would have skipped or refused.
    package var faults: [PaperEvent] { events.filter(\.isFault) }

    /// The text alone, as it was read.
    package var text: String {
        events.map { if case .text(let text) = $0.kind { text } else { "" } }.joined(separator: "\n")
    }

    /// A line for each event: where it begins, what it is, what it means.
    package var dump: String { events.map { $0.line + "\n" }.joined() }
}
