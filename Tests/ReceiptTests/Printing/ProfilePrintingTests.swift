import Foundation
import PrintModel
import PrinterRegistry
import TestSupport
import Testing

@testable import Receipts

/// Every printer that a profile describes prints whatever a receipt says within its paper.
@Suite struct ProfilePrintingTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
        path: "../../../profiles"
    ).standardized.path

    /// By their profiles' names.
    static let settings: [String: PrintingSettings] = {
        guard let library = try? ProfileLibrary.load(folder) else { return [:] }
        return Dictionary(
            uniqueKeysWithValues: library.profiles.compactMap { profile in profile.printing.map { (profile.name, $0) } }
        )
    }()

    @Test func `the profiles are there`() { #expect(Self.settings.count >= 35) }

    /// With pictures and the letters of ASCII: other models number their code pages otherwise than the simulated one.
    private static func target(_ settings: PrintingSettings) -> ReceiptTarget {
        var target = ReceiptTarget(settings)
        switch target {
        case .escPos(var printer):
            (printer.codePages, printer.symbologies) = (printer.raster == nil ? printer.codePages : [:], [])
            target = .escPos(printer)
        case .star(var printer):
            (printer.codePages, printer.symbologies) = ([:], [])
            target = .star(printer)
        case .label(var printer):
            printer.labelLength = nil
            target = .label(printer)
        case .raster, .text: break
        }
        return target
    }

    /// The simulated printers' own fonts; others would stand elsewhere.
    private static func isSimulated(_ target: ReceiptTarget) -> Bool {
        let (a, b) = (target.paper.fontA, target.paper.fontB)
        switch target {
        case .escPos(let printer):
            return printer.raster != nil && a == .init(width: 12, height: 24)
                && (b == nil || b == .init(width: 9, height: 17))
        case .star(let printer):
            return !printer.hasText
                || a == .init(width: 12, height: 24) && (b == nil || b == .init(width: 9, height: 24))
        case .label(let printer): return printer.language == .zpl
        case .raster: return true
        case .text: return false
        }
    }

    @Test(arguments: settings.keys.sorted()) func `random receipts`(_ name: String) throws {
        let settings = try #require(Self.settings[name])
        let target = Self.target(settings)
        var generator = RandomReceipt(
            random: SeededRandom(61),
            texts: target.plainWriting == nil ? RandomReceipt.texts : ["Coffee", "€12.30", "two words", "Żółw"])
        for _ in 0..<rounds(4, long: 200) {
            let receipt = Receipt(generator.receipt().elements.filter { if case .command = $0 { false } else { true } })
            let document: ReceiptDocument
            do throws(ReceiptError) {
                document = try ReceiptDocument(receipt, for: target)
            } catch {
                #expect(error.code == .doesNotFit)
                continue
            }
            guard (1...4000).contains(document.layout.height) else { continue }
            guard Self.isSimulated(target) else {
                _ = try document.bytes(with: BitmapArtist.drawn(document.drawings))
                continue
            }
            let printed = try PrintedReceipt(document.layout, for: target, dotsPerInch: settings.dpi)
            #expect(printed.faults == [], "\(String(decoding: ReceiptJSON.write(receipt), as: UTF8.self))")
        }
    }
}
