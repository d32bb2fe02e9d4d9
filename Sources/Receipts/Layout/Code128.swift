/// The code sets of Code 128 (ISO/IEC 15417): A has control characters,
/// B lower-case letters, C pairs of digits.
package enum Code128 {
    package enum CodeSet: UInt8, Hashable, Sendable {
        case a = 0x41
        case b = 0x42
        case c = 0x43
    }

    package enum Codeword: Hashable, Sendable {
        /// Starts in this code set, or switches to it.
        case set(CodeSet)
        case character(UInt8)
        /// A pair of digits, 0 to 99.
        case pair(UInt8)
    }

    /// Encodes data. Uses pairs of digits where they shorten the code: for four digits or more at an end, and for six
    /// in the middle.
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
                select(.c, &current, &words)
                appendPairs(&rest, &words)
                continue
            }
            select(set(for: byte, rest, current), &current, &words)
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

    private static func select(_ set: CodeSet, _ current: inout CodeSet?, _ words: inout [Codeword]) {
        guard current != set else { return }
        current = set
        words.append(.set(set))
    }

    /// The current code set where it has the character, or else the one that the next special character needs.
    private static func set(for byte: UInt8, _ rest: ArraySlice<UInt8>, _ current: CodeSet?) -> CodeSet {
        if byte < 0x20 { return .a }
        if byte >= 0x60 { return .b }
        if let current, current != .c { return current }
        return rest.first { $0 < 0x20 || $0 >= 0x60 }.map { $0 < 0x20 ? .a : .b } ?? .b
    }

    /// The data as GS k takes it: `{A`, `{B` and `{C` select a code set, `{{` is a brace.
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

    /// The width in modules: each codeword and the check character take 11, the stop 13. The first codeword is the
    /// start.
    static func width(_ codewords: [Codeword]) -> Int { (codewords.count + 1) * 11 + 13 }
}
