/// The columns of a row on the paper, in characters.
struct RowGrid: Hashable {
    struct Column: Hashable {
        /// The index of its cell, which the row may lack.
        var cell: Int
        var start: Int
        var width: Int
    }

    private(set) var columns: [Column] = []
    /// The whole row, including the lines of a box.
    private(set) var area: Range<Int>
    /// The positions of a box's vertical lines.
    private(set) var lines: [Int] = []

    /// Shares the space that the widths leave. Narrows the widest columns where the paper is too narrow, and leaves out
    /// columns for which even one character is too much.
    init(cells: Int, widths: [ColumnWidth], border: ColumnBorder, alignment: HorizontalAlignment, paper: Int) {
        let wanted: [(cell: Int, width: ColumnWidth)] =
            widths.isEmpty
            ? (0..<cells).map { ($0, .share) }
            : widths.enumerated().filter { $0.element != .characters(0) }.map { ($0.offset, $0.element) }
        let room = border == .line ? (paper - 1) / 2 : (paper + border.width) / (border.width + 1)
        let shown = wanted.prefix(max(room, 0))
        guard !shown.isEmpty else { area = 0..<0; return }
        let borders = border == .line ? shown.count + 1 : (shown.count - 1) * border.width
        let sizes = Self.sizes(shown.map(\.width), room: paper - borders)
        let total = sizes.reduce(borders, +)
        let start = alignment.leftSpace(of: paper - total)
        area = start..<start + total
        var position = start
        columns.reserveCapacity(shown.count)
        if border == .line {
            lines.append(position)
            position += 1
        }
        for (column, size) in zip(shown, sizes) {
            columns.append(Column(cell: column.cell, start: position, width: size))
            position += size
            if border == .line { lines.append(position) }
            position += border.width
        }
    }

    /// The widths of the columns. Each gets at least one character, and `room` is large enough for that.
    private static func sizes(_ widths: [ColumnWidth], room: Int) -> [Int] {
        let shares = widths.filter { $0 == .share }.count
        let fixed = widths.map { if case .characters(let count) = $0 { count } else { 0 } }
        let limit = room - shares
        var sizes = fixed
        if fixed.reduce(0, +) > limit {
            var cap = fixed.max() ?? 0
            while fixed.reduce(0, { $0 + min($1, cap) }) > limit { cap -= 1 }
            sizes = fixed.map { min($0, cap) }
            // The first of the widest columns get what is left over.
            var rest = limit - sizes.reduce(0, +)
            for index in fixed.indices where fixed[index] > cap && rest > 0 {
                sizes[index] += 1
                rest -= 1
            }
        }
        let free = room - sizes.reduce(0, +)
        var share = 0
        for index in widths.indices where widths[index] == .share {
            sizes[index] = (free + share) / shares
            share += 1
        }
        return sizes
    }
}

/// The strokes of a box, where rows with different columns may meet.
enum BoxStrokes {
    static func top(_ grid: RowGrid) -> PlacedStroke { joined(above: nil, below: grid) }
    static func bottom(_ grid: RowGrid) -> PlacedStroke { joined(above: grid, below: nil) }
    static func between(_ above: RowGrid, _ below: RowGrid) -> PlacedStroke { joined(above: above, below: below) }

    /// The vertical strokes beside the columns of a row.
    static func sides(_ grid: RowGrid) -> [PlacedStroke] {
        grid.lines.map { PlacedStroke(column: $0, joints: [[.up, .down]]) }
    }

    /// A horizontal stroke, as long as the longer row, with joints to the vertical lines above and below.
    private static func joined(above: RowGrid?, below: RowGrid?) -> PlacedStroke {
        let areas = [above?.area, below?.area].compactMap(\.self).filter { !$0.isEmpty }
        guard let start = areas.map(\.lowerBound).min(), let end = areas.map(\.upperBound).max() else {
            return PlacedStroke(column: 0, joints: [])
        }
        var joints = [PlacedStroke.Joint](repeating: [.left, .right], count: end - start)
        joints[0].remove(.left)
        joints[joints.count - 1].remove(.right)
        for line in above?.lines ?? [] { joints[line - start].insert(.up) }
        for line in below?.lines ?? [] { joints[line - start].insert(.down) }
        return PlacedStroke(column: start, joints: joints)
    }
}
