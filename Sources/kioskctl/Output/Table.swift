import Terminal

/// Columns aligned by what a terminal shows, with their headings.
struct Table {
    private let columns: [Column]
    private var rows: [[Cell]] = []

    struct Column {
        var heading: String
        var isNumber = false
    }

    /// Text that may come from a printer, made fit for a terminal.
    struct Cell: ExpressibleByStringInterpolation {
        let text: String
        var color: Style.Color?

        init(_ text: String?, _ color: Style.Color? = nil) {
            let shown = text?.shown ?? ""
            self.text = shown.isEmpty ? "-" : shown
            self.color = color
        }

        init(stringLiteral value: String) { self.init(value) }
    }

    init(_ columns: [Column]) { self.columns = columns }

    mutating func add(_ row: [Cell]) { rows.append(row) }

    /// All lines; the last column is not padded. Empty without rows.
    func text(_ style: Style) -> String {
        guard !rows.isEmpty else { return "" }
        let widths = columns.indices.map { column in
            rows.reduce(columns[column].heading.displayWidth) { max($0, $1[column].text.displayWidth) }
        }
        let heading = line(columns.map { Cell($0.heading) }, widths) { style.bold($0.text) }
        return heading + rows.map { row in line(row, widths) { style.paint($0.text, $0.color) } }.joined()
    }

    private func line(_ row: [Cell], _ widths: [Int], _ paint: (Cell) -> String) -> String {
        var line = ""
        for (index, (cell, column)) in zip(row, columns).enumerated() {
            let padding = String(repeating: " ", count: max(0, widths[index] - cell.text.displayWidth))
            if index > 0 { line += "  " }
            if column.isNumber {
                line += padding + paint(cell)
            } else {
                line += paint(cell) + (index == columns.count - 1 ? "" : padding)
            }
        }
        return line + "\n"
    }
}
