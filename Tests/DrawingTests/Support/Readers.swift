import Foundation
import KioskReceiptDrawing
import KioskReceipts
import KioskTestSupport

/// Programs that read text and codes from drawings.
enum Readers {
    /// Writes the dots to a PNG file, enlarged and with a white margin.
    private static func file(_ dots: DotMatrix, margin: Int, zoom: Int, in folder: TemporaryFolder) throws -> String {
        var framed = DotMatrix(width: (dots.width + 2 * margin) * zoom, height: (dots.height + 2 * margin) * zoom)
        for y in 0..<dots.height * zoom {
            for x in 0..<dots.width * zoom where dots[x / zoom, y / zoom] {
                framed[x + margin * zoom, y + margin * zoom] = true
            }
        }
        return try folder.write(PNGPicture.file(framed), to: "drawn.png")
    }

    /// The contents of the codes, read by zbar.
    static func zbar(_ dots: DotMatrix) async throws -> [String] {
        let folder = try TemporaryFolder("zbar")
        let program = try InstalledProgram.path("zbarimg", package: "zbar-tools")
        let file = try file(dots, margin: 40, zoom: 1, in: folder)
        let result = try await ChildProcess.run(
            program, ["--quiet", "--nodbus", "--raw", "-Supca.enable", "-Supce.enable", file])
        return result.standardOutput.split(separator: "\n").map { String($0) }
    }

    /// The contents of the codes, read by ZXing; nil where it could not be installed.
    static func zxing(_ dots: DotMatrix) async throws -> [String]? {
        guard let python = PythonPeers.python else { return nil }
        let folder = try TemporaryFolder("zxing")
        let script = """
            import sys, zxingcpp
            from PIL import Image
            for code in zxingcpp.read_barcodes(Image.open(sys.argv[1]).convert("L")): print(code.text)
            """
        let result = try await ChildProcess.run(
            python, ["-c", script, try file(dots, margin: 20, zoom: 1, in: folder)])
        guard result.end.isSuccess else { throw TestSupportError("zxing-cpp: \(result.standardError)") }
        return result.standardOutput.split(separator: "\n").map { String($0) }
    }

    /// A line of Latin letters, read by Tesseract.
    static func tesseract(_ dots: DotMatrix) async throws -> String {
        let folder = try TemporaryFolder("tesseract")
        let program = try InstalledProgram.path("tesseract", package: "tesseract-ocr")
        let result = try await ChildProcess.run(
            program, [try file(dots, margin: 12, zoom: 2, in: folder), "-", "--psm", "7", "-l", "eng"])
        return result.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

extension DotMatrix {
    /// A range of columns.
    func columns(_ range: Range<Int>) -> DotMatrix {
        var part = DotMatrix(width: range.count, height: height)
        for y in 0..<height {
            for x in range where self[x, y] { part[x - range.lowerBound, y] = true }
        }
        return part
    }

    /// The number of black dots.
    var ink: Int { bytes.reduce(0) { $0 + $1.nonzeroBitCount } }
}
