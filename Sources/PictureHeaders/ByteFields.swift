/// Numbers in bytes that others wrote: nil outside of them.
struct ByteFields {
    private let bytes: [UInt8]
    var isLittleEndian = false

    init(_ bytes: [UInt8], isLittleEndian: Bool = false) {
        self.bytes = bytes
        self.isLittleEndian = isLittleEndian
    }

    func byte(_ place: Int) -> Int? { bytes.indices.contains(place) ? Int(bytes[place]) : nil }

    /// An unsigned number of at most four bytes.
    func number(_ place: Int, _ count: Int) -> Int? {
        guard place >= 0, place <= bytes.count - count else { return nil }
        let field = bytes[place..<place + count]
        return (isLittleEndian ? Array(field.reversed()) : Array(field)).reduce(0) { $0 << 8 | Int($1) }
    }

    func starts(with text: String, at place: Int = 0) -> Bool {
        place <= bytes.count && bytes[place...].starts(with: text.utf8)
    }
}
