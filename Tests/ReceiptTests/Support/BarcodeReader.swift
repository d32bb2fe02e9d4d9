import PaperPictures
import SimulatedPaper
import TestSupport

/// zbar, which reads codes back from a picture.
enum BarcodeReader {
    /// What each code says.
    static func data(in picture: Bitmap) async throws -> [String] {
        let folder = try TemporaryFolder("receipt")
        let file = try folder.write(PNGFile.bytes(picture, dotsPerInch: 203), to: "paper.png")
        let program = try InstalledProgram.path("zbarimg", package: "zbar-tools")
        // UPC is off by default.
        let result = try await ChildProcess.run(program, ["--quiet", "--nodbus", "--raw", "-Supca.enable", "-Supce.enable", file])
        return result.standardOutput.split(separator: "\n").map { String($0) }
    }
}
