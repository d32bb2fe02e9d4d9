/// Characters that stand side by side on a line, in one style.
struct NativePiece {
    var column: Int
    var width: Int
    /// From left to right, without those that have no width.
    var text: Text
    var style: TextStyle

    enum Text {
        /// In every code page.
        case ascii(String)
        case other([Character])
    }

    init?(_ run: PlacedRun) {
        (column, width, style) = (run.column, run.width, run.style)
        guard width > 0 else { return nil }
        if run.text.utf8.allSatisfy({ $0 < 0x80 }) {
            text = .ascii(run.isRightToLeft ? run.visualText : run.text)
        } else {
            text = .other(run.visualText.filter { TextCluster.cells(of: $0) > 0 })
        }
    }

    /// Beside tall letters a box has tall sides.
    init(_ stroke: PlacedStroke, scale: Int) {
        (column, width, style) = (stroke.column, stroke.joints.count, TextStyle(height: scale))
        text = .other(stroke.joints.map(\.character))
    }

    /// Of a line, from left to right.
    static func pieces(of line: TextLine) -> [NativePiece] {
        let runs = line.runs.compactMap { NativePiece($0) }
        guard !line.strokes.isEmpty else { return runs }
        return (runs + line.strokes.map { NativePiece($0, scale: line.scale) }).sorted { $0.column < $1.column }
    }

    /// What code pages must be chosen for.
    var characters: [Character] {
        switch text {
        case .ascii: []
        case .other(let characters): characters
        }
    }
}
