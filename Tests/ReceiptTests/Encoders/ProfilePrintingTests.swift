import Foundation
import KioskPrintModel
import KioskPrinterRegistry
import KioskTestSupport
import Testing

@testable import KioskReceipts

/// Every printer that a profile describes prints any receipt within its paper.
@Suite struct ProfilePrintingTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
        path: "../../../profiles"
    ).standardized.path

    /// The settings by the profiles' names.
    static let settings: [String: PrintingSettings] = {
        guard let library = try? ProfileLibrary.load(folder) else { return [:] }
        return Dictionary(
            uniqueKeysWithValues: library.profiles.compactMap { profile in profile.printing.map { (profile.name, $0) } }
        )
    }()

    @Test func `the profiles are there`() { #expect(Self.settings.count >= 35) }

    /// The target with pictures and ASCII only: other models number code pages differently from the simulated one.
    private static func target(_ settings: PrintingSettings) -> ReceiptTarget {
        var target = ReceiptTarget(settings)
        switch target {
        case .escPos(var capabilities):
            (capabilities.codePages, capabilities.symbologies) = (
                capabilities.raster == nil ? capabilities.codePages : [:], []
            )
            target = .escPos(capabilities)
        case .star(var capabilities):
            (capabilities.codePages, capabilities.symbologies) = ([:], [])
            target = .star(capabilities)
        case .label(var capabilities):
            capabilities.labelLength = nil
            target = .label(capabilities)
        case .raster, .text: break
        }
        return target
    }

    /// Whether the target has the simulated printers' fonts. Text in other fonts would have another size.
    private static func isSimulated(_ target: ReceiptTarget) -> Bool {
        let (a, b) = (target.paper.fontA, target.paper.fontB)
        switch target {
        case .escPos(let capabilities):
            return capabilities.raster != nil && a == .init(width: 12, height: 24)
                && (b == nil || b == .init(width: 9, height: 17))
        case .star(let capabilities):
            return !capabilities.hasText
                || a == .init(width: 12, height: 24) && (b == nil || b == .init(width: 9, height: 24))
        case .label(let capabilities): return capabilities.language == .zpl
        case .raster: return true
        case .text: return false
        }
    }

    @Test(arguments: settings.keys.sorted()) func `random receipts`(_ name: String) throws {
        let settings = try #require(Self.settings[name])
        let target = Self.target(settings)
        var generator = RandomReceipt(
            random: SeededRandom(61),
            texts: target.plainTextRewriter == nil ? RandomReceipt.texts : ["Coffee", "€12.30", "two words", "Żółw"])
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
                _ = try document.bytes(with: BitmapRenderer.drawn(document.drawings))
                continue
            }
            let printed = try PrintedReceipt(document.layout, for: target, dotsPerInch: settings.dpi)
            #expect(printed.faults == [], "\(String(decoding: ReceiptJSON.write(receipt), as: UTF8.self))")
        }
    }
}
