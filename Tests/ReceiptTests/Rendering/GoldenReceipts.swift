import Foundation
import KioskPaperPictures
import KioskSimulatedPaper
import KioskTestSupport

@testable import KioskReceipts

/// A document of `Tests/Golden/receipts` and the approved results of rendering it. A comment in the document may name
/// the paper: `{_:columns=32}`. Without one the paper has 48 characters.
struct GoldenReceipts {
    let name: String

    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
        path: "../../Golden/receipts")

    static let names: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.filter { $0.hasSuffix(".receipt") }.map { String($0.dropLast(".receipt".count)) }.sorted()
    }()

    private func file(_ ending: String) -> URL { Self.folder.appending(path: name + ending) }

    func receipt() throws -> Receipt {
        try ReceiptMarkup.read(
            Array(Data(contentsOf: file(".receipt"))),
            rules: ReceiptMarkup.Rules(privileges: Set(ReceiptPrivilege.allCases))
        ).receipt
    }

    func layout(_ change: (inout ReceiptPaper) -> Void = { _ in }) throws -> ReceiptLayout {
        let text = try String(contentsOf: file(".receipt"), encoding: .utf8)
        let columns = text.firstMatch(of: /\{_:columns=([0-9]+)\}/).flatMap { Int($0.1) } ?? 48
        var paper = ReceiptPaper(columns: columns)
        change(&paper)
        return try ReceiptLayout(receipt(), on: paper)
    }

    /// The golden file with this extension. With `RECORD_RECEIPTS` in the environment, it is first written anew.
    func golden(_ ending: String, now: String) throws -> String {
        let file = file(ending)
        if ProcessInfo.processInfo.environment["RECORD_RECEIPTS"] != nil { try Data(now.utf8).write(to: file) }
        return try String(contentsOf: file, encoding: .utf8)
    }

    /// Whether a picture equals the golden file with this extension, which is written anew as above.
    func isGolden(_ ending: String, now picture: Bitmap) throws -> Bool {
        let (file, png) = (file(ending), PNGFile.bytes(picture, dotsPerInch: 203))
        if ProcessInfo.processInfo.environment["RECORD_RECEIPTS"] != nil { try Data(png).write(to: file) }
        return PNGRows(png) == PNGRows([UInt8](try Data(contentsOf: file)))
    }
}
