/// Reads received bytes one after the other, never beyond their end.
struct ByteReader {
    let bytes: [UInt8]
    private(set) var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position >= bytes.count }

    func peek(_ distance: Int = 0) -> UInt8? {
        let place = position + max(0, distance)
        return place < bytes.count ? bytes[place] : nil
    }

    mutating func next() -> UInt8? {
        guard position < bytes.count else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    /// Takes exactly so many bytes. Returns nil where fewer are left, and skips these.
    mutating func take(_ count: Int) -> [UInt8]? {
        guard count >= 0, count <= bytes.count - position else {
            position = bytes.count
            return nil
        }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }

    /// Takes the bytes before `end`, and `end` itself. Returns nil where it never comes, and skips the rest.
    mutating func take(until end: UInt8) -> [UInt8]? {
        let rest = bytes[position...]
        guard let place = rest.firstIndex(of: end) else {
            position = bytes.count
            return nil
        }
        defer { position = place + 1 }
        return Array(bytes[position..<place])
    }

    mutating func skip(_ count: Int) { position = min(bytes.count, position + max(0, count)) }
}

/// The parameters of a command. Missing ones count as 0.
struct CommandArguments {
    let bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    var count: Int { bytes.count }

    subscript(index: Int) -> Int {
        guard index >= 0, index < bytes.count else { return 0 }
        return Int(bytes[bytes.startIndex + index])
    }

    /// A parameter that selects something. Manuals allow a number or its ASCII digit.
    func choice(_ index: Int) -> Int {
        let value = self[index]
        return (0x30...0x39).contains(value) ? value - 0x30 : value
    }

    /// Two bytes, little-endian.
    func word(_ index: Int) -> Int { self[index] | self[index + 1] << 8 }

    /// Two bytes, little-endian, as a signed number.
    func signedWord(_ index: Int) -> Int { Int(Int16(truncatingIfNeeded: word(index))) }

    /// The number that decimal digits stand for; 0 where there are other characters.
    var decimal: Int { bytes.count > 6 ? 0 : Int(String(decoding: bytes, as: UTF8.self)) ?? 0 }

    /// The bytes from an index on.
    func from(_ index: Int) -> ArraySlice<UInt8> { bytes.dropFirst(max(0, index)) }

    /// The text for the dump: decimal numbers, and the count of a long rest.
    var description: String {
        let shown = 8
        let numbers = bytes.prefix(shown).map(String.init).joined(separator: " ")
        return bytes.count > shown ? numbers + " +\(bytes.count - shown)" : numbers
    }
}
