/// What the paper and the mechanism measure, in dots: an 80 mm receipt printer of 203 dpi, where nothing else is said.
package struct PaperModel: Hashable, Sendable {
    /// Dots that the head can print side by side.
    package var width = 576
    package var dotsPerInch = 203
    /// White paper at the left and the right of what can be printed.
    package var margin = 32
    /// Paper between the head and the blade: what was printed last stands so far from it. 14 mm, as in Epson's TM-T
    /// series, about.
    package var cutterDistance = 112
    /// Horizontal and vertical motion units in parts of an inch, until GS P.
    package var horizontalUnits = 203
    package var verticalUnits = 203
    /// Line spacing, until ESC 3.
    package var lineSpacing = 30
    /// 5 m; what comes after that isn't drawn.
    package var longestPaper = 40_000

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
