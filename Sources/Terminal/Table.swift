/// A table with headings. Columns are aligned by their width on a terminal.
package struct Table {
    private let columns: [Column]
    private var rows: [[Cell]] = []

    package struct Column {
        package var heading: String
        package var isNumber: Bool

        package init(heading: String, isNumber: Bool = false) { (self.heading, self.isNumber) = (heading, isNumber) }
    }

    /// A cell. Its text, which may come from a printer, is escaped for terminals.
    package struct Cell: ExpressibleByStringInterpolation {
        fileprivate let text: String
        fileprivate var color: Style.Color?

        package init(_ text: String?, _ color: Style.Color? = nil) {
            let escaped = text?.terminalEscaped ?? ""
            self.text = escaped.isEmpty ? "-" : escaped
            self.color = color
        }

        package init(stringLiteral value: String) { self.init(value) }
    }

    package init(_ columns: [Column]) { self.columns = columns }

    package mutating func add(_ row: [Cell]) { rows.append(row) }

    /// All lines; empty without rows. The last column is not padded.
    package func text(_ style: Style) -> String {
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

/// The details of one object, a line for each: `  make and model  ACME T-20`.
package struct Details {
    private let title: String
    private var lines: [(label: String, value: String, color: Style.Color?)] = []

    package init(_ title: String) { self.title = title }

    /// Adds a line; a nil or empty value adds nothing.
    package mutating func add(_ label: String, _ value: String?, _ color: Style.Color? = nil) {
        guard let value, !value.isEmpty else { return }
        lines.append((label, value.terminalEscaped, color))
    }

    package func text(_ style: Style) -> String {
        let width = lines.reduce(0) { max($0, $1.label.displayWidth) }
        return style.bold(title.terminalEscaped) + "\n"
            + lines.map { line in
                let padding = String(repeating: " ", count: width - line.label.displayWidth)
                return "  \(line.label)\(padding)  \(style.paint(line.value, line.color))\n"
            }.joined()
    }
}
