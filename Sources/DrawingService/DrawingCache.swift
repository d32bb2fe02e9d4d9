import DrawingMessages
import Receipts

/// What was drawn last, such as logos, up to a number of bytes. What was not used for longest goes first.
struct DrawingCache {
    private struct Entry {
        var dots: DotMatrix
        var withoutGlyph: [Unicode.Scalar]
        var bytes: Int
        var lastUse: UInt64
    }

    private var entries: [Drawing: Entry] = [:]
    private var uses: UInt64 = 0
    private(set) var bytes = 0
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    mutating func use(_ drawing: Drawing) -> (dots: DotMatrix, withoutGlyph: [Unicode.Scalar])? {
        guard let entry = entries[drawing] else { return nil }
        uses += 1
        entries[drawing]?.lastUse = uses
        return (entry.dots, entry.withoutGlyph)
    }

    mutating func keep(_ dots: DotMatrix, withoutGlyph: [Unicode.Scalar], for drawing: Drawing) {
        let size = drawing.bytes + dots.bytes.count + withoutGlyph.count * 4 + Self.overhead
        // One that fills a good part of it would drive all others out.
        guard size <= limit / 4, entries[drawing] == nil else { return }
        uses += 1
        entries[drawing] = Entry(dots: dots, withoutGlyph: withoutGlyph, bytes: size, lastUse: uses)
        bytes += size
        while bytes > limit, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            bytes -= oldest.value.bytes
            entries[oldest.key] = nil
        }
    }

    /// Of an entry, besides what it holds.
    private static let overhead = 512
}

extension Drawing {
    /// What its content takes.
    fileprivate var bytes: Int {
        switch content {
        case .text(let text): text.text.utf8.count
        case .picture(let picture): picture.file.count
        case .code(let code): code.text.utf8.count
        }
    }
}
