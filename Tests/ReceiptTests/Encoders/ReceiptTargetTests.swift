import KioskPrintModel
import Testing

@testable import KioskReceipts

/// Targets as profiles describe them.
@Suite struct ReceiptTargetTests {
    @Test func `ESC/POS`() {
        let settings = PrintingSettings(
            language: .escPOS, dots: 512, dpi: 180, fontB: nil, lineGap: 4, codePages: [.cp437: 0, .iso15: 40],
            initialCodePage: .cp437,
            symbologies: [.ean, .qrcode], cuts: [.partial], tearFeed: 150, raster: .init(method: .gsL),
            motionUnits: 180, multiByte: true)
        let paper = ReceiptPaper(dots: 512, fontB: nil, lineGap: 4, dotsPerMillimetre: 7)
        #expect(
            ReceiptTarget(settings)
                == .escPos(
                    EscPosCapabilities(
                        paper: paper, codePages: [.cp437: 0, .iso15: 40], initialCodePage: .cp437,
                        symbologies: [.ean, .qrcode], cuts: [.partial], tearFeed: 150,
                        motionUnit: 180, raster: .graphics, bandRows: 56, isMultiByte: true)))
    }

    @Test(arguments: [
        (576, 256, 4096, 48), (576, 24, 65_536, 24), (384, 256, 4096, 72), (576, 256, 32, 8), (4096, 65_535, 4096, 8),
    ])
    func `a band fits the printer's buffer`(dots: Int, band: Int, buffer: Int, rows: Int) {
        let settings = PrintingSettings(language: .escPOS, dots: dots, raster: .init(band: band, buffer: buffer))
        #expect(EscPosCapabilities(settings).bandRows == rows)
    }

    @Test func `a printer of text only takes no pictures, and one of plain text has its lines to tear off`() {
        #expect(EscPosCapabilities(PrintingSettings(language: .escPOS, dots: 400, textOnly: true)).raster == nil)
        let plain = PrintingSettings(language: .text, dots: 480, fontB: nil)
        #expect(
            ReceiptTarget(plain)
                == .text(PlainTextCapabilities(paper: ReceiptPaper(dots: 480, fontB: nil), tearLines: 4)))
    }

    @Test(arguments: [
        (PrintingSettings.Language.starPRNT, StarCapabilities.RasterMethod.graphics, true),
        (.starLine, .rasterMode, true),
        (.starRaster, .rasterMode, false),
    ])
    func `Star's three languages`(
        language: PrintingSettings.Language, raster: StarCapabilities.RasterMethod, hasText: Bool
    ) {
        let target = ReceiptTarget(
            PrintingSettings(language: language, dots: 576, codePages: [.cp437: 1], symbologies: [.ean]))
        guard case .star(let capabilities) = target else { Issue.record("\(String(describing: target))"); return }
        #expect((capabilities.raster, capabilities.hasText) == (raster, hasText))
        #expect(capabilities.symbologies == (hasText ? [.ean] : []))
    }

    @Test func `labels are as large as the profile says, and never wider than the head`() {
        func capabilities(_ label: PrintingSettings.Label?) -> LabelCapabilities? {
            guard
                case .label(let capabilities) = ReceiptTarget(
                    PrintingSettings(language: .zpl, dots: 832, cuts: [.full], label: label))
            else { return nil }
            return capabilities
        }
        let small = capabilities(.init(width: 50, height: 25, gap: 2))
        #expect(small?.paper.dots == 400)
        #expect(small?.labelLength == 200)
        #expect(small?.labelGap == 16)
        #expect(small?.hasCutter == true)
        #expect(capabilities(.init(width: 150, height: 100))?.paper.dots == 832)
        // Continuous media.
        #expect(capabilities(.init(width: 100, height: 150, gap: 0))?.labelLength == nil)
    }

    @Test func `pixels over IPP`() {
        let settings = PrintingSettings(language: .raster, dots: 696, dpi: 300)
        #expect(
            ReceiptTarget(settings, format: .urf)
                == .raster(RasterCapabilities(paper: ReceiptPaper(settings), format: .urf, dotsPerInch: 300)))
        #expect(ReceiptPaper(settings).dotsPerMillimetre == 12)
    }

    @Test func `a printer that begins with two bytes a character is told to leave that, once`() throws {
        var capabilities = EscPosCapabilities(
            PrintingSettings(
                language: .escPOS, dots: 384, codePages: [.cp437: 0], initialCodePage: .cp437, motionUnits: 203))
        capabilities.isMultiByte = true
        let receipt = try ReceiptMarkup.read("é").receipt
        let document = try EscPosDocument(try ReceiptLayout(receipt, on: capabilities.paper), for: capabilities)
        #expect(document.dump.hasPrefix("ESC @\nFS .\nGS P 203 203\n"))
        #expect(document.bytes.starts(with: [0x1B, 0x40, 0x1C, 0x2E, 0x1D, 0x50, 203, 203]))
    }
}
