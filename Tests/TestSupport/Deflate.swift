import CKioskZLib

/// Data as zlib packs it (RFC 1950).
package enum Deflate {
    /// The bytes, packed.
    package static func pack(_ bytes: [UInt8]) -> [UInt8] {
        var count = compressBound(uLong(bytes.count))
        var packed = [UInt8](repeating: 0, count: Int(count))
        guard compress(&packed, &count, bytes, uLong(bytes.count)) == Z_OK else { return [] }
        return Array(packed.prefix(Int(count)))
    }

    /// So many megabytes of zeros, without the checksum at their end: the same packed megabyte over and over.
    package static func zeros(megabytes: Int) -> [UInt8] {
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        guard deflateInit_(&stream, 9, ZLIB_VERSION, size) == Z_OK else { return [] }
        defer { deflateEnd(&stream) }
        var zeros = [UInt8](repeating: 0, count: 1 << 20)
        var packed = [UInt8](repeating: 0, count: 1 << 16)
        func flush() -> [UInt8] {
            let count = zeros.withUnsafeMutableBufferPointer { input in
                packed.withUnsafeMutableBufferPointer { output in
                    stream.next_in = input.baseAddress
                    stream.avail_in = UInt32(input.count)
                    stream.next_out = output.baseAddress
                    stream.avail_out = UInt32(output.count)
                    deflate(&stream, Z_FULL_FLUSH)
                    return output.count - Int(stream.avail_out)
                }
            }
            return Array(packed.prefix(count))
        }
        // The first one begins with the header.
        let first = flush()
        let further = flush()
        return first + (1..<max(megabytes, 1)).flatMap { _ in further }
    }
}
