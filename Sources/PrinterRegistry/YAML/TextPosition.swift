/// A place in a text: line and column from 1, the column in Unicode scalars, as libyaml counts them.
struct TextPosition: Hashable, Comparable {
    var line: Int
    var column: Int

    static let start = TextPosition(line: 1, column: 1)

    static func < (left: TextPosition, right: TextPosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}
