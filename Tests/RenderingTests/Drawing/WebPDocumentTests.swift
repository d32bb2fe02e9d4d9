import CKioskWebP
import KioskPageEncoding
import KioskRenderingMessages
import KioskTestSupport
import Testing

@testable import KioskRenderingService

/// WebP files as documents of one page.
@Suite(.enabled(if: Renderer.isComplete)) struct WebPDocumentTests {
    /// A picture of 64 × 32 pixels that is written by libwebp; without loss where `quality` is nil.
    private static func picture(quality: Float? = nil, _ pixel: (Int, Int) -> [UInt8]) throws -> [UInt8] {
        let pixels = (0..<32).flatMap { y in (0..<64).flatMap { pixel($0, y) } }
        var file: UnsafeMutablePointer<UInt8>?
        let count =
            quality.map { WebPEncodeRGBA(pixels, 64, 32, 256, $0, &file) }
            ?? WebPEncodeLosslessRGBA(pixels, 64, 32, 256, &file)
        guard count > 0, let file else { throw TestSupportError("libwebp wrote nothing") }
        defer { WebPFree(file) }
        return Array(UnsafeBufferPointer(start: file, count: count))
    }

    /// The file in the extended format, with Exif (RFC 9649 §2.7).
    private static func withExif(_ file: [UInt8], orientation: UInt8, flags: UInt8 = 0x08) -> [UInt8] {
        func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> (8 * $0) & 0xFF) } }
        let exif: [UInt8] =
            Array("II*\0".utf8) + number(8) + [1, 0, 0x12, 1, 3, 0] + number(1) + [orientation, 0, 0, 0] + number(0)
        let extended = Array("VP8X".utf8) + number(10) + [flags, 0, 0, 0, 63, 0, 0, 31, 0, 0]
        let body = Array("WEBP".utf8) + extended + file.dropFirst(12) + Array("EXIF".utf8) + number(exif.count) + exif
        return Array("RIFF".utf8) + number(body.count) + body
    }

    private static func side(width: Int = 64, height: Int = 32) -> SideDrawing {
        var side = SideDrawing.page(width: width, height: height, color: .rgb24)
        side.cells[0].matrix = PageMatrix(200.0 / 72, 0, 0, 200.0 / 72, 0, 0)
        return side
    }

    @Test func `colours and transparency are drawn on white`() async throws {
        let file = try Self.picture { x, _ in x < 20 ? [255, 0, 0, 255] : x < 40 ? [0, 0, 255, 0] : [0, 128, 0, 128] }
        let drawn = try await Renderer.draw(file, as: .webp, Self.side())
        #expect(drawn.pixel(10, 10) == [255, 0, 0] && drawn.pixel(30, 10) == [255, 255, 255])
        #expect(drawn.pixel(50, 10) == [127, 191, 127])
        let lossy = try Self.picture(quality: 90) { x, _ in x < 32 ? [0, 0, 0, 255] : [255, 255, 255, 255] }
        let dark = try await Renderer.draw(lossy, as: .webp, Self.side())
        #expect(dark.grey(8, 8) < 20 && dark.grey(56, 8) > 235)
    }

    @Test(arguments: [(1, 0, 0), (3, 1, 1), (6, 1, 0), (8, 0, 1)])
    func `a picture is turned upright`(_ orientation: UInt8, _ right: Int, _ bottom: Int) async throws {
        let picture = try Self.picture { x, y in x < 32 && y < 16 ? [0, 0, 0, 255] : [255, 255, 255, 255] }
        let file = Self.withExif(picture, orientation: orientation)
        let (width, height) = orientation < 5 ? (64, 32) : (32, 64)
        let drawn = try await Renderer.draw(file, as: .webp, Self.side(width: width, height: height))
        let (left, top) = (right * width / 2, bottom * height / 2)
        #expect(drawn.darkBox == DotRectangle(left: left, top: top, right: left + width / 2, bottom: top + height / 2))
    }

    @Test func `what is no whole picture, or moves, is refused`() async throws {
        let service = try Renderer.service()
        let file = try Self.picture { x, y in [UInt8(x * 3), UInt8(y * 7), UInt8(x * y & 255), 255] }
        for (bytes, code) in [
            ([], RenderingError.Code.damaged), (Array("RIFF".utf8), .damaged),
            (Array(file.prefix(file.count / 2)), .damaged),
            (Self.withExif(file, orientation: 1, flags: 0x02), .unsupported),
        ] {
            let failure = await #expect(throws: RenderingError.self) {
                try await service.open(.bytes(bytes), as: .webp)
            }
            #expect(failure?.code == code, "\(failure?.message ?? "")")
        }
        var random = SeededRandom(7)
        for _ in 0..<60 {
            var noisy = Self.withExif(file, orientation: 6)
            for _ in 0..<4 {
                noisy[Int.random(in: 4..<noisy.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            do throws(RenderingError) {
                let session = try await service.open(.bytes(noisy), as: .webp)
                for try await _ in session.render(
                    RasterDocument(.dots), sides: 1, side: { _ in .page(width: 90, height: 90) })
                {}
            } catch {
                #expect([.damaged, .unsupported, .tooLarge].contains(error.code), "\(error.message)")
            }
        }
        await service.shutDown()
    }
}
