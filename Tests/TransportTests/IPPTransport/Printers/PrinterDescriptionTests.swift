import KioskIPPCodec
import KioskPrintModel
import Testing

@testable import KioskIPP

/// Printers' descriptions, as read from their attributes.
@Suite struct PrinterDescriptionTests {
    private func printer(_ attributes: IPPAttribute...) -> IPPGroup { IPPGroup(.printer, attributes) }

    private static let kinds: [([String], JobTypes)] = [
        (["document", "photo"], [.general, .document, .photo]), (["receipt"], [.receipt]),
        (["label", "vendor-kind"], [.label]),
    ]

    @Test(arguments: kinds)
    func `printer-kind is the printer's own word`(kinds: [String], types: JobTypes) {
        let description = PrinterDescription(
            printer(
                IPPAttribute("printer-kind", keywords: kinds),
                IPPAttribute("media-supported", keywords: ["iso_a4_210x297mm"])))
        #expect(description.jobTypes == types)
    }

    private static let media: [([String], JobTypes)] = [
        (["iso_a4_210x297mm", "na_letter_8.5x11in"], [.general, .document]),
        (["iso_dl_110x220mm"], [.envelope]), (["na_number-10_4.125x9.5in"], [.envelope]),
        (["jpn_hagaki_100x148mm"], [.postcard]), (["na_index-4x6_4x6in"], [.photo]),
        (["roll_current_80x1000mm"], [.roll, .receipt]), (["roll_max_610x30480mm"], [.roll]),
        (["om_receipt_80x297mm"], [.roll, .receipt]), (["iso_a1_594x841mm"], [.largeFormat]),
        (["oe_shipping-label_4x6in"], [.label]),
        // Nothing that says what it is for: a printer of pages, as all once were.
        ([], [.general, .document]),
        (["custom_min_50x50mm", "nonsense", "x_1xmm", "_infxnanin"], [.general, .document]),
    ]

    @Test(arguments: media)
    func `media tell the job types else`(media: [String], types: JobTypes) {
        var group = printer(IPPAttribute("color-supported", .boolean(true)))
        if !media.isEmpty { group.append(IPPAttribute("media-supported", keywords: media)) }
        #expect(PrinterDescription(group).jobTypes == types)
    }

    @Test func `formats and device ids tell receipt and label printers`() {
        let escPOS = printer(IPPAttribute("document-format-supported", .mimeMediaTypes(["application/vnd.escpos"])))
        #expect(PrinterDescription(escPOS).jobTypes == [.receipt, .roll])
        let zebra = printer(IPPAttribute("printer-device-id", .text("MFG:Zebra;COMMAND SET:ZPL,EPL;MDL:ZD420;")))
        #expect(PrinterDescription(zebra).jobTypes == [.label])
    }

    @Test func `resolutions are told per inch, whichever unit they come in`() {
        let resolutions: [IPPResolution] = [
            IPPResolution(600, 600), IPPResolution(80, 80, .dotsPerCentimetre), IPPResolution(1200, 600),
            IPPResolution(0, 0), IPPResolution(300, 300, .init(rawValue: 9)),
        ]
        let group = printer(IPPAttribute("printer-resolution-supported", resolutions.map { .resolution($0) }))
        #expect(PrinterDescription(group).resolutions == [203, 600])
    }

    @Test func `a range of sizes that stands among the sizes only gets names`() {
        let size: IPPCollection = [
            IPPAttribute("x-dimension", .rangeOfInteger(IPPRange(5800, 8250))),
            IPPAttribute("y-dimension", .rangeOfInteger(IPPRange(1005, 100_000))),
        ]
        let sizes = IPPAttribute("media-size-supported", .collections([[], size]))
        let names = IPPAttribute("media-supported", keywords: ["iso_a4_210x297mm"])
        #expect(
            PrinterDescription(printer(sizes, names)).media == [
                "iso_a4_210x297mm", "custom_min_58x10.05mm", "custom_max_82.5x1000mm",
            ])
        let said = IPPAttribute("media-supported", keywords: ["custom_min_50x50mm", "custom_max_60x60mm"])
        #expect(PrinterDescription(printer(sizes, said)).media == ["custom_min_50x50mm", "custom_max_60x60mm"])
    }
}
