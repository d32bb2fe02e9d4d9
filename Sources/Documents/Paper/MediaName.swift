package import KioskPrintModel

/// A self-describing media name (PWG 5101.1 §5): `iso_a4_210x297mm`, `na_letter_8.5x11in`, `roll_max_62x1000mm`, with
/// the suffix that some printers add: `iso_a4_210x297mm.borderless`. Lengths are hundredths of a millimetre.
package struct MediaName: Hashable, Sendable {
    /// What the two numbers of the name are.
    package var kind: Kind
    /// The end of a range of sizes that it names; nil for one size.
    package var bound: Bound?
    /// The extent across the feed, which may be the longer edge.
    package var width: Int
    /// The extent along the feed; 0 for a roll whose page has no length yet.
    package var height: Int
    /// What follows the size, without the mark between: `borderless`.
    package var suffix: String?

    /// The classes of names that differ in what their numbers mean.
    package enum Kind: Hashable, Sendable {
        /// A cut sheet.
        case sheet
        /// A continuous medium, which is cut to the page.
        case roll
        /// A disc: the smallest square that holds it.
        case disc
    }

    /// The ends of a range of sizes (PWG 5101.1 §5.3).
    package enum Bound: Hashable, Sendable {
        /// The smallest or the largest size that the printer takes.
        case minimum, maximum
    }

    /// The octets of a keyword at most (RFC 8011 §5.1.4).
    private static let maximumOctets = 255
    /// Longer than any printer's paper: 100 m.
    static let maximumLength = 10_000_000

    /// Reads a name; nil where it has no size, such as `letter` or `choice_iso_a4_210x297mm_na_letter_8.5x11in`.
    package init?(_ name: String) {
        guard name.utf8.count <= Self.maximumOctets else { return nil }
        let parts = name.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[0] != "choice" else { return nil }
        guard
            let (index, size) = parts.indices.dropFirst().reversed().lazy
                .compactMap({ index in Size(parts[index]).map { (index, $0) } }).first
        else { return nil }
        kind =
            switch parts[0] {
            case "roll": .roll
            case "disc": .disc
            default: .sheet
            }
        bound =
            switch (parts[0], parts[1]) {
            case ("custom", "min"), ("roll", "min"): .minimum
            case ("custom", "max"), ("roll", "max"): .maximum
            default: nil
            }
        guard size.width > 0, size.height > 0 || kind == .roll else { return nil }
        // A disc has an inner and an outer diameter (PWG 5101.1 §5.3.1).
        width = kind == .disc ? max(size.width, size.height) : size.width
        height = kind == .disc ? max(size.width, size.height) : size.height
        let rest = ([size.suffix] + parts[(index + 1)...].map { String($0) }).filter { !$0.isEmpty }
        suffix = rest.isEmpty ? nil : rest.joined(separator: "_")
    }

    /// The name of a size that has no other, as CUPS writes it: `custom_62x100mm_62x100mm`.
    package static func custom(width: Int, height: Int) -> String {
        let size = "\(millimetres(width))x\(millimetres(height))mm"
        return "custom_\(size)_\(size)"
    }

    /// A length for names and people, in millimetres without needless zeros: `215.9`.
    static func millimetres(_ hundredths: Int) -> String {
        let (whole, rest) = (hundredths / 100, abs(hundredths % 100))
        if rest == 0 { return "\(whole)" }
        return rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }
}

extension MediaName {
    /// `210x297mm`, with what follows the unit.
    private struct Size {
        var width: Int
        var height: Int
        var suffix: String

        init?(_ text: Substring) {
            var bytes = text.utf8[...]
            guard let width = Decimal(&bytes), bytes.popFirst() == UInt8(ascii: "x"), let height = Decimal(&bytes)
            else { return nil }
            let hundredthsPerUnit: Int
            switch (bytes.popFirst(), bytes.popFirst()) {
            case (UInt8(ascii: "m"), UInt8(ascii: "m")): hundredthsPerUnit = 100
            case (UInt8(ascii: "i"), UInt8(ascii: "n")): hundredthsPerUnit = 2540
            default: return nil
            }
            guard let width = width.times(hundredthsPerUnit), let height = height.times(hundredthsPerUnit) else {
                return nil
            }
            if let mark = bytes.popFirst() {
                guard mark == UInt8(ascii: ".") || mark == UInt8(ascii: "-") else { return nil }
            }
            (self.width, self.height, suffix) = (width, height, String(Substring(bytes)))
        }
    }

    /// A decimal number of a name, without sign or exponent.
    private struct Decimal {
        private var digits = 0
        /// 10 to the number of its decimal places.
        private var scale = 1

        /// More than any size needs, and small enough for 64 bits.
        private static let maximumDigits = 12

        init?(_ bytes: inout Substring.UTF8View.SubSequence) {
            var count = 0
            var hasPoint = false
            while let byte = bytes.first {
                if byte == UInt8(ascii: "."), !hasPoint, count > 0 {
                    hasPoint = true
                } else if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
                    count += 1
                    guard count <= Self.maximumDigits else { return nil }
                    digits = digits * 10 + Int(byte - UInt8(ascii: "0"))
                    if hasPoint { scale *= 10 }
                } else {
                    break
                }
                bytes.removeFirst()
            }
            guard count > 0, !hasPoint || scale > 1 else { return nil }
        }

        /// The product, rounded; nil where it is longer than any paper.
        func times(_ factor: Int) -> Int? {
            let product = (digits * factor + scale / 2) / scale
            return product <= MediaName.maximumLength ? product : nil
        }
    }
}

extension Medium {
    /// The media of a list of names (`media-supported`, `media-ready`): single sizes, and the ranges of which both ends
    /// are listed. Names without a size are left out.
    package static func media(named names: some Sequence<String>) -> [Medium] {
        var media: [Medium] = []
        var smallest: [MediaName.Kind: MediaName] = [:]
        var largest: [MediaName.Kind: MediaName] = [:]
        for name in names {
            guard let size = MediaName(name) else { continue }
            switch size.bound {
            case .minimum?: smallest[size.kind] = size
            case .maximum?: largest[size.kind] = size
            case nil:
                media.append(
                    Medium(name: name, width: size.width, height: size.height, isRoll: size.kind == .roll))
            }
        }
        for kind in [MediaName.Kind.sheet, .roll] {
            guard let low = smallest[kind], let high = largest[kind], low.width <= high.width, low.height <= high.height
            else { continue }
            media.append(
                Medium(
                    width: low.width, height: low.height, maximumWidth: high.width, maximumHeight: high.height,
                    isRoll: kind == .roll))
        }
        return media
    }
}
