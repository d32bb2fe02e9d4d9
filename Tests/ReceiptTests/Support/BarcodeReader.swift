import PaperPictures
import SimulatedPaper
import TestSupport

@testable import Receipts

/// zbar, which reads codes back from a picture.
enum BarcodeReader {
    /// What each code says.
    static func data(in picture: Bitmap) async throws -> [String] {
        let folder = try TemporaryFolder("receipt")
        let file = try folder.write(PNGFile.bytes(picture, dotsPerInch: 203), to: "paper.png")
        let program = try InstalledProgram.path("zbarimg", package: "zbar-tools")
        // UPC is off by default.
        let result = try await ChildProcess.run(
            program, ["--quiet", "--nodbus", "--raw", "-Supca.enable", "-Supce.enable", file])
        return result.standardOutput.split(separator: "\n").map { String($0) }
    }

    /// What it should find: it reads neither PDF417 nor Data Matrix.
    static func said(in layout: ReceiptLayout) -> [String] {
        layout.lines.compactMap { line in
            guard case .code(let code) = line.content, ![.pdf417, .datamatrix].contains(code.code.symbology) else {
                return nil
            }
            return code.checked.text
        }
    }
}
