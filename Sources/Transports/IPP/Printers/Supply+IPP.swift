import IPPCodec
import PrintModel

extension [Supply] {
    /// From the `marker-…` attributes (PWG 5100.9 §5), which are lists side by side. Printers send them in different
    /// lengths: the names count, and what is missing beside them is not known.
    init(_ attributes: IPPGroup) {
        func texts(_ name: String) -> [String] { attributes[name]?.strings.map(\.cleaned) ?? [] }
        func numbers(_ name: String) -> [Int32] { attributes[name]?.integers ?? [] }
        let (types, colors) = (texts("marker-types"), texts("marker-colors"))
        let levels = numbers("marker-levels")
        let (lows, highs) = (numbers("marker-low-levels"), numbers("marker-high-levels"))
        self = texts("marker-names").prefix(Self.most).enumerated().map { index, name in
            let type = types.at(index)
            let isWaste = type.map(Supply.isWaste) ?? false
            return Supply(
                name: name, type: type, color: colors.at(index).flatMap { $0 == "none" || $0.isEmpty ? nil : $0 },
                level: levels.at(index).flatMap(Supply.percent),
                lowLevel: (isWaste ? highs : lows).at(index).flatMap(Supply.percent)
            )
        }
    }

    /// The largest presses have some twenty.
    private static var most: Int { 64 }
}

extension Supply {
    /// PWG 5100.9 §5.7: -1, -2 and -3 are for "no limit", "not known" and "some".
    fileprivate static func percent(_ level: Int32) -> Int? { (0...100).contains(level) ? Int(level) : nil }

    /// A box for waste fills up; everything else runs out.
    fileprivate static func isWaste(_ type: String) -> Bool { type.hasPrefix("waste-") }

    /// Whether somebody is to look after it soon.
    var isLow: Bool {
        guard let level, let lowLevel else { return false }
        return type.map(Self.isWaste) == true ? level >= lowLevel && lowLevel > 0 : level <= lowLevel
    }
}

extension Array {
    fileprivate func at(_ index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
