import KioskPrintModel
import KioskReceipts

/// The paper that a printer of pages has for a receipt, as far as it says so. A receipt that is wider than the paper is
/// laid out narrower, and one that is longer goes on several pages: what lies beyond a page is cut off silently.
struct LoadedPaper {
    /// Millimetres.
    private let width: Double
    /// Millimetres; nil where a page may have any length that receipts have.
    private let maximumLength: Double?

    /// A greater difference in millimetres means another roll.
    private static let similarWidth = 10.0

    /// The loaded paper on which a page of the settings' width is printed, or else what the printer lists. Nil where it
    /// names no size.
    init?(_ description: PrinterDescription, for settings: PrintingSettings) {
        let wanted = Double(settings.paperWidth ?? settings.dots * 254 / (settings.dpi * 10))
        let loaded = Self.sizes(description.mediaReady)
        let similar = loaded.filter { abs($0.width - wanted) <= Self.similarWidth }
        let wider = loaded.filter { $0.width >= wanted }.sorted { $0.width < $1.width }.prefix(1)
        // None holds it: the widest loses least.
        let paper =
            !similar.isEmpty
            ? similar : !wider.isEmpty ? Array(wider) : loaded.max { $0.width < $1.width }.map { [$0] } ?? []
        let width = paper.first?.width ?? wanted
        let ranges = Self.ranges(description.media)
        if let range = ranges.first(where: { $0.widths.contains(width) }) {
            (self.width, maximumLength) = (width, range.maximumLength)
            return
        }
        let listed = Self.sizes(description.media).filter { abs($0.width - width) <= Self.similarWidth }
        // What is not loaded can be asked for where nothing is known to be loaded, or it is the same roll.
        let lengths = (paper + (similar.isEmpty && !paper.isEmpty ? [] : listed)).map(\.height)
        guard let longest = lengths.max() else { return nil }
        (self.width, maximumLength) = (width, longest)
    }

    /// Makes the settings those of the paper, where it is narrower than they say; returns a remark on that, as a sentence
    /// without a full stop.
    func fit(_ settings: inout PrintingSettings) -> String? {
        let dotsPerMillimetre = Double(settings.dpi) / 25.4
        let dotsWidth = Double(settings.dots) / dotsPerMillimetre
        let wanted = settings.paperWidth.map(Double.init) ?? dotsWidth
        guard width < wanted - Self.similarWidth else { return nil }
        let margins = max(wanted - dotsWidth, 0)
        let dots = Int((width - margins) * dotsPerMillimetre) / 8 * 8
        guard dots >= Self.minimumDots else { return nil }
        settings.dots = min(settings.dots, dots)
        settings.paperWidth = Int(width)
        return
            "the loaded paper is \(Int(width)) mm wide, and its profile says \(Int(wanted)) mm: it is laid out for the paper"
    }

    /// Narrower paper holds no line of a receipt.
    private static let minimumDots = 96

    func maximumLength(in dotsPerInch: Int) -> Int? {
        maximumLength.map { Int($0 * Double(dotsPerInch) / 25.4) }
    }

    // MARK: Names of media (PWG 5101.1)

    private static func sizes(_ names: [String]) -> [PWGMediaSize] {
        names.filter { end(of: $0) == nil }.compactMap { PWGMediaSize(mediaName: $0) }
    }

    private static func ranges(_ names: [String]) -> [(widths: ClosedRange<Double>, maximumLength: Double)] {
        var ends: [String: PWGMediaSize] = [:]
        for name in names { if let end = end(of: name) { ends[end] = PWGMediaSize(mediaName: name) } }
        return ["roll", "custom"].compactMap { kind in
            guard let minimum = ends["\(kind)_min"], let maximum = ends["\(kind)_max"], minimum.width <= maximum.width
            else { return nil }
            return (minimum.width...maximum.width, maximum.height)
        }
    }

    /// The end of a range of sizes that a name stands for: `roll_max` of `roll_max_80x1000mm`.
    private static func end(of name: String) -> String? {
        ["roll_min", "roll_max", "custom_min", "custom_max"].first { name.hasPrefix("\($0)_") }
    }
}
