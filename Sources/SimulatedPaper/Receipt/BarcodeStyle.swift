/// How `GS k` draws, as `GS w`, `GS h`, `GS H` and `GS f` have set it.
struct BarcodeStyle {
    /// Dots to a module.
    var module = 3
    var height = 162
    var text = HumanReadableText.none
    var font = PrinterFont.a
}

/// Where the text of a barcode stands.
enum HumanReadableText: Int {
    case none, above, below, both

    var isAbove: Bool { self == .above || self == .both }
    var isBelow: Bool { self == .below || self == .both }
}
