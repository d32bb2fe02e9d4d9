import CKioskJPEG
import KioskPageEncoding
import KioskRenderingMessages
import KioskTestSupport
import Testing

@testable import KioskRenderingService

/// JPEG files as documents of one page.
@Suite(.enabled(if: Renderer.isComplete)) struct JPEGDocumentTests {
    /// A picture of 128 × 64 pixels, dark in its upper left quarter.
    private static func picture(
        _ format: TJPF = TJPF_RGB, dark: UInt8 = 0, isProgressive: Bool = false
    ) throws -> [UInt8] {
        guard let encoder = tjInitCompress() else { throw TestSupportError("libjpeg-turbo does not start") }
        defer { tjDestroy(encoder) }
        let samples = format == TJPF_GRAY ? 1 : format == TJPF_CMYK ? 4 : 3
        let pixels = (0..<64).flatMap { y in
            (0..<128).flatMap { x -> [UInt8] in
                let tone: UInt8 = x < 64 && y < 32 ? dark : 255
                return [UInt8](repeating: 255, count: samples == 4 ? 3 : 0)
                    + [UInt8](repeating: tone, count: samples == 4 ? 1 : samples)
            }
        }
        var file: UnsafeMutablePointer<UInt8>?
        var size: UInt = 0
        let sampling = format == TJPF_GRAY ? TJSAMP_GRAY : TJSAMP_444
        guard
            tjCompress2(
                encoder, pixels, 128, 0, 64, Int32(format.rawValue), &file, &size, Int32(sampling.rawValue), 95,
                isProgressive ? TJFLAG_PROGRESSIVE : 0) == 0, let file
        else { throw TestSupportError("libjpeg-turbo wrote nothing") }
        defer { tjFree(file) }
        return Array(UnsafeBufferPointer(start: file, count: Int(size)))
    }

    /// Exif's segment with one directory.
    private static func exif(orientation: Int, isLittleEndian: Bool, dpi: UInt32 = 0) -> [UInt8] {
        func number(_ value: UInt32, _ count: Int) -> [UInt8] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * (count - 1 - $0))) }
            return isLittleEndian ? bytes.reversed() : bytes
        }
        func entry(_ tag: UInt32, _ type: UInt32, _ value: [UInt8]) -> [UInt8] {
            number(tag, 2) + number(type, 2) + number(1, 4) + value + [UInt8](repeating: 0, count: 4 - value.count)
        }
        let tiff =
            Array((isLittleEndian ? "II" : "MM").utf8) + number(42, 2) + number(8, 4) + number(4, 2)
            + entry(0x0112, 3, number(UInt32(orientation), 2)) + entry(0x011A, 5, number(62, 4))
            + entry(0x011B, 5, number(62, 4)) + entry(0x0128, 3, number(2, 2)) + number(0, 4) + number(dpi, 4)
            + number(1, 4)
        let content = Array("Exif\0\0".utf8) + tiff
        return [0xFF, 0xE1, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 0xFF)] + content
    }

    /// Another segment behind the file's first two bytes.
    private static func inserting(_ segment: [UInt8], into file: [UInt8]) -> [UInt8] {
        Array(file.prefix(2)) + segment + file.dropFirst(2)
    }

    private func info(_ file: [UInt8]) async throws -> DocumentInfo {
        let service = try Renderer.service()
        let session = try await service.open(.bytes(file), as: .jpeg)
        await service.shutDown()
        return session.info
    }

    // The quarter that is dark in the file, as it is seen: left, top.
    @Test(arguments: [
        (1, 0, 0), (2, 1, 0), (3, 1, 1), (4, 0, 1), (5, 0, 0), (6, 1, 0), (7, 1, 1), (8, 0, 1),
    ])
    func `a picture is turned upright`(_ orientation: Int, _ right: Int, _ bottom: Int) async throws {
        for isLittleEndian in [true, false] {
            let segment = Self.exif(orientation: orientation, isLittleEndian: isLittleEndian, dpi: 144)
            let file = Self.inserting(segment, into: try Self.picture())
            let page = try #require(try await info(file).pages.first)
            let (width, height) = orientation < 5 ? (64, 32) : (32, 64)
            #expect(page == DocumentInfo.PageSize(width: Double(width), height: Double(height)))
            let drawn = try await Renderer.draw(file, as: .jpeg, .page(width: width * 2, height: height * 2, scale: 2))
            let box = try #require(drawn.darkBox)
            #expect(abs(box.left - right * width) <= 1 && abs(box.top - bottom * height) <= 1, "\(box)")
            #expect(abs(box.width - width) <= 2 && abs(box.height - height) <= 2, "\(box)")
        }
    }

    @Test func `grey, colour, four inks and progressive files are drawn`() async throws {
        for format in [TJPF_GRAY, TJPF_RGB, TJPF_CMYK] {
            for isProgressive in [false, true] {
                let file = try Self.picture(format, isProgressive: isProgressive)
                var side = SideDrawing.page(width: 128, height: 64, color: .rgb24)
                // 200 pixels an inch.
                side.cells[0].matrix = PageMatrix(200.0 / 72, 0, 0, 200.0 / 72, 0, 0)
                let drawn = try await Renderer.draw(file, as: .jpeg, side)
                #expect(drawn.grey(20, 10) < 60 && drawn.grey(100, 10) > 240 && drawn.grey(20, 50) > 240)
            }
        }
    }

    @Test(arguments: [(UInt8(1), 300, 300.0), (2, 100, 254), (0, 300, nil), (1, 3, nil), (1, 5_000, nil)])
    func `a size is the file's own where it is sane`(_ unit: UInt8, _ density: Int, _ dpi: Double?) async throws {
        var file = try Self.picture()
        // JFIF's segment is the first.
        #expect(file[6..<10].elementsEqual("JFIF".utf8))
        file[13] = unit
        for place in [14, 16] { (file[place], file[place + 1]) = (UInt8(density >> 8), UInt8(density & 0xFF)) }
        let info = try await info(file)
        #expect(info.hasStatedSizes == (dpi != nil))
        #expect(abs((info.pages.first?.width ?? 0) - 128 * 72 / (dpi ?? 200)) < 0.01)
    }

    @Test func `what is no whole picture is refused`() async throws {
        let service = try Renderer.service()
        let file = try Self.picture()
        let huge = file.replacing(
            [0xFF, 0xC0, 0, 17, 8, 0, 64, 0, 128], with: [0xFF, 0xC0, 0, 17, 8, 0xFF, 0xFF, 0xFF, 0xFF])
        for (bytes, code) in [
            ([], RenderingError.Code.damaged), (Array("hello".utf8), .damaged), (Array(file.prefix(100)), .damaged),
            (Array(file.prefix(file.count * 3 / 4)), .damaged), (huge, .tooLarge),
            ([0xFF, 0xD8] + Self.exif(orientation: 1, isLittleEndian: true), .damaged),
        ] {
            let failure = await #expect(throws: RenderingError.self) {
                try await service.open(.bytes(bytes), as: .jpeg)
            }
            #expect(failure?.code == code, "\(failure?.message ?? "")")
        }
        await service.shutDown()
    }

    @Test func `a picture with noise in it is drawn or refused`() async throws {
        var random = SeededRandom(5)
        let file = Self.inserting(Self.exif(orientation: 6, isLittleEndian: true), into: try Self.picture())
        let service = try Renderer.service()
        for _ in 0..<60 {
            var noisy = file
            for _ in 0..<4 {
                noisy[Int.random(in: 2..<noisy.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            do throws(RenderingError) {
                let session = try await service.open(.bytes(noisy), as: .jpeg)
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
