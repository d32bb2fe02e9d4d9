/// The size in a PWG 5101.1 media name: `iso_a4_210x297mm`, `na_letter_8.5x11in`.
struct MediaSize: Hashable {
    /// In millimetres; portrait, so `width` is the shorter edge except on rolls.
    let width: Double
    let height: Double

    /// Nil when the name ends in no size.
    init?(mediaName: String) {
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
