/// Code 93 (AIM USS-93) with its extension to all of ASCII.
enum Code93Symbol {
    private static let characters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-. $/+%".utf8)
    /// Nine modules each, the first in the highest bit; 1 is dark. After the characters the four shifts ($) (%) (/)
    /// (+), then start and stop.
    private static let patterns: [Int] = [
        0x114, 0x148, 0x144, 0x142, 0x128, 0x124, 0x122, 0x150, 0x112, 0x10A, 0x1A8, 0x1A4, 0x1A2, 0x194, 0x192, 0x18A,
        0x168, 0x164, 0x162,
        0x134, 0x11A, 0x158, 0x14C, 0x146, 0x12C, 0x116, 0x1B4, 0x1B2, 0x1AC, 0x1A6, 0x196, 0x19A, 0x16C, 0x166, 0x136,
        0x13A, 0x12E, 0x1D4,
        0x1D2, 0x1CA, 0x16E, 0x176, 0x1AE, 0x126, 0x1DA, 0x1D6, 0x132, 0x15E,
    ]
    private static let dollar = 43, percent = 44, slash = 45, plus = 46, startStop = 47

    static func symbol(_ data: [UInt8]) throws(SymbolError) -> BarSymbol {
        guard !data.isEmpty else { throw SymbolError("no data") }
        var values: [Int] = []
        for byte in data { values += try self.values(byte) }
        values.append(check(values, cycle: 20))
        values.append(check(values, cycle: 15))
        var modules: [Bool] = []
        for value in [startStop] + values + [startStop] {
            modules += (0..<9).reversed().map { patterns[value] >> $0 & 1 == 1 }
        }
        let text = String(decoding: data.map { (0x20..<0x7F).contains($0) ? $0 : 0x20 }, as: UTF8.self)
        return BarSymbol(elements: runs(modules + [true]), text: text)
    }

    private static func values(_ byte: UInt8) throws(SymbolError) -> [Int] {
        if let index = characters.firstIndex(of: byte) { return [index] }
        let code = Int(byte)
        // The letter A has the value 10; each shift selects a range of ASCII.
        switch code {
        case 0: return [percent, 10 + 20]
        case 1...26: return [dollar, 10 + code - 1]
        case 27...31: return [percent, 10 + code - 27]
        case 33...58: return [slash, 10 + code - 33]
        case 59...63: return [percent, 10 + 5 + code - 59]
        case 64: return [percent, 10 + 21]
        case 91...95: return [percent, 10 + 10 + code - 91]
        case 96: return [percent, 10 + 22]
        case 97...122: return [plus, 10 + code - 97]
        case 123...127: return [percent, 10 + 15 + code - 123]
        default: throw SymbolError("no character for \(PaperEvent.hex([byte]))")
        }
    }

    /// The check character. The weights from the right are 1 to `cycle`, repeated.
    private static func check(_ values: [Int], cycle: Int) -> Int {
        values.reversed().enumerated().reduce(0) { $0 + $1.element * ($1.offset % cycle + 1) } % 47
    }

    /// The lengths of runs of equal modules; the first is dark.
    private static func runs(_ modules: [Bool]) -> [Int] {
        var runs: [Int] = []
        var last: Bool?
        for module in modules {
            if module == last { runs[runs.count - 1] += 1 } else { runs.append(1) }
            last = module
        }
        return runs
    }
}
