import Testing

@testable import KioskReceipts

/// The widths of the columns of a row.
@Suite struct RowGridTests {
    private static func grid(
        _ cells: Int, _ widths: [ColumnWidth], _ border: ColumnBorder = .space(1),
        _ alignment: HorizontalAlignment = .center, on paper: Int
    ) -> String {
        let grid = RowGrid(cells: cells, widths: widths, border: border, alignment: alignment, paper: paper)
        return grid.columns.map { "\($0.cell)@\($0.start)+\($0.width)" }.joined(separator: " ")
    }

    @Test(
        arguments: [
            (2, [], ColumnBorder.space(1), 9, "0@0+4 1@5+4"), (2, [], .space(1), 10, "0@0+4 1@5+5"),
            (3, [], .line, 13, "0@1+3 1@5+3 2@9+3"), (1, [], .space(1), 12, "0@0+12"),
            (2, [.share, 4], .space(1), 12, "0@0+7 1@8+4"), (3, [.share, 2, 4], .space(0), 12, "0@0+6 1@6+2 2@8+4"),
            (3, [.share, 0, 4], .space(1), 12, "0@0+7 2@8+4"),
            // Cells beyond the widths are hidden, and widths without cells keep their space.
            (3, [.share, 4], .space(1), 12, "0@0+7 1@8+4"), (1, [.share, 4], .space(1), 12, "0@0+7 1@8+4"),
            // A row that is narrower than the paper is aligned.
            (2, [3, 4], .space(1), 12, "0@2+3 1@6+4"), (2, [3, 3], .line, 12, "0@2+3 1@6+3"),
            // In a row that is too wide, the widest columns shrink, the last of them first.
            (2, [10, 10], .space(1), 12, "0@0+6 1@7+5"), (3, [20, 2, 20], .space(0), 12, "0@0+5 1@5+2 2@7+5"),
            (2, [.share, 300], .space(1), 12, "0@0+1 1@2+10"),
            (3, [.share, 999, .share], .line, 12, "0@1+1 1@3+6 2@10+1"),
            // Where there is not a character for each column, the last columns are left out.
            (9, [], .line, 12, "0@1+1 1@3+1 2@5+1 3@7+1 4@9+2"), (9, [], .space(2), 12, "0@0+1 1@3+1 2@6+2 3@10+2"),
            (2, [], .line, 2, ""), (2, [0, 0], .space(1), 12, ""),
        ] as [(Int, [ColumnWidth], ColumnBorder, Int, String)])
    func `columns`(_ cells: Int, _ widths: [ColumnWidth], _ border: ColumnBorder, _ paper: Int, _ expected: String) {
        #expect(Self.grid(cells, widths, border, on: paper) == expected)
    }

    @Test func `alignment`() {
        #expect(Self.grid(1, [4], .space(1), .left, on: 12) == "0@0+4")
        #expect(Self.grid(1, [4], .space(1), .right, on: 12) == "0@8+4")
    }
}
