import CKioskTIFF
import Foundation
import KioskPageEncoding
import KioskRenderingMessages
import KioskTestSupport
import Testing

@testable import KioskRenderingService

/// TIFF files as documents of a page for each picture.
@Suite(.enabled(if: Renderer.isComplete)) struct TIFFDocumentTests {
    /// A page of a file.
    private struct Picture {
        var width = 64
        var height = 32
        var bits = 8
        var samples = 3
        var photometric = PHOTOMETRIC_RGB
        var compression = COMPRESSION_LZW
        var orientation = 1
        var dpi: Float = 0
        var subfile: Int32 = 0
        var rowsPerStrip = 7
        /// The samples of a pixel.
        var pixel: (Int, Int) -> [UInt8] = { x, y in x < 32 && y < 16 ? [0, 0, 0] : [255, 255, 255] }
    }

    /// A file that libtiff writes.
    private static func file(_ pictures: [Picture]) throws -> [UInt8] {
        let path = "/tmp/tiff-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        guard let tiff = TIFFOpen(path, "w") else { throw TestSupportError("libtiff writes nothing") }
        for picture in pictures {
            for (tag, value) in [
                (TIFFTAG_IMAGEWIDTH, picture.width), (TIFFTAG_IMAGELENGTH, picture.height),
                (TIFFTAG_BITSPERSAMPLE, picture.bits), (TIFFTAG_SAMPLESPERPIXEL, picture.samples),
                (TIFFTAG_PHOTOMETRIC, Int(picture.photometric)), (TIFFTAG_COMPRESSION, Int(picture.compression)),
                (TIFFTAG_ORIENTATION, picture.orientation), (TIFFTAG_ROWSPERSTRIP, picture.rowsPerStrip),
                (TIFFTAG_SUBFILETYPE, Int(picture.subfile)), (TIFFTAG_PLANARCONFIG, Int(PLANARCONFIG_CONTIG)),
            ] {
                withVaList([value]) { _ = TIFFVSetField(tiff, UInt32(tag), $0) }
            }
            if picture.samples == 4, picture.photometric == PHOTOMETRIC_RGB {
                let kind = [UInt16(EXTRASAMPLE_UNASSALPHA)]
                kind.withUnsafeBufferPointer { kind in
                    withVaList([1, kind.baseAddress ?? UnsafePointer(bitPattern: 8)!]) {
                        _ = TIFFVSetField(tiff, UInt32(TIFFTAG_EXTRASAMPLES), $0)
                    }
                }
            }
            if picture.dpi > 0 {
                withVaList([Double(picture.dpi)]) { _ = TIFFVSetField(tiff, UInt32(TIFFTAG_XRESOLUTION), $0) }
                withVaList([Double(picture.dpi)]) { _ = TIFFVSetField(tiff, UInt32(TIFFTAG_YRESOLUTION), $0) }
                withVaList([Int(RESUNIT_INCH)]) { _ = TIFFVSetField(tiff, UInt32(TIFFTAG_RESOLUTIONUNIT), $0) }
            }
            for y in 0..<picture.height {
                var row = (0..<picture.width).flatMap { picture.pixel($0, y) }
                if picture.bits == 1 {
                    row = stride(from: 0, to: picture.width, by: 8).map { first in
                        (0..<8).reduce(0) { byte, bit in
                            byte << 1 | (first + bit < picture.width ? row[first + bit] & 1 : 0)
                        }
                    }
                }
                guard TIFFWriteScanline(tiff, &row, UInt32(y), 0) == 1 else { throw TestSupportError("no row") }
            }
            guard TIFFWriteDirectory(tiff) == 1 else { throw TestSupportError("no directory") }
        }
        TIFFClose(tiff)
        return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// A page on which a pixel of the picture, at 200 an inch, is a dot.
    private static func side(
        _ page: Int = 0, width: Int = 64, height: Int = 32, color: PageColor = .rgb24
    ) -> SideDrawing {
        var side = SideDrawing.page(page, width: width, height: height, color: color)
        side.cells[0].matrix = PageMatrix(200.0 / 72, 0, 0, 200.0 / 72, 0, 0)
        return side
    }

    @Test(arguments: [
        (8, 3, PHOTOMETRIC_RGB, COMPRESSION_NONE), (8, 3, PHOTOMETRIC_RGB, COMPRESSION_LZW),
        (8, 3, PHOTOMETRIC_RGB, COMPRESSION_ADOBE_DEFLATE), (8, 3, PHOTOMETRIC_RGB, COMPRESSION_PACKBITS),
        (8, 3, PHOTOMETRIC_RGB, COMPRESSION_JPEG), (8, 4, PHOTOMETRIC_SEPARATED, COMPRESSION_LZW),
        (8, 1, PHOTOMETRIC_MINISBLACK, COMPRESSION_LZW), (8, 1, PHOTOMETRIC_MINISWHITE, COMPRESSION_LZW),
        (1, 1, PHOTOMETRIC_MINISWHITE, COMPRESSION_CCITTFAX4), (1, 1, PHOTOMETRIC_MINISBLACK, COMPRESSION_CCITTFAX4),
        (1, 1, PHOTOMETRIC_MINISWHITE, COMPRESSION_CCITTFAX3), (1, 1, PHOTOMETRIC_MINISWHITE, COMPRESSION_NONE),
    ])
    func `codings and colours are drawn`(
        _ bits: Int, _ samples: Int, _ photometric: Int32, _ compression: Int32
    ) async throws {
        var picture = Picture(bits: bits, samples: samples, photometric: photometric, compression: compression)
        // libtiff's JPEG takes strips of whole blocks.
        picture.rowsPerStrip = 8
        let isInk = photometric == PHOTOMETRIC_MINISWHITE || photometric == PHOTOMETRIC_SEPARATED
        picture.pixel = { x, y in
            [UInt8](repeating: (x < 32 && y < 16) != isInk ? 0 : 255, count: samples)
        }
        let drawn = try await Renderer.draw(try Self.file([picture]), as: .tiff, Self.side())
        #expect(drawn.grey(8, 4) < 12 && drawn.grey(50, 4) > 243 && drawn.grey(8, 28) > 243)
        #expect(drawn.darkBox == DotRectangle(left: 0, top: 0, right: 32, bottom: 16))
    }

    @Test func `transparency is white`() async throws {
        var picture = Picture(samples: 4)
        picture.pixel = { x, _ in x < 32 ? [200, 0, 0, 0] : [200, 0, 0, 255] }
        let drawn = try await Renderer.draw(try Self.file([picture]), as: .tiff, Self.side())
        #expect(drawn.pixel(10, 10) == [255, 255, 255] && drawn.pixel(50, 10) == [200, 0, 0])
    }

    @Test(arguments: [(1, 0, 0), (2, 1, 0), (3, 1, 1), (4, 0, 1), (5, 0, 0), (6, 1, 0), (7, 1, 1), (8, 0, 1)])
    func `a picture is turned upright`(_ orientation: Int, _ right: Int, _ bottom: Int) async throws {
        for bits in [1, 8] {
            var picture = Picture(bits: bits, samples: bits == 1 ? 1 : 3, orientation: orientation, dpi: 72)
            if bits == 1 {
                (picture.photometric, picture.compression) = (PHOTOMETRIC_MINISBLACK, COMPRESSION_CCITTFAX4)
            }
            picture.pixel = { x, y in [UInt8](repeating: x < 32 && y < 16 ? 0 : 255, count: bits == 1 ? 1 : 3) }
            let (width, height) = orientation < 5 ? (64, 32) : (32, 64)
            let drawn = try await Renderer.draw(
                try Self.file([picture]), as: .tiff, .page(width: width, height: height))
            let (left, top) = (right * width / 2, bottom * height / 2)
            #expect(
                drawn.darkBox == DotRectangle(left: left, top: top, right: left + width / 2, bottom: top + height / 2))
        }
    }

    @Test func `pages have their own sizes, and smaller versions of them are none`() async throws {
        var second = Picture(width: 30, height: 60, dpi: 100)
        second.pixel = { _, y in y < 30 ? [255, 0, 0] : [0, 0, 255] }
        let file = try Self.file([Picture(dpi: 300), Picture(subfile: FILETYPE_REDUCEDIMAGE), second])
        let service = try Renderer.service()
        let session = try await service.open(.bytes(file), as: .tiff, inspectsPages: true)
        #expect(session.info.pages.count == 2 && session.info.hasStatedSizes)
        #expect(session.info.largestPicture == 64 * 32)
        let page = try #require(session.info.pages.last)
        #expect(abs(page.width - 21.6) < 0.01 && abs(page.height - 43.2) < 0.01)
        await service.shutDown()
        var side = Self.side(1, width: 30, height: 60)
        side.cells[0].matrix = PageMatrix(100.0 / 72, 0, 0, 100.0 / 72, 0, 0)
        let drawn = try await Renderer.draw(file, as: .tiff, side)
        #expect(drawn.pixel(15, 10) == [255, 0, 0] && drawn.pixel(15, 50) == [0, 0, 255])
    }

    @Test func `several pages share a side`() async throws {
        var dark = Picture(samples: 1, photometric: PHOTOMETRIC_MINISBLACK)
        dark.pixel = { _, _ in [0] }
        let file = try Self.file([Picture](repeating: dark, count: 4))
        var side = SideDrawing.page(width: 64, height: 32)
        side.cells = (0..<4).map { page in
            PageDrawing(
                page: page,
                matrix: PageMatrix(100.0 / 72, 0, 0, 100.0 / 72, Double(page % 2 * 32), Double(page / 2 * 16)),
                clip: DotRectangle(left: 0, top: 0, right: 64, bottom: 32))
        }
        let drawn = try await Renderer.draw(file, as: .tiff, side)
        #expect(drawn.darkCount == 64 * 32)
    }

    @Test func `what is no whole picture is refused`() async throws {
        let service = try Renderer.service()
        let file = try Self.file([Picture()])
        // The header's place of the first directory, far behind the end.
        var far = file
        far.replaceSubrange(4..<8, with: [0xF0, 0xFF, 0xFF, 0xFF])
        // The directory's first entries are ImageWidth and ImageLength.
        func withSize(_ width: UInt32, _ height: UInt32) throws -> [UInt8] {
            var large = file
            let directory = file[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
            for entry in 0..<12 {
                let place = directory + 2 + 12 * entry
                let tag = Int(large[place]) | Int(large[place + 1]) << 8
                guard tag == Int(TIFFTAG_IMAGEWIDTH) || tag == Int(TIFFTAG_IMAGELENGTH) else { continue }
                let value = tag == Int(TIFFTAG_IMAGEWIDTH) ? width : height
                large[place + 2] = 4
                for byte in 0..<4 { large[place + 8 + byte] = UInt8(value >> UInt32(8 * byte) & 0xFF) }
            }
            return large
        }
        for (bytes, codes) in [
            ([], [RenderingError.Code.damaged]), (Array("II*\0".utf8), [.damaged]),
            (Array(file.prefix(60)), [.damaged]),
            (far, [.damaged]), (try withSize(200_000, 200_000), [.tooLarge]),
            (try withSize(0xFFFF_FFFF, 2), [.tooLarge]),
            (try withSize(9_000, 9_000), [.damaged]),
        ] {
            let failure = await #expect(throws: RenderingError.self) {
                try await service.open(.bytes(bytes), as: .tiff, inspectsPages: true)
            }
            #expect(codes.contains { $0 == failure?.code }, "\(failure?.message ?? "")")
        }
        await service.shutDown()
    }

    @Test func `a picture with noise in it is drawn or refused`() async throws {
        var random = SeededRandom(6)
        var fax = Picture(bits: 1, samples: 1, photometric: PHOTOMETRIC_MINISWHITE, compression: COMPRESSION_CCITTFAX4)
        fax.pixel = { x, y in [x % 7 == y % 5 ? 255 : 0] }
        let files = try [
            Self.file([fax, Picture()]), Self.file([Picture(compression: COMPRESSION_JPEG, rowsPerStrip: 8)]),
        ]
        let service = try Renderer.service()
        for round in 0..<60 {
            var noisy = files[round % 2]
            for _ in 0..<4 {
                noisy[Int.random(in: 4..<noisy.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            do throws(RenderingError) {
                let session = try await service.open(.bytes(noisy), as: .tiff)
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
