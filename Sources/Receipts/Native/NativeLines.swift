import PrintModel

/// What a printer says of a layout in its own characters, line by line, and the code pages that it needs for that. A
/// line with anything that no code page holds is drawn whole: printers take pictures only on lines of their own.
struct NativeLines {
    /// Of each line of the layout; nil where it is drawn.
    private(set) var pieces: [[NativePiece]?]
    private(set) var plan: CodePagePlan

    /// `pages`: those of the printer, which begins with `current`; nil where nobody knows. `largest`: times that it can
    /// magnify its characters.
    init(_ layout: ReceiptLayout, pages: [CodePage], current: CodePage?, largest: Int) throws(ReceiptError) {
        let tables = CodePageTables.shared
        let all = tables.set(of: pages)
        var characters: [Character] = []
        pieces = layout.lines.map { line in
            guard case .text(let text) = line.content else { return [] }
            let pieces = NativePiece.pieces(of: text)
            guard pieces.allSatisfy({ $0.isWritten(in: all, of: tables, largest: largest) }) else { return nil }
            for piece in pieces { piece.forEachOther { characters.append($0) } }
            return pieces
        }
        plan = try CodePagePlan(characters, pages: pages, current: current)
    }
}

extension NativePiece {
    fileprivate func isWritten(in pages: CodePageSet, of tables: CodePageTables, largest: Int) -> Bool {
        guard style.width <= largest, style.height <= largest else { return false }
        return text.allSatisfy { part in
            guard case .other(let character, _) = part else { return true }
            return tables.pages(having: character).intersection(pages).first != nil
        }
    }
}
