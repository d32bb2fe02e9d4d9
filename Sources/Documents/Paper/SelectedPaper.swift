package import KioskPrintModel

/// The paper that a document is printed on: one for all its pages.
package struct SelectedPaper: Hashable, Sendable {
    /// The entry of the printer's description that it was taken from, with its source, type and range of sizes.
    package var medium: Medium
    /// The PWG 5101.1 name of the size.
    package var name: String
    /// The extent across the feed, in hundredths of a millimetre.
    package var width: Int
    /// The extent along the feed, in hundredths of a millimetre; on a roll, that of the first side.
    package var height: Int
    /// The border that stays white.
    package var margins: Medium.Margins
    /// How it was chosen.
    package var choice: Choice
    /// The lengths to which a roll is cut, in hundredths of a millimetre; nil for sheets, and for a roll of which the
    /// ticket names a length.
    package var cutLengths: ClosedRange<Int>?

    /// The ways to choose a paper, best first.
    package enum Choice: String, Hashable, Sendable, CaseIterable {
        /// The ticket names it.
        case requested
        /// It has the page's size and is loaded, or as good as loaded.
        case equal
        /// It is a roll that is as wide as the page, or as the page is high.
        case roll
        /// It is the loaded paper on which the page fits with the least waste.
        case larger
        /// It has the page's size and is not loaded: the printer stops and asks for it.
        case notLoaded = "not-loaded"
        /// It is the printer's own choice, or that of the settings.
        case standard = "default"
    }

    var size: PaperSize { PaperSize(width: width, height: height) }
}
