import Foundation
import KioskPaperPictures
import KioskTestSupport

@testable import KioskSimulatedPaper

/// Tesseract, which reads letters from pictures; with its model of the Latin script, since receipts are in many
/// languages.
enum LatinReader {
    /// How often each word stands on each picture. It looks for columns in the picture as it is, and takes one twice as
    /// large for a single block: neither alone suits every receipt, so the better counts.
    static func words(on pictures: [Bitmap]) async throws -> [[String: Int]] {
        let columns = try await texts(of: pictures, dotsPerInch: 203, as: "4")
        let blocks = try await texts(of: pictures.map { $0.scaled(2, 2) }, dotsPerInch: 406, as: "6")
        return zip(columns, blocks).map { counted($0).merging(counted($1)) { max($0, $1) } }
    }

    /// Of four letters and more.
    static func words(in text: String) -> [String] {
        text.precomposedStringWithCanonicalMapping.split { !isLatin($0) }.filter { $0.count >= 4 }.map { String($0) }
    }

    private static func isLatin(_ character: Character) -> Bool {
        guard let first = character.unicodeScalars.first, first.properties.isAlphabetic else { return false }
        // Latin-1, Latin Extended and Latin Extended Additional (Unicode).
        return first.value < 0x250 || (0x1E00...0x1EFF).contains(first.value)
    }

    private static func counted(_ text: String) -> [String: Int] {
        words(in: text).reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    /// All in one go, since it takes a while to start.
    private static func texts(of pictures: [Bitmap], dotsPerInch: Int, as layout: String) async throws -> [String] {
        let program = try InstalledProgram.path("tesseract", package: "tesseract-ocr tesseract-ocr-script-latn")
        let folder = try TemporaryFolder("tesseract")
        let files = try pictures.enumerated().map {
            try folder.write(PNGFile.bytes($1, dotsPerInch: dotsPerInch), to: "\($0).png")
        }
        let list = try folder.write(files.joined(separator: "\n") + "\n", to: "files.txt")
        let result = try await ChildProcess.run(
            program, [list, "-", "--psm", layout, "-l", "Latin", "--dpi", "\(dotsPerInch)"],
            environment: ["OMP_THREAD_LIMIT": "1"], deadline: .seconds(300))
        let pages = result.standardOutput.split(separator: "\u{C}", omittingEmptySubsequences: false)
        guard result.end.isSuccess, pages.count == pictures.count else {
            throw TestSupportError("tesseract: \(result.standardError)")
        }
        return pages.map { String($0) }
    }
}
