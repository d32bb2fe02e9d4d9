import FuzzLoop
import KioskPictureHeaders

@main enum FuzzPictureHeaders {
    static func main() { fuzz(check) }

    /// As the beginning of each kind of file, and as what cameras write.
    static func check(_ bytes: [UInt8]) {
        let read = { (place: Int, count: Int) -> [UInt8] in
            guard place >= 0, count >= 0 else { fatalError("a place before the file") }
            return Array(bytes.dropFirst(place).prefix(count))
        }
        do throws(PictureProblem) {
            let header = try JPEGHeader(length: bytes.count, bytes: read)
            guard (1...65_535).contains(header.width), (1...65_535).contains(header.height),
                [1, 3, 4].contains(header.components)
            else { fatalError("a picture without pixels") }
            check(header.size)
        } catch {
            guard !error.message.isEmpty else { fatalError("an error that says nothing") }
        }
        check(WebPHeader.size(length: bytes.count, bytes: read))
        check(PictureMetadata(exif: bytes))
    }

    private static func check(_ size: PictureMetadata) {
        guard (1...8).contains(size.orientation) else { fatalError("an orientation") }
        guard let resolution = size.resolution else { return }
        guard (50...2_400).contains(resolution.x), (50...2_400).contains(resolution.y) else {
            fatalError("a resolution")
        }
    }
}
