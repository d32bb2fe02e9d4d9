import KioskIPPCodec

/// The size of a medium that its PWG 5101.1 self-describing name ends in: `iso_a4_210x297mm`, `na_letter_8.5x11in`.
struct PWGMediaSize: Hashable {
    /// Millimetres, in portrait: `width` is the shorter edge except on rolls.
    let width: Double
    let height: Double

    /// Nil where the name does not end in a size.
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

/// A range of custom sizes in which a printer accepts any medium: a value of `media-size-supported` whose dimensions
/// are ranges (PWG 5100.7 §6.9.50), in hundredths of a millimetre.
struct MediaSizeRange: Hashable, Sendable {
    private let widths: ClosedRange<Int32>
    private let lengths: ClosedRange<Int32>

    /// More than any printer has.
    private static let maximumCount = 16

    static func all(_ attributes: IPPGroup) -> [MediaSizeRange] {
        let sizes = attributes["media-size-supported"]?.collections ?? []
        return Array(sizes.lazy.compactMap(MediaSizeRange.init).prefix(maximumCount))
    }

    /// Nil for a fixed size.
    private init?(_ size: IPPCollection) {
        guard let widths = size["x-dimension"]?.range?.closed, let lengths = size["y-dimension"]?.range?.closed,
            widths.lowerBound > 0, lengths.lowerBound > 0,
            widths.lowerBound < widths.upperBound || lengths.lowerBound < lengths.upperBound
        else { return nil }
        self.widths = widths
        self.lengths = lengths
    }

    func contains(_ size: PWGMediaSize) -> Bool {
        guard let (width, length) = Self.hundredths(size) else { return false }
        return widths.contains(width) && lengths.contains(length)
    }

    /// The size as a `media-size`.
    func collection(of size: PWGMediaSize) -> IPPCollection {
        let (width, length) = Self.hundredths(size) ?? (widths.lowerBound, lengths.lowerBound)
        return [IPPAttribute("x-dimension", .integer(width)), IPPAttribute("y-dimension", .integer(length))]
    }

    /// PWG 5101.1 names for both ends.
    var names: [String] {
        [
            "custom_min_\(Self.millimetres(widths.lowerBound))x\(Self.millimetres(lengths.lowerBound))mm",
            "custom_max_\(Self.millimetres(widths.upperBound))x\(Self.millimetres(lengths.upperBound))mm",
        ]
    }

    private static func hundredths(_ size: PWGMediaSize) -> (Int32, Int32)? {
        let (width, height) = ((size.width * 100).rounded(), (size.height * 100).rounded())
        guard let width = Int32(exactly: width), let height = Int32(exactly: height) else { return nil }
        return (width, height)
    }

    private static func millimetres(_ hundredths: Int32) -> String {
        let (whole, rest) = (hundredths / 100, hundredths % 100)
        if rest == 0 { return "\(whole)" }
        return rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }
}
