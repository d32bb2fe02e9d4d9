import Foundation
import KioskDrawingMessages
import KioskReceiptDrawing
import KioskReceipts
import KioskTestSupport
import Testing

@Suite struct PictureRendererTests {
    private func draw(
        _ file: [UInt8], _ width: Int, _ height: Int, _ dithering: Dithering = .threshold
    ) throws(DrawingRefusal) -> DotMatrix {
        try PictureRenderer.draw(DrawnPicture(file, dithering: dithering), width: width, height: height)
    }

    @Test func `what is transparent is white, what is half so is grey`() throws {
        let alphas: [UInt8] = [0, 255, 60, 220]
        let file = try PictureFiles.png(width: 4, height: 1) { x, _ in [0, 0, 0, alphas[x]] }
        #expect(try draw(file, 4, 1).bytes == [0b0101_0000])
    }

    @Test func `colours become as grey as they are bright`() throws {
        let colours: [[UInt8]] = [[255, 255, 0, 255], [0, 0, 255, 255], [0, 255, 0, 255], [120, 0, 0, 255]]
        let file = try PictureFiles.png(width: 4, height: 1) { x, _ in colours[x] }
        #expect(try draw(file, 4, 1).bytes == [0b0101_0000])
    }

    @Test(arguments: [(UInt16(0x4000), 0.75), (0x8080, 0.5), (0xC000, 0.25)])
    func `samples of 16 bits are as dark as those of 8 bits`(_ tone: UInt16, _ share: Double) throws {
        let file = PictureFiles.png16(width: 60, height: 60, tone: tone)
        let dots = try draw(file, 60, 60, .floydSteinberg)
        #expect(abs(Double(dots.ink) / 3600 - share) < 0.02)
        let plain = try PictureFiles.png(width: 60, height: 60) { _, _ in
            [UInt8](repeating: UInt8(tone >> 8), count: 3) + [255]
        }
        #expect(abs(dots.ink - (try draw(plain, 60, 60, .floydSteinberg).ink)) < 40)
    }

    /// One black pixel at the left of the upper row, in files that say how they are turned.
    @Test(arguments: [
        (1, 3, 2, 0b100, 0b000), (2, 3, 2, 0b001, 0b000), (3, 3, 2, 0b000, 0b001), (4, 3, 2, 0b000, 0b100),
    ])
    func `a picture is drawn as its EXIF orientation says`(
        _ orientation: Int, _ width: Int, _ height: Int, _ upper: Int, _ lower: Int
    ) throws {
        let file = try Self.turned(orientation)
        let dots = try draw(file, width, height)
        #expect(dots.bytes == [UInt8(upper << 5), UInt8(lower << 5)])
    }

    @Test(arguments: [(5, 0, 0), (6, 1, 0), (7, 1, 2), (8, 0, 2)])
    func `a picture on its side is drawn upright`(_ orientation: Int, _ x: Int, _ y: Int) throws {
        let dots = try draw(try Self.turned(orientation), 2, 3)
        #expect(dots.ink == 1)
        #expect(dots[x, y])
    }

    private static func turned(_ orientation: Int) throws -> [UInt8] {
        let file = try PictureFiles.png(width: 3, height: 2) { x, y in
            x == 0 && y == 0 ? [0, 0, 0, 255] : [255, 255, 255, 255]
        }
        let exif: [UInt8] = [
            0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation), 0, 0, 0, 0, 0, 0,
        ]
        // After the header. Nobody minds the checksum of a chunk that is not needed for the pixels.
        let chunk = [0, 0, 0, UInt8(exif.count)] + Array("eXIf".utf8) + exif + [0, 0, 0, 0]
        return Array(file[..<33]) + chunk + Array(file[33...])
    }

    @Test func `a chessboard becomes the grey that it is from afar`() throws {
        let file = try PictureFiles.png(width: 128, height: 128) { x, y in
            (x + y).isMultiple(of: 2) ? [0, 0, 0, 255] : [255, 255, 255, 255]
        }
        let share = Double(try draw(file, 64, 64, .floydSteinberg).ink) / 4096
        #expect(abs(share - 67.0 / 255) < 0.02)
    }

    @Test(arguments: [PictureFiles.Inks.grey, .colour, .four], [false, true]) func `reads every kind of JPEG`(
        _ inks: PictureFiles.Inks, _ isProgressive: Bool
    ) throws {
        for (tone, share) in [(UInt8(64), 0.75), (192, 0.25)] {
            let file = try PictureFiles.jpeg(width: 90, height: 70, tone: tone, inks, isProgressive: isProgressive)
            let dots = try draw(file, 45, 35, .floydSteinberg)
            #expect(abs(Double(dots.ink) / Double(45 * 35) - share) < 0.03)
        }
    }

    @Test func `every truncation of a PNG file is an error`() throws {
        let file = try PictureFiles.png(width: 23, height: 17) { x, y in [UInt8(x * 11), UInt8(y * 15), 0, 255] }
        // The last twelve bytes are the end's own chunk.
        for count in 0..<file.count - 12 {
            let error = #expect(throws: DrawingRefusal.self) { try draw(Array(file.prefix(count)), 10, 10) }
            #expect(error?.code == .picture)
        }
    }

    @Test(arguments: [false, true]) func `every truncation of a JPEG file is an error`(_ isProgressive: Bool) throws {
        let file = try PictureFiles.jpeg(width: 33, height: 25, tone: 99, .colour, isProgressive: isProgressive)
        for count in 0..<file.count - 2 {
            let error = #expect(throws: DrawingRefusal.self) { try draw(Array(file.prefix(count)), 10, 10) }
            #expect(error?.code == .picture)
        }
    }

    /// Some still show a picture; none does harm.
    @Test func `flipped bits are drawn or refused`() throws {
        var random = SeededRandom(11)
        let files = [
            try PictureFiles.png(width: 23, height: 17) { x, y in [UInt8(x * 11), UInt8(y * 15), 0, 200] },
            try PictureFiles.jpeg(width: 33, height: 25, tone: 99, .colour),
            try PictureFiles.jpeg(width: 33, height: 25, tone: 99, .four, isProgressive: true),
        ]
        for file in files {
            for bit in stride(from: 0, to: file.count * 8, by: file.count * 8 > 8000 ? 3 : 1) {
                var broken = file
                broken[bit / 8] ^= 1 << UInt8(bit % 8)
                if Bool.random(using: &random) {
                    broken[Int.random(in: 0..<broken.count, using: &random)] = .random(in: 0...255, using: &random)
                }
                do throws(DrawingRefusal) { #expect(try draw(broken, 9, 9).width == 9) } catch {
                    #expect(error.code == .picture)
                }
            }
        }
    }

    /// A few hundred bytes that claim to be gigabytes: refused by the header.
    @Test func `bombs are refused before they are decoded`() throws {
        var png = try PictureFiles.png(width: 1, height: 1) { _, _ in [0, 0, 0, 255] }
        png.replaceSubrange(16..<24, with: [0, 1, 0, 0, 0, 1, 0, 0])
        var jpeg = try PictureFiles.jpeg(width: 16, height: 16, tone: 0)
        let frame = try #require(jpeg.indices.first { jpeg[$0] == 0xFF && $0 + 1 < jpeg.count && jpeg[$0 + 1] == 0xC0 })
        jpeg.replaceSubrange(frame + 5..<frame + 9, with: [0xFF, 0xFF, 0xFF, 0xFF])
        for file in [png, jpeg] {
            let error = #expect(throws: DrawingRefusal.self) { try draw(file, 10, 10) }
            #expect(error?.message.contains("more than a receipt has room for") == true)
        }
    }

    @Test func `a preview is a PNG file of one bit to a dot`() async throws {
        let dots = try #require(DotMatrix(width: 9, height: 2, bytes: [0b1010_1010, 0x80, 0x0F, 0]))
        let file = try PNGPicture.file(dots)
        // Depth 1, a palette (IHDR).
        #expect(file[24] == 1 && file[25] == 3)
        #expect(try draw(file, 9, 2) == dots)
        #expect(throws: DrawingRefusal.self) { try PNGPicture.file(DotMatrix(width: 0, height: 4)) }
    }
}
