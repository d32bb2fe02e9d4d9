/// The lines of a box, where rows of other columns may meet.
enum BoxStrokes {
    static func top(_ grid: RowGrid) -> PlacedStroke { joined(above: nil, below: grid) }
    static func bottom(_ grid: RowGrid) -> PlacedStroke { joined(above: grid, below: nil) }
    static func between(_ above: RowGrid, _ below: RowGrid) -> PlacedStroke { joined(above: above, below: below) }

    /// Beside the columns of a row.
    static func sides(_ grid: RowGrid) -> [PlacedStroke] {
        grid.lines.map { PlacedStroke(column: $0, joints: [[.up, .down]]) }
    }

    /// A horizontal line, as long as the longer row, with what comes to it from above and below.
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
