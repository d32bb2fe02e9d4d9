/// Code 128 (ISO/IEC 15417) from the data of each printer language: with code sets chosen in the data or automatically.
enum Code128Symbol {
    private static let patterns = [
        "212222", "222122", "222221", "121223", "121322", "131222", "122213", "122312", "132212", "221213", "221312",
        "231212", "112232", "122132", "122231",
        "113222", "123122", "123221", "223211", "221132", "221231", "213212", "223112", "312131", "311222", "321122",
        "321221", "312212", "322112", "322211",
        "212123", "212321", "232121", "111323", "131123", "131321", "112313", "132113", "132311", "211313", "231113",
        "231311", "112133", "112331", "132131",
        "113123", "113321", "133121", "313121", "211331", "231131", "213113", "213311", "213131", "311123", "311321",
        "331121", "312113", "312311", "332111",
        "314111", "221411", "431111", "111224", "111422", "121124", "121421", "141122", "141221", "112214", "112412",
        "122114", "122411", "142112", "142211",
        "241211", "221114", "413111", "241112", "134111", "111242", "121142", "121241", "114212", "124112", "124211",
        "411212", "421112", "421211", "212141",
        "214121", "412121", "111143", "111341", "131141", "114113", "114311", "411113", "411311", "113141", "114131",
        "311141", "411131", "211412", "211214",
        "211232",
    ]
    private static let stop = [2, 3, 3, 1, 1, 1, 2]
    private static let shift = 98, fnc1 = 102

    private enum Set: Int {
        case a = 103, b, c

        /// The value that switches to this set.
        var change: Int { 101 - (rawValue - 103) }

        /// FNC 2, 3 and 4; C has none of them.
        func function(_ number: Int) -> Int? {
            switch (self, number) {
            case (_, 1): fnc1
            case (.a, 2), (.b, 2): 97
            case (.a, 3), (.b, 3): 96
            case (.a, 4): 101
            case (.b, 4): 100
            default: nil
            }
        }

        /// The set after a value that may switch.
        func next(_ value: Int) -> Set {
            switch (self, value) {
            case (.a, 99), (.b, 99): .c
            case (.a, 100), (.c, 100): .b
            case (.b, 101), (.c, 101): .a
            default: self
            }
        }

        /// The text of a value: its character, or nothing.
        func text(_ value: Int) -> String {
            guard self != .c, value < 96 else { return "" }
            let code = self == .b || value < 64 ? value + 32 : value - 64
            return (32..<127).contains(code) ? String(UnicodeScalar(UInt8(code))) : " "
        }

        func value(_ byte: UInt8) -> Int? {
            switch (self, Int(byte)) {
            case (.a, let code) where code < 32: code + 64
            case (.a, let code) where code < 96: code - 32
            case (.b, let code) where (32..<128).contains(code): code - 32
            // A pair of digits is one byte from 0 to 99.
            case (.c, let code) where code < 100: code
            default: nil
            }
        }
    }

    /// The data of `GS k`: it begins with a set; `{A`, `{B` and `{C` choose a set, `{S` is the shift, `{1` to `{4` are
    /// the functions, `{{` is a brace.
    static func symbol(_ data: [UInt8]) throws(SymbolError) -> BarSymbol {
        var bytes = data[...]
        var values: [Int] = []
        var text = ""
        var set: Set?
        var isShifted = false
        while let byte = bytes.popFirst() {
            var byte = byte
            if byte == UInt8(ascii: "{") {
                guard let code = bytes.popFirst() else { throw SymbolError("a brace at the end") }
                if let next = [UInt8(ascii: "A"): Set.a, UInt8(ascii: "B"): .b, UInt8(ascii: "C"): .c][code] {
                    if next != set { values.append(set == nil ? next.rawValue : next.change) }
                    set = next
                    continue
                }
                guard let set else { throw SymbolError("begins with {A, {B or {C") }
                if code == UInt8(ascii: "S"), set != .c {
                    values.append(shift)
                    isShifted = true
                    continue
                }
                if (0x31...0x34).contains(code), let value = set.function(Int(code) - 0x30) {
                    values.append(value)
                    continue
                }
                guard code == byte else { throw SymbolError("no such code after a brace") }
                byte = code
            }
            guard let set else { throw SymbolError("begins with {A, {B or {C") }
            guard let value = (isShifted ? (set == .a ? .b : .a) : set).value(byte) else {
                throw SymbolError("no character for \(PaperEvent.hex([byte]))")
            }
            isShifted = false
            values.append(value)
            text +=
                set == .c
                ? (byte < 10 ? "0" : "") + String(byte)
                : String(decoding: [(0x20..<0x7F).contains(byte) ? byte : 0x20], as: UTF8.self)
        }
        guard values.count > 1 else { throw SymbolError("no data") }
        return symbol(values, text)
    }

    /// ASCII data with automatic code sets: C for runs of digits, else B, or A where control
    /// characters need it. `nil` is FNC1.
    static func automatic(_ data: [UInt8?], text: String) throws(SymbolError) -> BarSymbol {
        var values: [Int] = []
        var set: Set?
        var place = 0
        while place < data.count {
            guard let byte = data[place] else {
                if set == nil { set = enter(digits(data, place + 1) >= 2 ? .c : .b, from: nil, &values) }
                values.append(fnc1)
                place += 1
                continue
            }
            guard byte < 128 else { throw SymbolError("no character for \(PaperEvent.hex([byte]))") }
            let run = digits(data, place)
            if run >= 4 || (set == .c && run >= 2), let second = data[place + 1] {
                set = enter(.c, from: set, &values)
                values.append(Int(byte - 0x30) * 10 + Int(second - 0x30))
                place += 2
                continue
            }
            let next = byte < 32 ? Set.a : byte >= 96 ? .b : set == .a ? .a : .b
            set = enter(next, from: set, &values)
            values.append(next.value(byte) ?? 0)
            place += 1
        }
        guard values.count > 1 else { throw SymbolError("no data") }
        return symbol(values, text)
    }

    /// The data of ZPL (ZPL II Programming Guide, ^BC): set B, unless it begins with `>;` (C), `>:` (B) or `>9` (A). A
    /// `>` and a character stand for a value: `>5`, `>6` and `>7` switch to C, B and A or are FNC4, `>8` is FNC1, `>0` a
    /// `>`. In A and C, two digits are a value; what is no pair is left out, which is a remark.
    static func zpl(_ data: [UInt8], addsCheckDigit: Bool = false) throws(SymbolError) -> BarSymbol {
        let starts: [UInt8: Set] = [0x39: .a, 0x3A: .b, 0x3B: .c]
        let invoked: [UInt8: Int] = [
            0x3C: 62, 0x30: 30, 0x3D: 94, 0x31: 95, 0x32: 96, 0x33: 97, 0x34: 98, 0x35: 99, 0x36: 100, 0x37: 101,
            0x38: 102,
        ]
        let mark = UInt8(ascii: ">")
        var rest = data[...]
        var set = Set.b
        if rest.first == mark, let start = rest.dropFirst().first.flatMap({ starts[$0] }) {
            set = start
            rest = rest.dropFirst(2)
        }
        if addsCheckDigit { rest = (rest + EANSymbol.checkDigit(invocationsRemoved(rest)))[...] }
        var values = [set.rawValue]
        var text = ""
        var ignored: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == mark {
                guard let code = rest.popFirst() else { throw SymbolError("a > at the end") }
                guard let value = invoked[code] else { throw SymbolError("no such code after a >, or amid the data") }
                guard set != .c || value >= 100 else { throw SymbolError("no such code in set C") }
                values.append(value)
                text += set.text(value)
                set = set.next(value)
            } else if set == .b {
                guard let value = set.value(byte) else {
                    throw SymbolError("no character for \(PaperEvent.hex([byte]))")
                }
                values.append(value)
                text += set.text(value)
            } else if let second = rest.first, isDigit(byte), isDigit(second) {
                rest.removeFirst()
                let value = Int(byte - 0x30) * 10 + Int(second - 0x30)
                values.append(value)
                text += set == .c ? String(decoding: [byte, second], as: UTF8.self) : set.text(value)
                if set == .a { set = set.next(value) }
            } else {
                ignored.append(byte)
                // A digit takes what follows it along, unless a switch follows.
                if isDigit(byte), let second = rest.first, second != mark {
                    ignored.append(second)
                    rest.removeFirst()
                }
            }
        }
        guard values.count > 1 else { throw SymbolError("no data") }
        var result = symbol(values, text)
        if !ignored.isEmpty {
            result.remark =
                "\(PaperEvent.quoted(String(decoding: ignored, as: UTF8.self))) is no pair of digits: left out"
        }
        return result
    }

    /// The data of ZPL's mode U: nineteen digits and a check digit after FNC1, in set C. Further digits are left out,
    /// missing ones are zeros at the end.
    static func shippingCase(_ data: [UInt8]) throws(SymbolError) -> BarSymbol {
        guard data.allSatisfy(isDigit) else { throw SymbolError("mode U has digits only") }
        let digits = Array((data + [UInt8](repeating: 0x30, count: 19)).prefix(19))
        let all = digits + EANSymbol.checkDigit(digits)
        let text = String(decoding: all, as: UTF8.self)
        var result = try automatic([nil] + all, text: text)
        if data.count != 19 {
            result.remark = "\(data.count) digits, taken as \(String(decoding: digits, as: UTF8.self))"
        }
        return result
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// The data without its invocations, whose digits are none of the data's.
    private static func invocationsRemoved(_ data: ArraySlice<UInt8>) -> [UInt8] {
        var rest = data
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: ">") { _ = rest.popFirst() } else { bytes.append(byte) }
        }
        return bytes
    }

    /// The data of Star's `ESC b`, with automatic code sets: `%0` is a percent sign, `%1` FNC1.
    static func star(_ data: [UInt8]) throws(SymbolError) -> BarSymbol {
        var rest = data[...]
        var bytes: [UInt8?] = []
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "0"): bytes.append(byte)
            case UInt8(ascii: "1"): bytes.append(nil)
            default: throw SymbolError("no such code after a percent sign")
            }
        }
        let text = String(
            decoding: bytes.compactMap(\.self).map { (0x20..<0x7F).contains($0) ? $0 : 0x20 }, as: UTF8.self)
        return try automatic(bytes, text: text)
    }

    private static func enter(_ next: Set, from set: Set?, _ values: inout [Int]) -> Set {
        if next != set { values.append(set == nil ? next.rawValue : next.change) }
        return next
    }

    private static func digits(_ data: [UInt8?], _ place: Int) -> Int {
        data.dropFirst(place).prefix { $0.map { (0x30...0x39).contains($0) } ?? false }.count
    }

    private static func symbol(_ values: [Int], _ text: String) -> BarSymbol {
        let sum = values.enumerated().reduce(0) { $0 + $1.element * max(1, $1.offset) }
        var elements: [Int] = []
        for value in values + [sum % 103] { elements += patterns[value].utf8.map { Int($0) - 0x30 } }
        return BarSymbol(elements: elements + stop, text: text)
    }
}
