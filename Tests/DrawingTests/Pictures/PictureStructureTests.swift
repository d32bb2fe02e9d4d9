import KioskDrawingMessages
import KioskReceiptDrawing
import KioskReceipts
import KioskTestSupport
import Testing

/// The check of a file's structure refuses only files that cannot be drawn.
@Suite struct PictureStructureTests {
    private static func files() throws -> [[UInt8]] {
        try [
            PictureFiles.png(width: 23, height: 17) { x, y in [UInt8(x * 11), UInt8(y * 15), 0, 200] },
            // As much white as packs best.
            PictureFiles.png(width: 2000, height: 2000) { _, _ in [255, 255, 255, 255] },
            PictureFiles.png(width: 1, height: 1) { _, _ in [0, 0, 0, 255] },
        ]
            + [.grey, .colour, .four].flatMap { (inks: PictureFiles.Inks) in
                try [false, true].map {
                    try PictureFiles.jpeg(width: 33, height: 25, tone: 99, inks, isProgressive: $0)
                }
            }
    }

    @Test func `what their libraries write passes`() throws {
        for file in try Self.files() { try ReceiptImage(file).checkStructure() }
    }

    private func isDrawn(_ file: [UInt8]) -> Bool {
        (try? PictureRenderer.draw(DrawnPicture(file), width: 9, height: 9)) != nil
    }

    @Test func `a file with flipped bits that is refused could not have been drawn`() throws {
        var random = SeededRandom(5)
        var refused = 0
        for file in try Self.files() where file.count < 4000 {
            for _ in 0..<1500 {
                var broken = file
                // The important parts are at the beginning.
                let end = Bool.random(using: &random) ? min(64, file.count) : file.count
                broken[Int.random(in: 0..<end, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                do throws(ReceiptError) {
                    try ReceiptImage(broken).checkStructure()
                } catch {
                    refused += 1
                    #expect(!isDrawn(broken), "\(error.message)")
                }
            }
        }
        #expect(refused > 500)
    }

    @Test func `so could none that is cut off, and most show it`() throws {
        for file in try Self.files() where file.count < 4000 {
            var passed = 0
            for count in 0..<file.count {
                do throws(ReceiptError) {
                    try ReceiptImage(Array(file.prefix(count))).checkStructure()
                    passed += 1
                } catch {
                    #expect(!isDrawn(Array(file.prefix(count))), "\(count) of \(file.count): \(error.message)")
                }
            }
            // Behind the pixels of a PNG nothing is needed.
            #expect(passed <= 16)
        }
    }
}
