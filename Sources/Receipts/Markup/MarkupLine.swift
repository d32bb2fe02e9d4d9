/// A line of a document, and where its parts are. Nothing is copied.
struct MarkupLine {
    var number: Int
    var bytes: ArraySlice<UInt8>

    /// The place of the byte at an index of `bytes`.
    func place(at index: Int) -> ReceiptError.Place {
        let end = min(max(index, bytes.startIndex), bytes.endIndex)
        // Every scalar has exactly one byte that is not a continuation byte.
        let before = bytes[bytes.startIndex..<end].reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
        return ReceiptError.Place(line: number, column: before + 1)
    }

    /// The text of a cell without the blanks around it, and the alignment that these blanks mean.
    struct Cell {
        var bytes: ArraySlice<UInt8>
        var alignment: HorizontalAlignment
    }

    /// The delimiters of cells and properties that are not escaped.
    struct Delimiters {
        var pipes: [Int] = []
        /// The indices of the first and the last brace, and how many there are. Nil where there is none.
        var braces: (first: Int, last: Int, count: Int)?
        var hasBackslashes = false
    }

    func delimiters() throws(ReceiptError) -> Delimiters {
        var (delimiters, start) = (Delimiters(), bytes.startIndex)
        while let index = MarkupSyntax.structure.first(in: bytes, from: start) {
            start = index + 1
            switch bytes[index] {
            case MarkupSyntax.backslash:
                delimiters.hasBackslashes = true
                if start < bytes.endIndex, MarkupSyntax.structural.contains(bytes[start]) { start += 1 }
            case MarkupSyntax.pipe:
                delimiters.pipes.append(index)
                // A pipe at either end of the line makes no column.
                guard delimiters.pipes.count <= ReceiptLimits.columns + 1 else {
                    throw ReceiptError(
                        .tooLarge, "the line has more than \(ReceiptLimits.columns) columns", at: place(at: index))
                }
            default:
                let braces = delimiters.braces
                delimiters.braces = (braces?.first ?? index, index, (braces?.count ?? 0) + 1)
            }
        }
        return delimiters
    }

    /// The cells between the pipes. A pipe at either end of the line makes no cell.
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
            // Text with no pipe on its outer side is aligned to the pipe that it touches.
            let touchesRight = from == line.startIndex && pipe < line.endIndex && cell.last?.isBlank == false
            let touchesLeft = pipe == line.endIndex && from > line.startIndex && cell.first?.isBlank == false
            let before = cell.first?.isBlank == true || touchesRight
            let after = cell.last?.isBlank == true || touchesLeft
            cells.append(
                Cell(bytes: cell.trimmingBlanks, alignment: before == after ? .center : before ? .right : .left))
            from = pipe + 1
        }
        return cells
    }

    /// Throws where the line is not UTF-8, with the place of the first wrong byte.
    func checkEncoding() throws(ReceiptError) {
        guard !WordwiseBytes.isASCII(bytes), String(validating: bytes, as: UTF8.self) == nil else { return }
        var (decoder, iterator, column) = (UTF8(), bytes.makeIterator(), 1)
        while case .scalarValue = decoder.decode(&iterator) { column += 1 }
        throw ReceiptError(.encoding, "the text is not UTF-8", at: ReceiptError.Place(line: number, column: column))
    }
}
