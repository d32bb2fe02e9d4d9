/// A barcode as alternating bars and spaces, beginning and ending with a bar.
struct BarSymbol: Equatable {
    /// The widths in modules; in a two-width symbology 1 is narrow and 2 is wide.
    var elements: [Int]
    var isTwoLevel = false
    /// The human-readable text.
    var text: String
    /// What the printer ignores of the data, or adds to it.
    var remark: String?

    /// The bars with so many dots per module. By default a wide element is two and a half narrow ones, rounded up, as
    /// with Epson's `GS w`.
    func picture(module: Int, wide: Int? = nil, height: Int) -> Bitmap {
        let wide = wide ?? (5 * module + 1) / 2
        let widths = elements.map { isTwoLevel ? ($0 > 1 ? wide : module) : $0 * module }
        var picture = Bitmap(width: widths.reduce(0, +), height: height)
        var x = 0
        for (index, width) in widths.enumerated() {
            if index % 2 == 0 { picture.fill(x: x, y: 0, width: width, height: height) }
            x += width
        }
        return picture
    }
}

/// The reason why data cannot be encoded as a symbol.
struct SymbolError: Error {
    var reason: String

    init(_ reason: String) { self.reason = reason }
}

/// The symbologies of `GS k`, in the order of their numbers from 65 on.
enum BarSymbology: Int, Sendable, CaseIterable {
    case upcA, upcE, ean13, ean8, code39, itf, codabar, code93, code128, gs1_128, dataBarOmni, dataBarTruncated,
        dataBarLimited,
        dataBarExpanded, code128Auto

    var name: String {
        switch self {
        case .upcA: "UPC-A"
        case .upcE: "UPC-E"
        case .ean13: "EAN-13"
        case .ean8: "EAN-8"
        case .code39: "Code 39"
        case .itf: "ITF"
        case .codabar: "Codabar"
        case .code93: "Code 93"
        case .code128: "Code 128"
        case .gs1_128: "GS1-128"
        case .dataBarOmni: "GS1 DataBar Omnidirectional"
        case .dataBarTruncated: "GS1 DataBar Truncated"
        case .dataBarLimited: "GS1 DataBar Limited"
        case .dataBarExpanded: "GS1 DataBar Expanded"
        case .code128Auto: "Code 128 by itself"
        }
    }
}
