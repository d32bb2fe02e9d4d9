/// The code sets of Code 128 (ISO/IEC 15417): A has control characters, B small letters, C pairs of digits.
package enum Code128 {
    package enum CodeSet: UInt8, Hashable, Sendable {
        case a = 0x41
        case b = 0x42
        case c = 0x43
    }

    package enum Codeword: Hashable, Sendable {
        /// Begins in this code set, or goes over to it.
        case set(CodeSet)
        case character(UInt8)
        /// 0 to 99.
        case pair(UInt8)
    }

    /// Pairs of digits where they shorten the code: four at an end of it, six amid it.
    static func codewords(_ data: String.UTF8View) -> [Codeword] {
        let bytes = Array(data)
        var (words, current): ([Codeword], CodeSet?) = ([], nil)
        var rest = bytes[...]
        while let byte = rest.first {
            let digits = rest.prefix { (0x30...0x39).contains($0) }.count
            let isAtEnd = current == nil || digits == rest.count
            if digits >= (isAtEnd ? 4 : 6) || current == nil && digits == 2 && rest.count == 2 {
                if !digits.isMultiple(of: 2), let set = current, set != .c {
                    words.append(.character(byte))
                    rest = rest.dropFirst()
                }
                go(.c, &current, &words)
                appendPairs(&rest, &words)
                continue
            }
            go(set(for: byte, rest, current), &current, &words)
            words.append(.character(byte))
            rest = rest.dropFirst()
        }
        return words
    }

    private static func appendPairs(_ rest: inout ArraySlice<UInt8>, _ words: inout [Codeword]) {
        while let first = rest.first, let second = rest.dropFirst().first, (0x30...0x39).contains(first),
            (0x30...0x39).contains(second)
        {
            words.append(.pair((first - 0x30) * 10 + second - 0x30))
            rest = rest.dropFirst(2)
        }
    }

    private static func go(_ set: CodeSet, _ current: inout CodeSet?, _ words: inout [Codeword]) {
        guard current != set else { return }
        current = set
        words.append(.set(set))
    }

    /// The one that is on where it has the character, else the one that the next special character needs.
    private static func set(for byte: UInt8, _ rest: ArraySlice<UInt8>, _ current: CodeSet?) -> CodeSet {
        if byte < 0x20 { return .a }
        if byte >= 0x60 { return .b }
        if let current, current != .c { return current }
        return rest.first { $0 < 0x20 || $0 >= 0x60 }.map { $0 < 0x20 ? .a : .b } ?? .b
    }

    /// As GS k takes them: `{A`, `{B` and `{C` go over, `{{` is a brace.
    static func escPos(_ codewords: [Codeword]) -> [UInt8] {
        codewords.flatMap { word -> [UInt8] in
            switch word {
            case .set(let set): [0x7B, set.rawValue]
            case .character(0x7B): [0x7B, 0x7B]
            case .character(let byte): [byte]
            case .pair(let pair): [pair]
            }
        }
    }

    /// In modules: a start, each codeword, a check character of 11, and a stop of 13. The first codeword is the start.
    static func width(_ codewords: [Codeword]) -> Int { (codewords.count + 1) * 11 + 13 }
}
