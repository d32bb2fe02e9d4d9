import KioskIPPCodec
import KioskPrintModel

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
