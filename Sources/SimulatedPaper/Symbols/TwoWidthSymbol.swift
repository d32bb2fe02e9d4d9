/// Encodes Code 39 (ISO/IEC 16388), interleaved 2 of 5 (ISO/IEC 16390) and Codabar (EN 798) as bars, for the barcode
/// commands on simulated paper. A check digit is added only where that is asked for.
enum TwoWidthSymbol {
    private static let code39Characters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-. $/+%*".utf8)
    /// Nine elements each, the first in the highest bit; 1 is wide.
    private static let code39: [Int] = [
        0x034, 0x121, 0x061, 0x160, 0x031, 0x130, 0x070, 0x025, 0x124, 0x064, 0x109, 0x049, 0x148, 0x019, 0x118, 0x058,
        0x00D, 0x10C, 0x04C,
        0x01C, 0x103, 0x043, 0x142, 0x013, 0x112, 0x052, 0x007, 0x106, 0x046, 0x016, 0x181, 0x0C1, 0x1C0, 0x091, 0x190,
        0x0D0, 0x085, 0x184,
        0x0C4, 0x0A8, 0x0A2, 0x08A, 0x02A, 0x094,
    ]
    private static let codabarCharacters = Array("0123456789-$:/.+ABCD".utf8)
    /// Seven elements each.
    private static let codabar: [Int] = [
        0x03, 0x06, 0x09, 0x60, 0x12, 0x42, 0x21, 0x24, 0x30, 0x48, 0x0C, 0x18, 0x45, 0x51, 0x54, 0x15, 0x1A, 0x29,
        0x0B, 0x0E,
    ]
    /// Five elements each.
    private static let twoOfFive: [Int] = [0x06, 0x11, 0x09, 0x18, 0x05, 0x14, 0x0C, 0x03, 0x12, 0x0A]

    /// Code 39. Start and stop (`*`) are added where they are missing.
    static func code39(_ data: [UInt8], addsCheckDigit: Bool = false) throws(SymbolError) -> BarSymbol {
        let star = UInt8(ascii: "*")
        var inner =
            data.count >= 2 && data.first == star && data.last == star ? Array(data.dropFirst().dropLast()) : data
        guard !inner.isEmpty, !inner.contains(star) else { throw SymbolError("no data between the stars") }
        if addsCheckDigit {
            // Modulo 43, over the characters' places in the table.
            inner.append(code39Characters[inner.reduce(0) { $0 + (code39Characters.firstIndex(of: $1) ?? 0) } % 43])
        }
        return try symbol([star] + inner + [star], code39Characters, code39, elementCount: 9, text: inner)
    }

    /// Codabar. The start and stop characters A to D are part of the data; A is used where there are none.
    static func codabar(_ data: [UInt8]) throws(SymbolError) -> BarSymbol {
        var characters = data.map { (0x61...0x64).contains($0) ? $0 - 0x20 : $0 }
        let letters = UInt8(ascii: "A")...UInt8(ascii: "D")
        if characters.allSatisfy({ !letters.contains($0) }) {
            characters = [letters.lowerBound] + characters + [letters.lowerBound]
        }
        guard characters.count >= 3, letters.contains(characters[0]),
            letters.contains(characters[characters.count - 1]),
            characters.dropFirst().dropLast().allSatisfy({ !letters.contains($0) })
        else { throw SymbolError("starts and ends with A to D, or neither does") }
        return try symbol(characters, codabarCharacters, codabar, elementCount: 7, text: characters)
    }

    /// Interleaved 2 of 5, which needs an even number of digits.
    static func itf(_ data: [UInt8]) throws(SymbolError) -> BarSymbol {
        guard data.allSatisfy({ (0x30...0x39).contains($0) }) else { throw SymbolError("only digits") }
        guard data.count % 2 == 0, !data.isEmpty else { throw SymbolError("an even number of digits") }
        let digits = data.map { Int($0) - 0x30 }
        var elements = [1, 1, 1, 1]
        for pair in stride(from: 0, to: digits.count, by: 2) {
            let (bars, spaces) = (widths(twoOfFive[digits[pair]], 5), widths(twoOfFive[digits[pair + 1]], 5))
            for (bar, space) in zip(bars, spaces) { elements += [bar, space] }
        }
        return BarSymbol(elements: elements + [2, 1, 1], isTwoLevel: true, text: String(decoding: data, as: UTF8.self))
    }

    private static func symbol(
        _ characters: [UInt8], _ known: [UInt8], _ patterns: [Int], elementCount: Int, text: [UInt8]
    ) throws(SymbolError) -> BarSymbol {
        var elements: [Int] = []
        for character in characters {
            guard let index = known.firstIndex(of: character) else {
                throw SymbolError("no character for \(PaperEvent.hex([character]))")
            }
            elements += widths(patterns[index], elementCount) + [1]
        }
        return BarSymbol(
            elements: Array(elements.dropLast()), isTwoLevel: true, text: String(decoding: text, as: UTF8.self))
    }

    private static func widths(_ pattern: Int, _ count: Int) -> [Int] {
        (0..<count).reversed().map { pattern >> $0 & 1 + 1 }
    }
}
