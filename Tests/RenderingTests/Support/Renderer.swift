import Foundation
import KioskPageEncoding
import KioskRenderingMessages
import KioskRenderingService
import KioskTestSupport

/// `kiosk-render` of this build with PDFium beside it.
enum Renderer {
    /// Where `Scripts/bootstrap` has put the library.
    private static var fetched: String { "\(folder)/../../pdfium" }
    private static var folder: String {
        URL(fileURLWithPath: (try? BuiltProducts.path("kiosk-render")) ?? "/").deletingLastPathComponent().path
    }

    /// Whether PDFium is there: `Scripts/bootstrap build` fetches it.
    static let isComplete: Bool = {
        let beside = "\(folder)/libpdfium.so"
        for name in ["libpdfium.so", "libpdfium.json"] where FileManager.default.fileExists(atPath: fetched) {
            // It may be there already.
            try? FileManager.default.createSymbolicLink(
                atPath: "\(folder)/\(name)", withDestinationPath: "\(fetched)/\(name)")
        }
        return FileManager.default.fileExists(atPath: beside)
            || FileManager.default.fileExists(atPath: "/usr/lib/kioskd/libpdfium.so")
    }()

    static func service(_ settings: RenderingSettings = RenderingSettings()) throws -> RenderingService {
        RenderingService(program: try BuiltProducts.path("kiosk-render"), settings: settings)
    }

    /// The rows of sides, without any header.
    static func draw(
        _ file: [UInt8], as format: DocumentKind = .pdf, _ sides: [SideDrawing],
        settings: RenderingSettings = RenderingSettings(), paper: TextPaper = TextPaper()
    ) async throws -> [DrawnSide] {
        let service = try service(settings)
        let session = try await service.open(.bytes(file), as: format, paper: paper)
        var drawn: [DrawnSide] = []
        var bytes: [UInt8] = []
        let document = session.render(RasterDocument(.dots, sideCount: sides.count), sides: sides.count) { sides[$0] }
        for try await part in document {
            switch part {
            case .bytes(let chunk): bytes += chunk
            case .sideEnd(let side):
                drawn.append(DrawnSide(sides[side].header, bytes))
                bytes = []
            }
        }
        await service.shutDown()
        return drawn
    }

    static func draw(
        _ file: [UInt8], as format: DocumentKind = .pdf, _ side: SideDrawing, paper: TextPaper = TextPaper()
    ) async throws -> DrawnSide {
        let sides = try await draw(file, as: format, [side], paper: paper)
        guard sides.count == 1 else { throw TestSupportError("\(sides.count) sides were drawn") }
        return sides[0]
    }
}

/// A side's pixels.
struct DrawnSide: Equatable {
    let width: Int
    let height: Int
    private let color: PageColor
    let bytes: [UInt8]

    init(_ header: RasterPage, _ bytes: [UInt8]) {
        (width, height, color) = (header.width, header.height, header.color)
        self.bytes = bytes
    }

    /// Whether all rows came.
    var isComplete: Bool { bytes.count == color.bytesPerRow(width: width) * height }

    /// Red, green and blue; three times the grey; 0 or 255 for dots.
    func pixel(_ x: Int, _ y: Int) -> [UInt8] {
        let row = color.bytesPerRow(width: width) * y
        switch color {
        case .black1:
            let isBlack = bytes[row + x / 8] & 0x80 >> UInt8(x % 8) != 0
            return [UInt8](repeating: isBlack ? 0 : 255, count: 3)
        case .gray8: return [UInt8](repeating: bytes[row + x], count: 3)
        case .rgb24: return Array(bytes[(row + 3 * x)..<(row + 3 * x + 3)])
        }
    }

    func grey(_ x: Int, _ y: Int) -> UInt8 {
        let pixel = pixel(x, y)
        return UInt8((Int(pixel[0]) + Int(pixel[1]) + Int(pixel[2])) / 3)
    }

    /// The grey of all pixels, row by row.
    var greys: [UInt8] {
        switch color {
        case .gray8: return bytes
        case .rgb24:
            return (0..<width * height).map { pixel -> UInt8 in
                let place = 3 * pixel
                let sum: Int = Int(bytes[place]) + Int(bytes[place + 1]) + Int(bytes[place + 2])
                return UInt8(sum / 3)
            }
        case .black1:
            let stride = (width + 7) / 8
            return (0..<width * height).map { pixel -> UInt8 in
                let x = pixel % width
                let byte = bytes[pixel / width * stride + x / 8]
                let mask: UInt8 = 0x80 >> UInt8(x % 8)
                return byte & mask == 0 ? 255 : 0
            }
        }
    }

    /// The smallest rectangle that encloses everything darker than the middle; nil on white paper.
    var darkBox: DotRectangle? {
        let greys = greys
        let rows = (0..<height).filter { row in
            greys[(row * width)..<((row + 1) * width)].contains { $0 < 128 }
        }
        guard let top = rows.first, let bottom = rows.last else { return nil }
        var (left, right) = (width, 0)
        for row in rows {
            let line = greys[(row * width)..<((row + 1) * width)]
            if let first = line.firstIndex(where: { $0 < 128 }) { left = min(left, first - row * width) }
            if let last = line.lastIndex(where: { $0 < 128 }) { right = max(right, last - row * width + 1) }
        }
        return DotRectangle(left: left, top: top, right: right, bottom: bottom + 1)
    }

    /// The number of pixels darker than the middle.
    var darkCount: Int { greys.count { $0 < 128 } }
}

extension SideDrawing {
    /// One page on the whole side, magnified by a factor.
    static func page(
        _ page: Int = 0, width: Int, height: Int, scale: Double = 1, color: PageColor = .gray8
    ) -> SideDrawing {
        SideDrawing(
            RasterPage(width: width, height: height, dpi: Int(72 * scale), color: color),
            cells: [
                PageDrawing(
                    page: page, matrix: PageMatrix(scale, 0, 0, scale, 0, 0),
                    clip: DotRectangle(left: 0, top: 0, right: width, bottom: height))
            ])
    }
}
