/// The size of a medium that its PWG 5101.1 self-describing name ends in: `iso_a4_210x297mm`, `na_letter_8.5x11in`.
package struct PWGMediaSize: Hashable, Sendable {
    /// Millimetres, in portrait: `width` is the shorter edge except on rolls.
    package let width: Double
    package let height: Double

    /// Nil where the name does not end in a size.
    package init?(mediaName: String) {
        guard let size = mediaName.split(separator: "_").last else { return nil }
        let millimetresPerUnit: Double
        switch size.suffix(2) {
        case "mm": millimetresPerUnit = 1
        case "in": millimetresPerUnit = 25.4
        default: return nil
        }
        let edges = size.dropLast(2).split(separator: "x", omittingEmptySubsequences: false).map { Double($0) }
        guard edges.count == 2, let width = edges[0], let height = edges[1], width > 0, height > 0,
            width.isFinite, height.isFinite
        else { return nil }
        self.width = width * millimetresPerUnit
        self.height = height * millimetresPerUnit
    }
}
