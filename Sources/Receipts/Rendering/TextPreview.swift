/// Draws a layout as characters on the same grid, with box-drawing characters for its lines and a frame for each code
/// and picture.
package enum TextPreview {
    package static func text(of layout: ReceiptLayout) -> String {
        layout.lines.flatMap { rows(of: $0, on: layout.paper) }.map { $0 + "\n" }.joined()
    }

    private static func rows(of line: LayoutLine, on paper: ReceiptPaper) -> [String] {
        switch line.content {
        case .text(let text): return rows(of: text, columns: paper.columns(of: text.font))
        case .code(let code):
            let name = code.code.symbology.rawValue
            let label =
                code.code.symbology.isTwoDimensional
                ? "\(name) \(code.scale)" : "\(name) \(code.scale)×\(code.code.height)"
            var rows = frame(code.left, code.width, code.height, [label, code.checked.text], paper)
            if code.textHeight > 0 {
                let middle = (code.left + code.width / 2) / paper.cell(of: .a).width
                let text = code.checked.readableText
                rows.append(String(repeating: " ", count: max(middle - text.count / 2, 0)) + escaped(text))
            }
            return rows
        case .image(let image):
            return frame(image.left, image.width, image.height, ["image", "\(image.width)×\(image.height)"], paper)
        case .logo(let logo):
            let size = logo.image == nil ? [] : ["\(logo.width)×\(logo.height)"]
            return frame(logo.left, logo.width, logo.height, [logo.label] + size, paper)
        case .feed:
            return [String](repeating: "", count: max(line.height / (paper.cell(of: .a).height + paper.lineGap), 1))
        case .cut(let mode): return [ruled(" cut: \(mode.rawValue) ", paper.columns(of: .a))]
        case .drawer(let kick):
            return [ruled(" drawer \(kick.connector): \(kick.milliseconds) ms ", paper.columns(of: .a))]
        case .buzzer(let signal):
            return [ruled(" buzzer: \(signal.count) × \(signal.milliseconds) ms ", paper.columns(of: .a))]
        case .turned(let turned):
            // Characters do not turn: the lines stand upright between two marks.
            let columns = paper.columns(of: .a)
            let ends = ["turned \(turned.rotation.rawValue)°", "upright"].map { ruled(" \($0) ", columns) }
            return [ends[0]] + turned.lines.flatMap { rows(of: $0, on: turned.paper) } + [ends[1]]
        case .command(let bytes): return [ruled(" \(bytes.count) bytes for the printer ", paper.columns(of: .a))]
        }
    }

    /// The rows of a line of text. Large letters are on the lowest of their rows.
    static func rows(of line: TextLine, columns: Int) -> [String] {
        var rows = [[String]](repeating: [String](repeating: " ", count: columns), count: line.scale)
        for stroke in line.strokes {
            for (offset, joint) in stroke.joints.enumerated() where stroke.column + offset < columns {
                for row in rows.indices { rows[row][stroke.column + offset] = String(joint.character(stroke.style)) }
            }
        }
        for run in line.runs {
            var column = run.column
            for character in run.visualText {
                let cells = TextCluster.cells(of: character)
                guard cells > 0, column + cells <= columns else { continue }
                rows[line.scale - 1][column] = String(character)
                // A wide character takes the place of two.
                if cells == 2 { rows[line.scale - 1][column + 1] = "" }
                column += cells * run.style.width
            }
        }
        return rows.map { trimmed($0.joined()) }
    }

    private static func trimmed(_ text: String) -> String { String(text.reversed().drop { $0 == " " }.reversed()) }

    /// The frame of a rectangle in dots, in whole characters of font A.
    private static func frame(
        _ left: Int, _ width: Int, _ height: Int, _ labels: [String], _ paper: ReceiptPaper
    ) -> [String] {
        let cell = paper.cell(of: .a)
        let columns = max(min((width + cell.width - 1) / cell.width, paper.columns(of: .a)), 2)
        let rows = max((height + cell.height - 1) / cell.height, 2)
        let indent = String(repeating: " ", count: max(min(left / cell.width, paper.columns(of: .a) - columns), 0))
        var lines = [indent + "┌" + String(repeating: "─", count: columns - 2) + "┐"]
        for row in 0..<rows - 2 {
            let label = row < labels.count ? labels[row] : ""
            lines.append(indent + "│" + padded(escaped(label), columns - 2) + "│")
        }
        return lines + [indent + "└" + String(repeating: "─", count: columns - 2) + "┘"]
    }

    private static func padded(_ text: String, _ columns: Int) -> String {
        var (line, used) = ("", 0)
        for character in text {
            let cells = TextCluster.cells(of: character)
            guard used + cells <= columns else { break }
            line.append(character)
            used += cells
        }
        return line + String(repeating: " ", count: columns - used)
    }

    private static func escaped(_ text: String) -> String {
        String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? "·" : $0 }))
    }

    private static func ruled(_ text: String, _ columns: Int) -> String {
        let free = max(columns - text.count, 0)
        return String(repeating: "╌", count: free / 2) + text + String(repeating: "╌", count: free - free / 2)
    }
}
