/// Received bytes, read one after the other; never beyond their end.
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

    /// Exactly so many; nil where fewer are left, which are gone then.
    mutating func take(_ count: Int) -> [UInt8]? {
        guard count >= 0, count <= bytes.count - position else {
            position = bytes.count
            return nil
        }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }

    /// What stands before the byte, which is taken as well; nil where it never comes.
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
