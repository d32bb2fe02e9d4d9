import Foundation
import PaperPictures
import SimulatedPaper
import TestSupport

/// Programs that read barcodes back from pictures.
enum SymbolReader {
    struct Read: Hashable {
        var kind: String
        var data: String
    }

    /// Reads a picture with zbar, from a PNG file.
    static func zbar(_ picture: Bitmap) async throws -> [Read] {
        let folder = try TemporaryFolder("zbar")
        let file = try folder.write(PNGFile.bytes(picture, dotsPerInch: 203), to: "paper.png")
        let program = try InstalledProgram.path("zbarimg", package: "zbar-tools")
        // Add-ons of two and five digits and the shorter EAN are off by default.
        let result = try await ChildProcess.run(
            program, ["--quiet", "--nodbus", "-Supca.enable", "-Supce.enable", "-Sdatabar.enable", file])
        return result.standardOutput.split(separator: "\n").map { line in
            let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
            return Read(kind: parts[0], data: parts.count > 1 ? parts[1] : "")
        }
    }

    /// Reads a picture with ZXing, which knows more symbologies than zbar; nil where it could not be installed.
    static func zxing(_ picture: Bitmap) async throws -> [Read]? {
        guard let python = PythonPeers.python else { return nil }
        let folder = try TemporaryFolder("zxing")
        let file = try folder.write(PNGFile.bytes(picture, dotsPerInch: 203), to: "paper.png")
        let script = """
            import sys, zxingcpp
            from PIL import Image
            for code in zxingcpp.read_barcodes(Image.open(sys.argv[1]).convert("L")):
                print(str(code.format).split(".")[-1] + ":" + code.text)
            """
        let result = try await ChildProcess.run(python, ["-c", script, file])
        guard result.end.isSuccess else { throw TestSupportError("zxing-cpp: \(result.standardError)") }
        return result.standardOutput.split(separator: "\n").map { line in
            let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
            return Read(kind: parts[0], data: parts.count > 1 ? parts[1] : "")
        }
    }
}
