/// The cells of a side that holds several pages: columns and rows as the sheet lies in the printer.
struct NumberUpGrid: Hashable, Sendable {
    let columns: Int
    let rows: Int

    var count: Int { columns * rows }

    /// The grid for so many pages: more rows than columns on a sheet that is higher than wide, and the other way round.
    /// Nil for numbers that have none.
    init?(_ count: Int, onWideSheet isWide: Bool) {
        let (fewer, more): (Int, Int)
        switch count {
        case 1: (fewer, more) = (1, 1)
        case 2: (fewer, more) = (1, 2)
        case 4: (fewer, more) = (2, 2)
        case 6: (fewer, more) = (2, 3)
        case 8: (fewer, more) = (2, 4)
        case 9: (fewer, more) = (3, 3)
        case 12: (fewer, more) = (3, 4)
        case 16: (fewer, more) = (4, 4)
        default: return nil
        }
        (columns, rows) = isWide ? (more, fewer) : (fewer, more)
    }

    /// The cell of the page at this position, in the order `toright-tobottom` (PWG 5100.3
    /// `presentation-direction-number-up`) of somebody who holds the sheet so that pages with this turn are upright.
    func cell(_ position: Int, seenBy turn: Turn) -> (column: Int, row: Int) {
        switch turn {
        case .none: return (position % columns, position / columns)
        case .half: return (columns - 1 - position % columns, rows - 1 - position / columns)
        case .anticlockwise: return (position / rows, rows - 1 - position % rows)
        case .clockwise: return (columns - 1 - position / rows, position % rows)
        }
    }

    /// Whether upright pages are turned in these cells. Those of 6 and 12 pages are nearly square on many sheets: there,
    /// as everywhere, a grid with more cells in one direction is for a sheet that is turned.
    func isWideCell(in area: PageRectangle) -> Bool {
        let (width, height) = (area.width / Double(columns), area.height / Double(rows))
        guard max(width, height) < Self.square * min(width, height) else { return width > height }
        return columns == rows ? area.width > area.height : rows > columns
    }

    /// What is nearly square: the longer edge is shorter than so many of the other.
    private static let square = 1.15

    /// The place of a cell in the area that is divided. All cells are equal, so that their pages are.
    func dots(of cell: (column: Int, row: Int), in area: DotRectangle) -> DotRectangle {
        let left = area.left + cell.column * area.width / columns
        let top = area.top + cell.row * area.height / rows
        return DotRectangle(
            left: left, top: top, right: left + area.width / columns, bottom: top + area.height / rows)
    }
}
