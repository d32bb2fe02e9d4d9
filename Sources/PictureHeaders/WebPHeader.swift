/// What a WebP file says beside its pixels (RFC 9649).
package enum WebPHeader {
    /// The chunks that are looked at.
    private static let maximumChunks = 1_000
    /// Bytes of Exif that are read.
    private static let maximumExif = 1 << 16

    /// The size of a file of this length that is read by `bytes(place, count)`, from its chunk of Exif.
    package static func size(length: Int, bytes: (Int, Int) -> [UInt8]) -> PictureMetadata {
        var place = 12
        for _ in 0..<maximumChunks {
            let head = ByteFields(bytes(place, 8), isLittleEndian: true)
            guard let count = head.number(4, 4) else { break }
            if head.starts(with: "EXIF") {
                let content = bytes(place + 8, min(count, maximumExif))
                // Some programs leave JPEG's beginning before it.
                let isMarked = content.starts(with: "Exif\0\0".utf8)
                return PictureMetadata(exif: isMarked ? Array(content.dropFirst(6)) : content)
            }
            // Chunks begin at even places.
            place += 8 + count + count % 2
            guard place < length else { break }
        }
        return PictureMetadata()
    }
}
