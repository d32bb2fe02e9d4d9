/// The paper as it comes out: dots, and where it was cut. It grows as it is printed on, up to the model's longest.
struct PaperRoll {
    private let model: PaperModel
    private var dots: Bitmap
    /// Rows that have passed the head.
    private(set) var position = 0
    /// Where the blade came down, as a row, and whether a part was left standing.
    private(set) var cuts: [PaperCut] = []
    /// Something was to be printed beyond the longest paper.
    private(set) var isOver = false

    init(_ model: PaperModel) {
        self.model = model
        dots = Bitmap(width: model.width, height: 0)
    }

    /// Prints from the present row on; the paper does not move.
    mutating func draw(_ picture: Bitmap, x: Int) {
        guard grow(to: position + picture.height) else { return }
        dots.draw(picture, x: x, y: position)
    }

    mutating func feed(_ rows: Int) {
        let wanted = position + max(0, rows)
        position = min(wanted, model.longestPaper)
        if wanted > model.longestPaper { isOver = true }
    }

    /// Draws the paper in again, as far as it goes.
    mutating func reverse(_ rows: Int) { position = max(0, position - max(0, rows)) }

    /// The blade is further on than the head: it meets paper that was printed before.
    mutating func cut(isPartial: Bool) -> PaperCut {
        let cut = PaperCut(row: max(0, position - model.cutterDistance), isPartial: isPartial)
        if cuts.count < Self.mostCuts { cuts.append(cut) }
        return cut
    }

    private static let mostCuts = 1000

    private mutating func grow(to height: Int) -> Bool {
        guard height <= model.longestPaper else {
            isOver = true
            return false
        }
        if height > dots.height { dots.resize(height: height) }
        return true
    }

    /// All of it, with its margins, and a dashed line at each cut.
    func picture() -> Bitmap {
        let height = max(1, dots.height, position)
        var picture = Bitmap(width: model.width + 2 * model.margin, height: height)
        picture.draw(dots, x: model.margin, y: 0)
        for cut in cuts {
            let (dash, gap) = cut.isPartial ? (4, 8) : (8, 4)
            for x in Swift.stride(from: 0, to: picture.width, by: dash + gap) {
                picture.fill(x: x, y: min(cut.row, height - 1), width: dash, height: 1)
            }
        }
        return picture
    }
}

/// Where the blade came down.
package struct PaperCut: Hashable, Sendable {
    /// Rows from the start of the paper.
    package var row: Int
    /// A point or two were left standing.
    package var isPartial: Bool
}
