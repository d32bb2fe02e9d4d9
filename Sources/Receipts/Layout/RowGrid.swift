/// The columns of a row on the paper, in characters.
struct RowGrid: Hashable {
    struct Column: Hashable {
        /// Of the row's cells; may be one that the row lacks.
        var cell: Int
        var start: Int
        var width: Int
    }

    var columns: [Column] = []
    /// With the lines of a box.
    var area: Range<Int>
    /// Where a box has its vertical lines.
    var lines: [Int] = []

    /// Shares what the widths leave, takes from the widest columns what the paper lacks, and leaves out columns for
    /// which there is no room even at one character.
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
        let start = alignment.part(of: paper - total)
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

    /// Every column gets a character at least: `room` has as many.
    private static func sizes(_ widths: [ColumnWidth], room: Int) -> [Int] {
        let shares = widths.filter { $0 == .share }.count
        let fixed = widths.map { if case .characters(let count) = $0 { count } else { 0 } }
        let limit = room - shares
        var sizes = fixed
        if fixed.reduce(0, +) > limit {
            var cap = fixed.max() ?? 0
            while fixed.reduce(0, { $0 + min($1, cap) }) > limit { cap -= 1 }
            sizes = fixed.map { min($0, cap) }
            // The first of the widest have what is left over.
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
