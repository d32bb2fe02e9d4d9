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

    /// What parts the line into cells and properties, as far as it is not escaped.
    struct Marks {
        var pipes: [Int] = []
        /// The first one, the last, and how many there are, if any.
        var braces: (first: Int, last: Int, count: Int)?
        var hasBackslashes = false
    }

    func marks() throws(ReceiptError) -> Marks {
        var (marks, start) = (Marks(), bytes.startIndex)
        while let index = Markup.structure.first(in: bytes, from: start) {
            start = index + 1
            switch bytes[index] {
            case Markup.backslash:
                marks.hasBackslashes = true
                if start < bytes.endIndex, Markup.structural.contains(bytes[start]) { start += 1 }
            case Markup.pipe:
                marks.pipes.append(index)
                // One at each end makes no column.
                guard marks.pipes.count <= ReceiptLimits.columns + 1 else {
                    throw ReceiptError(
                        .tooLarge, "the line has more than \(ReceiptLimits.columns) columns", at: place(at: index))
                }
            default: marks.braces = (marks.braces?.first ?? index, index, (marks.braces?.count ?? 0) + 1)
            }
        }
        return marks
    }

    /// What stands between the pipes; one at either end of the line makes no cell.
    func cells(at pipes: [Int]) -> [Cell] {
        let line = bytes.trimmingBlanks
        var (start, end) = (line.startIndex, line.endIndex)
        if pipes.first == start { start += 1 }
        if let last = pipes.last, last == end - 1, last >= start { end -= 1 }
        var (cells, from): ([Cell], Int) = ([], start)
        cells.reserveCapacity(pipes.count + 1)
        for place in 0...pipes.count {
            let pipe = place < pipes.count ? pipes[place] : end
            guard place == pipes.count || (start..<end).contains(pipe) else { continue }
            let cell = line[from..<pipe]
            // A text with no pipe on its outer side leans on the one that it touches.
            let leansRight = from == line.startIndex && pipe < line.endIndex && cell.last?.isBlank == false
            let leansLeft = pipe == line.endIndex && from > line.startIndex && cell.first?.isBlank == false
            let before = cell.first?.isBlank == true || leansRight
            let after = cell.last?.isBlank == true || leansLeft
            cells.append(
                Cell(bytes: cell.trimmingBlanks, alignment: before == after ? .center : before ? .right : .left))
            from = pipe + 1
        }
        return cells
    }

    /// Throws where the first byte stands that is no UTF-8.
    func checkEncoding() throws(ReceiptError) {
        guard !WideBytes.isASCII(bytes), String(validating: bytes, as: UTF8.self) == nil else { return }
        var (decoder, iterator, column) = (UTF8(), bytes.makeIterator(), 1)
        while case .scalarValue = decoder.decode(&iterator) { column += 1 }
        throw ReceiptError(.encoding, "the text is not UTF-8", at: ReceiptError.Place(line: number, column: column))
    }
}
