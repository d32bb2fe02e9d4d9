/// The parameters that came with a command; what is missing counts as 0.
struct CommandArguments {
    let bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    var count: Int { bytes.count }

    subscript(index: Int) -> Int {
        guard index >= 0, index < bytes.count else { return 0 }
        return Int(bytes[bytes.startIndex + index])
    }

    /// The choice that a parameter makes: manuals take the digits' codes for the numbers as well.
    func choice(_ index: Int) -> Int {
        let value = self[index]
        return (0x30...0x39).contains(value) ? value - 0x30 : value
    }

    /// Two bytes, low one first.
    func word(_ index: Int) -> Int { self[index] | self[index + 1] << 8 }

    /// Two bytes, low one first, below 0 from 8000h on.
    func signedWord(_ index: Int) -> Int { Int(Int16(truncatingIfNeeded: word(index))) }

    /// What follows the first so many.
    func from(_ index: Int) -> ArraySlice<UInt8> { bytes.dropFirst(max(0, index)) }

    /// For the dump: decimal numbers, a long rest only counted.
    var description: String {
        let shown = 8
        let numbers = bytes.prefix(shown).map(String.init).joined(separator: " ")
        return bytes.count > shown ? numbers + " +\(bytes.count - shown)" : numbers
    }
}
