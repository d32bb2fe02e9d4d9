/// Turns lines into elements, and carries from line to line what persists.
struct MarkupReader {
    let rules: ReceiptMarkup.Rules
    private(set) var elements: [ReceiptElement] = []
    private(set) var remarks: [ReceiptError] = []
    /// How codes are drawn from here on.
    var option = ReceiptCode("", .code128)
    private var spanCount = 0
    private var textLength = 0

    init(rules: ReceiptMarkup.Rules) { self.rules = rules }

    private static let maximumRemarks = 100

    mutating func remark(_ message: String, instead: String? = nil, at place: ReceiptError.Place) {
        guard remarks.count < Self.maximumRemarks else { return }
        remarks.append(ReceiptError(.value, message, instead: instead, at: place))
    }

    mutating func append(_ element: ReceiptElement, at place: ReceiptError.Place) throws(ReceiptError) {
        guard elements.count < ReceiptLimits.elements else {
            throw ReceiptError(.tooLarge, "the receipt has more than \(ReceiptLimits.elements) elements", at: place)
        }
        elements.append(element)
    }

    mutating func read(_ line: MarkupLine) throws(ReceiptError) {
        try line.checkEncoding()
        let marks = try line.marks()
        let cells = line.cells(at: marks.pipes)
        if let first = cells.first, cells.count == 1 {
            try read(sole: first, marks, in: line)
        } else {
            if marks.braces != nil { for cell in cells { try checkBraces(cell, in: line) } }
            try row(cells, in: line)
        }
    }

    /// A line of one cell may be more than text.
    private mutating func read(
        sole cell: MarkupLine.Cell, _ marks: MarkupLine.Marks, in line: MarkupLine
    ) throws(ReceiptError) {
        let place = line.place(at: cell.bytes.startIndex)
        if let braces = marks.braces {
            guard Self.isProperty(cell.bytes, braces) else { throw Self.stray(line.place(at: braces.first)) }
            let property = try MarkupProperty(
                cell.bytes.dropFirst().dropLast(), in: line, hasBackslashes: marks.hasBackslashes)
            try read(property, alignment: cell.alignment, at: place)
        } else if let first = cell.bytes.first, first == Markup.hyphen || first == Markup.equals,
            cell.bytes.allSatisfy({ $0 == first })
        {
            try append(first == Markup.hyphen ? .rule : .cut(.partial), at: place)
        } else {
            try row([cell], in: line)
        }
    }

    private static func isProperty(_ cell: ArraySlice<UInt8>, _ braces: (first: Int, last: Int, count: Int)) -> Bool {
        braces.count == 2 && braces.first == cell.startIndex && cell[braces.first] == Markup.openingBrace
            && braces.last == cell.endIndex - 1 && cell[braces.last] == Markup.closingBrace
    }

    private static func stray(_ place: ReceiptError.Place) -> ReceiptError {
        ReceiptError(
            .syntax, "the brace neither begins nor ends a property of the whole line",
            instead: "\\{ and \\} for braces in text", at: place)
    }

    private func checkBraces(_ cell: MarkupLine.Cell, in line: MarkupLine) throws(ReceiptError) {
        guard let braces = try MarkupLine(number: line.number, bytes: cell.bytes).marks().braces else { return }
        guard Self.isProperty(cell.bytes, braces) else { throw Self.stray(line.place(at: braces.first)) }
        throw ReceiptError(
            .syntax, "the property stands beside other columns", instead: "it on a line of its own",
            at: line.place(at: braces.first))
    }

    private mutating func row(_ cells: [MarkupLine.Cell], in line: MarkupLine) throws(ReceiptError) {
        let place = line.place(at: line.bytes.startIndex)
        guard line.bytes.count <= ReceiptLimits.lineLength else {
            throw ReceiptError(.tooLarge, "the line has more than \(ReceiptLimits.lineLength) bytes", at: place)
        }
        textLength += line.bytes.count
        guard textLength <= ReceiptLimits.textLength else {
            throw ReceiptError(
                .tooLarge, "the receipt has more than \(ReceiptLimits.textLength) bytes of text", at: place)
        }
        let row = ReceiptRow(cells.map { ReceiptCell(MarkupText.spans($0.bytes), alignment: $0.alignment) })
        spanCount += row.cells.reduce(row.cells.count) { $0 + $1.spans.count }
        guard spanCount <= ReceiptLimits.spans else {
            throw ReceiptError(
                .tooLarge, "the receipt has more than \(ReceiptLimits.spans) cells and changes of style", at: place)
        }
        try append(.row(row), at: place)
    }
}
