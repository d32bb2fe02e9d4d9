/// The dimensions of the paper and the mechanism, in dots. The defaults are those of an 80 mm receipt printer of 203
/// dpi.
package struct PaperModel: Hashable, Sendable {
    /// Dots across the print head.
    package var width = 576
    package var dotsPerInch = 203
    /// Unprintable paper at the left and the right.
    package var margin = 32
    /// Paper between the head and the cutter: the last printed row is so far before it. About 14 mm, as in Epson's TM-T
    /// series.
    package var cutterDistance = 112
    /// The initial horizontal and vertical motion units, in parts of an inch (`GS P`).
    package var horizontalUnits = 203
    package var verticalUnits = 203
    /// The initial line spacing (`ESC 3`).
    package var lineSpacing = 30
    /// 5 m; nothing is drawn after that.
    package var maximumPaperLength = 40_000

    package init() {}

    /// 80 mm wide.
    package static let receipt80 = PaperModel()

    /// 58 mm wide.
    package static var receipt58: PaperModel {
        var model = PaperModel()
        model.width = 384
        model.margin = 40
        return model
    }
}

/// The printed paper roll: its dots and cuts. It grows as it is printed on, up to the model's maximum length.
struct PaperRoll {
    private let model: PaperModel
    private var dots: Bitmap
    /// The dots that are red; nil where nothing is.
    private var redDots: Bitmap?
    /// Rows that have passed the head.
    private(set) var position = 0
    private(set) var cuts: [PaperCut] = []
    /// Whether a job printed beyond the maximum length of paper.
    private(set) var isTooLong = false

    init(_ model: PaperModel) {
        self.model = model
        dots = Bitmap(width: model.width, height: 0)
    }

    /// Prints from the current row on, without feeding the paper.
    mutating func draw(_ picture: Bitmap, x: Int, isRed: Bool = false) {
        guard grow(to: position + picture.height) else { return }
        dots.draw(picture, x: x, y: position)
        guard isRed || redDots != nil else { return }
        var red = redDots ?? Bitmap(width: model.width, height: 0)
        if red.height < dots.height { red.resize(height: dots.height) }
        // Black over red is black.
        red.draw(picture, x: x, y: position, isRed ? .black : .white)
        redDots = red
    }

    mutating func feed(_ rows: Int) {
        let wanted = position + max(0, rows)
        position = min(wanted, model.maximumPaperLength)
        if wanted > model.maximumPaperLength { isTooLong = true }
    }

    /// Feeds the paper backwards, as far as possible.
    mutating func reverse(_ rows: Int) { position = max(0, position - max(0, rows)) }

    /// Cuts the paper at the cutter, which is behind the head: it meets rows that were printed before.
    mutating func cut(isPartial: Bool) -> PaperCut {
        let cut = PaperCut(row: max(0, position - model.cutterDistance), isPartial: isPartial)
        if cuts.count < Self.maximumCuts { cuts.append(cut) }
        return cut
    }

    private static let maximumCuts = 1000

    private mutating func grow(to height: Int) -> Bool {
        guard height <= model.maximumPaperLength else {
            isTooLong = true
            return false
        }
        if height > dots.height { dots.resize(height: height) }
        return true
    }

    /// The red dots of the whole paper with its margins; nil where nothing is red.
    func redPicture() -> Bitmap? {
        guard let redDots else { return nil }
        var picture = Bitmap(width: model.width + 2 * model.margin, height: max(1, dots.height, position))
        picture.draw(redDots, x: model.margin, y: 0)
        return picture
    }

    /// The whole paper with its margins, and a dashed line at each cut.
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

/// A cut of the paper.
package struct PaperCut: Hashable, Sendable {
    /// Rows from the start of the paper.
    package var row: Int
    /// One or two points of the paper were left uncut.
    package var isPartial: Bool
}
