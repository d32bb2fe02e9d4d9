extension StringProtocol where SubSequence == Substring {
    /// The parts before and after the first separator; the second is nil where there is none.
    package func splitOnce(at separator: Character) -> (Substring, Substring?) {
        guard let index = firstIndex(of: separator) else { return (self[...], nil) }
        return (self[..<index], self[self.index(after: index)...])
    }
}

extension Substring {
    /// Without spaces and tabs at both ends.
    package func trimmingBlanks() -> Substring {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        let rest = drop(while: isBlank)
        return rest.lastIndex { !isBlank($0) }.map { rest[...$0] } ?? ""
    }
}

extension String {
    /// Where `text` first stands in this string.
    package func firstRange(ofText text: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) {
                return start..<index(start, offsetBy: text.count)
            }
            start = index(after: start)
        }
        return nil
    }
}
