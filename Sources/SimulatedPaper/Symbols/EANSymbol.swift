/// EAN-13, EAN-8, UPC-A and UPC-E (GS1 General Specifications, section 5.2).
enum EANSymbol {
    /// The element widths of odd-parity digits, beginning with a space.
    private static let digits: [[Int]] = [
        [3, 2, 1, 1], [2, 2, 2, 1], [2, 1, 2, 2], [1, 4, 1, 1], [1, 1, 3, 2], [1, 2, 3, 1], [1, 1, 1, 4], [1, 3, 1, 2],
        [1, 2, 1, 3],
        [3, 1, 1, 2],
    ]
    /// The parities of the left digits of EAN-13, by the first digit.
    private static let leadingDigit = [
        "OOOOOO", "OOEOEE", "OOEEOE", "OOEEEO", "OEOOEE", "OEEOOE", "OEEEOO", "OEOEOE", "OEOEEO", "OEEOEO",
    ]
    /// The parities of UPC-E, by the check digit.
    private static let checkDigit = [
        "EEEOOO", "EEOEOO", "EEOOEO", "EEOOOE", "EOEEOO", "EOOEEO", "EOOOEE", "EOEOEO", "EOEOOE", "EOOEOE",
    ]

    static func ean13(_ data: [UInt8]) throws(SymbolError) -> BarSymbol {
        let digits = try checked(data, length: 13)
        return BarSymbol(elements: double(digits.dropFirst(), leadingDigit[digits[0]]), text: text(digits))
    }

    static func upcA(_ data: [UInt8]) throws(SymbolError) -> BarSymbol {
        let digits = try checked(data, length: 12)
        return BarSymbol(elements: double(digits[...], leadingDigit[0]), text: text(digits))
    }

    static func ean8(_ data: [UInt8]) throws(SymbolError) -> BarSymbol {
        let digits = try checked(data, length: 8)
        return BarSymbol(elements: double(digits[...], "OOOO"), text: text(digits))
    }

    /// UPC-E, from its six digits with or without number system and check digit, or from the UPC-A that it abbreviates.
    static func upcE(_ data: [UInt8]) throws(SymbolError) -> BarSymbol {
        let given = try numbers(data)
        let short: [Int]
        switch given.count {
        case 6: short = given
        case 7, 8: short = Array(given[1...6])
        case 11, 12: short = try shortened(given)
        default: throw SymbolError("UPC-E has 6, 7, 8, 11 or 12 digits")
        }
        guard given.count == 6 || given[0] == 0 else { throw SymbolError("UPC-E begins with 0") }
        let whole = try checked(lengthened(short) + (given.count % 4 == 0 ? [given[given.count - 1]] : []), length: 12)
        let parities = checkDigit[whole[11]]
        var elements = [1, 1, 1]
        for (digit, parity) in zip(short, parities) { elements += widths(digit, parity) }
        return BarSymbol(elements: elements + [1, 1, 1, 1, 1, 1], text: text([0] + short + [whole[11]]))
    }

    /// The add-on of two or five digits; fewer are filled up with zeros in front, more are cut off.
    static func extra(_ data: [UInt8]) throws(SymbolError) -> BarSymbol {
        let given = try numbers(data)
        guard !given.isEmpty else { throw SymbolError("2 or 5 digits") }
        let count = given.count <= 2 ? 2 : 5
        let digits = [Int](repeating: 0, count: max(0, count - given.count)) + given.prefix(count)
        let parities: String
        if count == 2 {
            parities = ["OO", "OE", "EO", "EE"][(digits[0] * 10 + digits[1]) % 4]
        } else {
            let sum = digits.enumerated().reduce(0) { $0 + $1.element * ($1.offset % 2 == 0 ? 3 : 9) }
            parities =
                [
                    "EEOOO", "EOEOO", "EOOEO", "EOOOE", "OEEOO", "OOEEO", "OOOEE", "OEOEO", "OEOOE", "OOEOE",
                ][sum % 10]
        }
        // The guard, then the digits with separators between them.
        var elements = [1, 1, 2]
        for (index, (digit, parity)) in zip(digits, parities).enumerated() {
            elements += (index == 0 ? [] : [1, 1]) + widths(digit, parity)
        }
        let remark = given.count == count ? nil : "the digits are taken as \(text(digits))"
        return BarSymbol(elements: elements, text: text(digits), remark: remark)
    }

    /// The check digit (modulo 10) of a text's digits, as a character.
    static func checkDigit(_ data: [UInt8]) -> [UInt8] {
        [UInt8(ascii: "0") + UInt8(check(data.filter { (0x30...0x39).contains($0) }.map { Int($0) - 0x30 }))]
    }

    /// The check digit of digits without one.
    static func check(_ digits: [Int]) -> Int {
        let sum = digits.reversed().enumerated().reduce(0) { $0 + $1.element * ($1.offset % 2 == 0 ? 3 : 1) }
        return (10 - sum % 10) % 10
    }

    private static func numbers(_ data: [UInt8]) throws(SymbolError) -> [Int] {
        guard data.allSatisfy({ (0x30...0x39).contains($0) }) else { throw SymbolError("only digits") }
        return data.map { Int($0) - 0x30 }
    }

    private static func checked(_ data: [UInt8], length: Int) throws(SymbolError) -> [Int] {
        try checked(numbers(data), length: length)
    }

    private static func checked(_ digits: [Int], length: Int) throws(SymbolError) -> [Int] {
        if digits.count == length - 1 { return digits + [check(digits)] }
        guard digits.count == length else { throw SymbolError("\(length - 1) or \(length) digits") }
        guard check(digits.dropLast()) == digits[length - 1] else {
            throw SymbolError("the check digit is \(check(digits.dropLast()))")
        }
        return digits
    }

    private static func widths(_ digit: Int, _ parity: Character) -> [Int] {
        parity == "O" ? digits[digit] : digits[digit].reversed()
    }

    /// The elements of two halves between guards; the parities are those of the left half.
    private static func double(_ digits: ArraySlice<Int>, _ parities: String) -> [Int] {
        var elements = [1, 1, 1]
        for (digit, parity) in zip(digits, parities) { elements += widths(digit, parity) }
        elements += [1, 1, 1, 1, 1]
        for digit in digits.dropFirst(parities.count) { elements += widths(digit, "O") }
        return elements + [1, 1, 1]
    }

    /// The six digits of UPC-E for a UPC-A whose zeros allow it.
    private static func shortened(_ digits: [Int]) throws(SymbolError) -> [Int] {
        let (maker, item) = (Array(digits[1...5]), Array(digits[6...10]))
        if maker[3...] == [0, 0], maker[2] <= 2, item[..<2] == [0, 0] {
            return [maker[0], maker[1], item[2], item[3], item[4], maker[2]]
        }
        if maker[3...] == [0, 0], item[..<3] == [0, 0, 0] {
            return [maker[0], maker[1], maker[2], item[3], item[4], 3]
        }
        if maker[4] == 0, item[..<4] == [0, 0, 0, 0] { return [maker[0], maker[1], maker[2], maker[3], item[4], 4] }
        if item[..<4] == [0, 0, 0, 0], item[4] >= 5 { return maker + [item[4]] }
        throw SymbolError("no UPC-E exists for this number")
    }

    private static func lengthened(_ six: [Int]) -> [Int] {
        switch six[5] {
        case 0...2: [0, six[0], six[1], six[5], 0, 0, 0, 0, six[2], six[3], six[4]]
        case 3: [0, six[0], six[1], six[2], 0, 0, 0, 0, 0, six[3], six[4]]
        case 4: [0, six[0], six[1], six[2], six[3], 0, 0, 0, 0, 0, six[4]]
        default: [0, six[0], six[1], six[2], six[3], six[4], 0, 0, 0, 0, six[5]]
        }
    }

    private static func text(_ digits: [Int]) -> String { digits.map(String.init).joined() }
}
