/// Characters that stand side by side on a line, in one style.
struct EscPosPiece {
    var column: Int
    var width: Int
    /// From left to right; none without a width.
    var text: [Character]
    var style: TextStyle

    /// Of a line, from left to right.
    static func pieces(of line: TextLine) -> [EscPosPiece] {
        let runs = line.runs.map { run in
            let text = run.visualText.filter { TextCluster.cells(of: $0) > 0 }
            return EscPosPiece(column: run.column, width: run.width, text: Array(text), style: run.style)
        }
        let strokes = line.strokes.map { stroke in
            // Beside tall letters a box has tall sides.
            EscPosPiece(
                column: stroke.column, width: stroke.joints.count, text: stroke.joints.map(\.character), style: TextStyle(height: line.scale))
        }
        return (runs + strokes).filter { !$0.text.isEmpty }.sorted { $0.column < $1.column }
    }

    /// All characters of a layout, in the order that they are printed in.
    static func characters(of layout: ReceiptLayout) -> [Character] {
        layout.lines.flatMap { line -> [Character] in
            guard case .text(let text) = line.content else { return [] }
            return pieces(of: text).flatMap(\.text)
        }
    }
}
