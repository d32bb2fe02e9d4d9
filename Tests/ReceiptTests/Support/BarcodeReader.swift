import KioskPaperPictures
import KioskSimulatedPaper
import KioskTestSupport

@testable import KioskReceipts

/// zbar, which reads codes back from a picture.
enum BarcodeReader {
    /// What each code says.
    static func data(in picture: Bitmap) async throws -> [String] {
        try await Zbar.read(PNGFile.bytes(picture, dotsPerInch: 203)).map(\.data)
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
