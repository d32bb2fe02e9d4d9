/// A line of the document, and where its parts stand in it. Nothing is copied.
struct MarkupLine {
    var number: Int
    var bytes: ArraySlice<UInt8>

    /// Of the byte at an index of `bytes`.
    func place(at index: Int) -> ReceiptError.Place {
        let end = min(max(index, bytes.startIndex), bytes.endIndex)
        // Every scalar has one byte that does not continue another.
        let before = bytes[bytes.startIndex..<end].reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
        return ReceiptError.Place(line: number, column: before + 1)
    }

    /// A cell's text without the blanks around it, and what these say about its alignment.
    struct Cell {
        var bytes: ArraySlice<UInt8>
        var alignment: HorizontalAlignment
    }

    /// What stands between the pipes; one at either end of the line makes no cell.
    func cells() throws(ReceiptError) -> [Cell] {
        let line = bytes.trimmingBlanks
        let pipes = try pipes(in: line)
        var (start, end) = (line.startIndex, line.endIndex)
        if pipes.first == start { start += 1 }
        if let last = pipes.last, last == end - 1, last >= start { end -= 1 }
        var (cells, from): ([Cell], Int) = ([], start)
        for pipe in pipes.filter({ (start..<end).contains($0) }) + [end] {
            let cell = line[from..<pipe]
            // A text with no pipe on its outer side leans on the one that it touches.
            let leansRight = from == line.startIndex && pipe < line.endIndex && cell.last?.isBlank == false
            let leansLeft = pipe == line.endIndex && from > line.startIndex && cell.first?.isBlank == false
            let before = cell.first?.isBlank == true || leansRight
            let after = cell.last?.isBlank == true || leansLeft
            cells.append(Cell(bytes: cell.trimmingBlanks, alignment: before == after ? .center : before ? .right : .left))
            from = pipe + 1
        }
        return cells
    }

    private func pipes(in line: ArraySlice<UInt8>) throws(ReceiptError) -> [Int] {
        var (pipes, index): ([Int], Int) = ([], line.startIndex)
        while index < line.endIndex {
            switch line[index] {
            case Markup.backslash where index + 1 < line.endIndex && Markup.structural.contains(line[index + 1]): index += 1
            case Markup.pipe: pipes.append(index)
            default: break
            }
            index += 1
            // One at each end makes no column.
            guard pipes.count <= ReceiptLimits.columns + 1 else {
                throw ReceiptError(.tooLarge, "the line has more than \(ReceiptLimits.columns) columns", at: place(at: index - 1))
            }
        }
        return pipes
    }

    /// Where the first unescaped brace stands, and the last; nil where there is none.
    static func braces(in cell: ArraySlice<UInt8>) -> (first: Int, last: Int, count: Int)? {
        var found: (first: Int, last: Int, count: Int)?
        var index = cell.startIndex
        while index < cell.endIndex {
            switch cell[index] {
            case Markup.backslash where index + 1 < cell.endIndex && Markup.structural.contains(cell[index + 1]): index += 1
            case Markup.openingBrace, Markup.closingBrace: found = (found?.first ?? index, index, (found?.count ?? 0) + 1)
            default: break
            }
            index += 1
        }
        return found
    }

    /// Throws where the first byte stands that is no UTF-8.
    func checkEncoding() throws(ReceiptError) {
        guard String(validating: bytes, as: UTF8.self) == nil else { return }
        var (decoder, iterator, column) = (UTF8(), bytes.makeIterator(), 1)
        while case .scalarValue = decoder.decode(&iterator) { column += 1 }
        throw ReceiptError(.encoding, "the text is not UTF-8", at: ReceiptError.Place(line: number, column: column))
    }
}
