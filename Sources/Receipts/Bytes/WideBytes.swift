/// Looks at bytes eight at a time: a picture is passed over more than once on its way from markup to paper.
enum WideBytes {
    static func isASCII(_ bytes: ArraySlice<UInt8>) -> Bool {
        let raw = unsafe bytes.span.bytes
        var (offset, bits): (Int, UInt64) = (0, 0)
        while raw.byteCount - offset >= 8 {
            // Eight bytes are there.
            bits |= unsafe raw.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
            offset += 8
        }
        return bits & 0x8080_8080_8080_8080 == 0 && bytes.dropFirst(offset).allSatisfy { $0 < 0x80 }
    }

    static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        let first = unsafe one.span.bytes
        let second = unsafe other.span.bytes
        var offset = 0
        while one.count - offset >= 8 {
            // Eight bytes are there, in both.
            let word = unsafe first.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
            guard unsafe word == second.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self) else {
                return false
            }
            offset += 8
        }
        return one[offset...] == other[offset...]
    }
}
