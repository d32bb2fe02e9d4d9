import CKioskZLib
import Foundation
import KioskPaperPictures
import KioskSimulatedPaper
import KioskTestSupport
import Testing

@Suite struct PNGFileTests {
    @Test func `has the chunks, the size and the rows`() throws {
        var picture = Bitmap(width: 10, height: 2)
        picture[0, 0] = true
        picture[9, 1] = true
        let file = PNGFile.bytes(picture, dotsPerInch: 203)
        #expect(file.prefix(8) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        #expect(file[16..<29] == [0, 0, 0, 10, 0, 0, 0, 2, 1, 0, 0, 0, 0])
        #expect(PNGRows(file)?.rows == [0, 0x7F, 0xFF, 0, 0xFF, 0xBF])
        #expect(file == PNGFile.bytes(picture, dotsPerInch: 203))
    }

    @Test func `another program reads it`() async throws {
        guard let python = PythonPeers.python else { return }
        let folder = try TemporaryFolder("png")
        let picture = Bitmap(width: 30, height: 7, rows: [0xF0, 0x0F, 0xAA, 0x54, 0x01])
        let file = try folder.write(PNGFile.bytes(picture, dotsPerInch: 203), to: "paper.png")
        let script = """
            import sys
            from PIL import Image
            picture = Image.open(sys.argv[1]); picture.load()
            print(picture.size, picture.mode, [round(n) for n in picture.info["dpi"]])
            for y in range(7): print("".join("." if picture.getpixel((x, y)) else "#" for x in range(30)))
            """
        let result = try await ChildProcess.run(python, ["-c", script, file])
        let lines = result.standardOutput.split(separator: "\n").map(String.init)
        #expect(lines.first == "(30, 7) 1 [203, 203]", "\(result.standardError)")
        #expect(Array(lines.dropFirst()) == picture.drawing)
    }
}
