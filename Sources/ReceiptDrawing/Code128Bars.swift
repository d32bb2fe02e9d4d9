import KioskDrawingMessages
import KioskReceipts

/// The bars of Code 128 (ISO/IEC 15417) for codewords that are chosen already. libzint chooses its own, which take more
/// room at times than the layout has for them.
enum Code128Bars {
    /// The widths of bars and spaces in modules, the first a bar, from the start to the stop.
    static func widths(of codewords: [Code128.Codeword]) -> [Int] {
        var values: [Int] = []
        var current: Code128.CodeSet?
        for word in codewords {
            switch word {
            case .set(let set):
                values.append(value(of: set, isStart: current == nil))
                current = set
            case .function1: values.append(102)
            case .pair(let pair): values.append(Int(pair))
            // Control characters, which only set A has, follow its other characters.
            case .character(let byte): values.append(byte < 0x20 ? Int(byte) + 64 : Int(byte) - 32)
            }
        }
        let check = values.enumerated().reduce(0) { $0 + $1.element * max($1.offset, 1) } % 103
        return (values + [check]).flatMap { patterns[$0] } + stop
    }

    private static func value(of set: Code128.CodeSet, isStart: Bool) -> Int {
        switch set {
        case .a: isStart ? 103 : 101
        case .b: isStart ? 104 : 100
        case .c: isStart ? 105 : 99
        }
    }

    private static let stop = [2, 3, 3, 1, 1, 1, 2]

    /// The patterns of the values, six digits each.
    private static let patterns: [[Int]] = {
        let digits = """
            212222222122222221121223121322131222122213122312132212221213221312231212112232122132122231113222123122123221
            223211221132221231213212223112312131311222321122321221312212322112322211212123212321232121111323131123131321
            112313132113132311211313231113231311112133112331132131113123113321133121313121211331231131213113213311213131
            311123311321331121312113312311332111314111221411431111111224111422121124121421141122141221112214112412122114
            122411142112142211241211221114413111241112134111111242121142121241114212124112124211411212421112421211212141
            214121412121111143111341131141114113114311411113411311113141114131311141411131211412211214211232
            """.filter { !$0.isNewline }.compactMap(\.wholeNumberValue)
        return stride(from: 0, to: digits.count, by: 6).map { Array(digits[$0..<$0 + 6]) }
    }()
}
