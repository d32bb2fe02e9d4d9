import Foundation
import KioskPaperPictures
import KioskSimulatedPaper
import KioskTestSupport

/// Programs that read barcodes back from pictures.
enum SymbolReader {
    /// Reads a picture with zbar.
    static func zbar(_ picture: Bitmap) async throws -> [DecodedSymbol] {
        try await Zbar.read(PNGFile.bytes(picture, dotsPerInch: 203))
    }

    /// Reads a picture with ZXing, which knows more symbologies than zbar; nil where it could not be installed.
    static func zxing(_ picture: Bitmap) async throws -> [DecodedSymbol]? {
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
        return DecodedSymbol.parse(result.standardOutput)
    }
}
