import Glibc
import KioskPictureHeaders
import KioskPrintModel

/// A JPEG document, whose header decides whether a printer prints it as it is meant.
struct JPEGFile {
    private let length: Int
    private let header: JPEGHeader?

    /// Reads the header; a file that cannot be read is none that printers get as it is.
    init(_ document: PrintDocument) {
        switch document.body {
        case .bytes(let bytes):
            length = bytes.count
            header = try? JPEGHeader(length: bytes.count) { place, count in
                Array(bytes[min(place, bytes.count)..<min(place + count, bytes.count)])
            }
        case .file(let path, let size):
            length = Int(clamping: size)
            let file = open(path, O_RDONLY | O_CLOEXEC)
            defer { close(file) }
            header =
                file < 0
                ? nil
                : try? JPEGHeader(length: Int(clamping: size)) { place, count in
                    var part = [UInt8](repeating: 0, count: count)
                    let received = pread(file, &part, count, place)
                    return Array(part.prefix(max(received, 0)))
                }
        }
    }

    /// Whether a printer that takes JPEG prints it as `kiosk-render` would: printers pass over ICC profiles and the
    /// four inks of CMYK without a word, and few know Exif's orientation or progressive coding.
    func isPrintedAlike(by printer: PreparationTarget) -> Bool {
        guard let header, header.isBaseline, header.isPlainColor, header.size.orientation == 1 else { return false }
        let limits = printer.description?.pages?.jpeg
        return (length + 1_023) / 1_024 <= limits?.kilobytes ?? .max && header.width <= limits?.width ?? .max
            && header.height <= limits?.height ?? .max
    }
}
