import CKioskPNG
import KioskPageEncoding
import KioskRenderingMessages
import KioskTestSupport
import Testing

@testable import KioskRenderingService

/// PNG files as documents of one page.
@Suite(.enabled(if: Renderer.isComplete)) struct PNGDocumentTests {
    /// Pixels of red, green, blue and alpha, or of grey.
    private static func picture(
        width: Int, height: Int, isGrey: Bool = false, _ pixel: (Int, Int) -> [UInt8]
    ) throws
        -> [UInt8]
    {
        var image = cpng_image()
        image.width = UInt32(width)
        image.height = UInt32(height)
        image.format = isGrey ? 0 : UInt32(PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA)
        let pixels = (0..<height).flatMap { y in (0..<width).flatMap { pixel($0, y) } }
        var file = [UInt8](repeating: 0, count: width * height * 5 + 4096)
        var size = file.count
        guard png_image_write_to_memory(&image, &file, &size, 0, pixels, 0, nil) != 0 else {
            throw TestSupportError("libpng wrote nothing")
        }
        return Array(file.prefix(size))
    }

    /// A side on which a pixel of the picture, at 200 an inch, is a dot.
    private static func side(width: Int, height: Int, color: PageColor = .rgb24) -> SideDrawing {
        var side = SideDrawing.page(width: width, height: height, color: color)
        side.cells[0].matrix = PageMatrix(200.0 / 72, 0, 0, 200.0 / 72, 0, 0)
        return side
    }

    @Test func `colours and transparency are drawn on white`() async throws {
        let file = try Self.picture(width: 60, height: 20) { x, _ in
            x < 20 ? [255, 0, 0, 255] : x < 40 ? [0, 0, 255, 0] : [0, 128, 0, 255]
        }
        let drawn = try await Renderer.draw(file, as: .png, Self.side(width: 60, height: 20))
        #expect(drawn.pixel(10, 10) == [255, 0, 0])
        #expect(drawn.pixel(30, 10) == [255, 255, 255])
        #expect(drawn.pixel(50, 10) == [0, 128, 0])
    }

    @Test func `grey is drawn, and dithered for one-bit heads`() async throws {
        let file = try Self.picture(width: 100, height: 50, isGrey: true) { x, _ in [x < 50 ? 0 : 128] }
        let drawn = try await Renderer.draw(file, as: .png, Self.side(width: 100, height: 50, color: .gray8))
        #expect(drawn.grey(20, 20) == 0 && drawn.grey(80, 20) == 128)
        let dots = try await Renderer.draw(file, as: .png, Self.side(width: 100, height: 50, color: .black1))
        #expect((3_500...4_000).contains(dots.darkCount))
    }

    @Test func `one-bit heads get the light of a smaller picture, not its tones`() async throws {
        // A white line in three: a third of the light, which is the tone 155, and not 85.
        let file = try Self.picture(width: 300, height: 300, isGrey: true) { x, _ in [x % 3 == 0 ? 255 : 0] }
        var side = Self.side(width: 100, height: 100, color: .black1)
        side.cells[0].matrix = PageMatrix(100.0 / 108, 0, 0, 100.0 / 108, 0, 0)
        let dots = try await Renderer.draw(file, as: .png, side)
        #expect((3_600...4_300).contains(dots.darkCount), "\(dots.darkCount)")
        side = Self.side(width: 100, height: 100, color: .gray8)
        side.cells[0].matrix = PageMatrix(100.0 / 108, 0, 0, 100.0 / 108, 0, 0)
        let grey = try await Renderer.draw(file, as: .png, side)
        #expect((80...90).contains(grey.grey(50, 50)), "\(grey.grey(50, 50))")
    }

    @Test func `a size is the file's own where it is stated`() async throws {
        let file = try Self.picture(width: 30, height: 60, isGrey: true) { _, _ in [9] }
        let service = try Renderer.service()
        let plain = try await service.open(.bytes(file), as: .png)
        #expect(!plain.info.hasStatedSizes)
        #expect(abs((plain.info.pages.first?.width ?? 0) - 30 * 72 / 200) < 0.01)
        // 11,811 pixels a metre are 300 an inch; libpng passes over the wrong checksum of an ancillary chunk.
        let density: [UInt8] = [0, 0, 0, 9] + Array("pHYs".utf8) + [0, 0, 0x2E, 0x23, 0, 0, 0x2E, 0x23, 1, 0, 0, 0, 0]
        let stated = try await service.open(.bytes(Array(file.prefix(33)) + density + file.dropFirst(33)), as: .png)
        #expect(stated.info.hasStatedSizes)
        #expect(abs((stated.info.pages.first?.width ?? 0) - 30 * 72 / 300) < 0.01)
        await service.shutDown()
    }

    @Test func `what is no whole picture is refused`() async throws {
        let service = try Renderer.service()
        let file = try Self.picture(width: 300, height: 300) { x, y in
            [UInt8(x % 251), UInt8(y % 241), UInt8(x * y % 239), 255]
        }
        var wide = file
        wide.replaceSubrange(16..<24, with: [0, 15, 0, 0, 0, 15, 0, 0])
        for bytes in [[], Array("hello".utf8), Array(file.prefix(40)), Array(file.prefix(file.count / 2)), wide] {
            let failure = await #expect(throws: RenderingError.self) {
                try await service.open(.bytes(bytes), as: .png)
            }
            #expect(failure?.code == .damaged || failure?.code == .tooLarge, "\(failure?.message ?? "")")
        }
        await service.shutDown()
    }
}
