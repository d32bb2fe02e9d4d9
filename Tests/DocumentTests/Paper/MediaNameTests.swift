import KioskPrintModel
import Testing

@testable import KioskDocuments

@Suite struct MediaNameTests {
    @Test(arguments: [
        ("iso_a4_210x297mm", 21_000, 29_700), ("na_letter_8.5x11in", 21_590, 27_940),
        ("na_number-10_4.125x9.5in", 10_478, 24_130), ("na_index-4x6_4x6in", 10_160, 15_240),
        ("jpn_hagaki_100x148mm", 10_000, 14_800), ("oe_photo-l_3.5x5in", 8_890, 12_700),
        ("om_small-photo_100x150mm", 10_000, 15_000), ("na_monarch_3.875x7.5in", 9_843, 19_050),
        ("custom_62x100mm_62x100mm", 6_200, 10_000), ("custom_label_101.6x50.8mm", 10_160, 5_080),
        ("iso_a4_210x297mm.borderless", 21_000, 29_700), ("iso_a4_210x297mm_fullbleed", 21_000, 29_700),
        ("roll_current_62x100mm", 6_200, 10_000), ("roll_62mm_62x0mm", 6_200, 0),
    ])
    func `reads the size of a name`(name: String, width: Int, height: Int) throws {
        let read = try #require(MediaName(name))
        #expect(read.width == width && read.height == height)
        #expect(read.bound == nil)
    }

    @Test func `tells rolls, discs, the ends of ranges and suffixes`() throws {
        let roll = try #require(MediaName("roll_max_62x1000mm"))
        #expect(roll.kind == .roll && roll.bound == .maximum && roll.width == 6_200 && roll.height == 100_000)
        let smallest = try #require(MediaName("custom_min_3x5in"))
        #expect(smallest.kind == .sheet && smallest.bound == .minimum && smallest.width == 7_620)
        let disc = try #require(MediaName("disc_standard_40x118mm"))
        #expect(disc.kind == .disc && disc.width == 11_800 && disc.height == 11_800)
        #expect(MediaName("iso_a4_210x297mm.borderless")?.suffix == "borderless")
        #expect(MediaName("iso_a4_210x297mm_tray_2")?.suffix == "tray_2")
        #expect(MediaName("iso_a4_210x297mm")?.suffix == nil)
    }

    @Test(arguments: [
        "", "_", "a4", "letter", "iso_a4", "iso_a4_", "210x297mm", "iso_a4_210x297", "iso_a4_210x297cm",
        "iso_a4_210xmm",
        "iso_a4_x297mm", "iso_a4_0x297mm", "iso_a4_210x0mm", "iso_a4_-210x297mm", "iso_a4_210x297mmm",
        "iso_a4_1e3x297mm",
        "iso_a4_210.x297mm", "iso_a4_.5x297mm", "iso_a4_2.1.0x297mm", "iso_a4_99999999x297mm", "iso_a4_１x297mm",
        "iso_a4_9999999999999999999999x297mm", "choice_iso_a4_210x297mm_na_letter_8.5x11in",
    ])
    func `refuses what has no size`(name: String) {
        #expect(MediaName(name) == nil)
    }

    @Test func `refuses names longer than a keyword`() {
        let name = "custom_" + String(repeating: "a", count: 240) + "_1x1mm"
        #expect(name.utf8.count <= 255 && MediaName(name) != nil)
        #expect(MediaName("custom_" + String(repeating: "a", count: 242) + "_10x10mm") == nil)
    }

    @Test(arguments: [(6_200, 10_000), (21_590, 27_940), (10_160, 5_080), (1, 10_000_000), (105, 1_050)])
    func `a name made of a size is read as that size`(width: Int, height: Int) throws {
        let read = try #require(MediaName(MediaName.custom(width: width, height: height)))
        #expect(read.width == width && read.height == height)
    }

    @Test func `lists of names become sizes and ranges`() {
        let media = Medium.media(named: [
            "iso_a4_210x297mm", "auto", "custom_min_76x127mm", "custom_max_216x356mm", "roll_max_62x1000mm",
            "roll_min_12x25mm", "roll_current_62x100mm",
        ])
        #expect(media.map(\.name) == ["iso_a4_210x297mm", "roll_current_62x100mm", nil, nil])
        #expect(
            media[2] == Medium(width: 7_600, height: 12_700, maximumWidth: 21_600, maximumHeight: 35_600))
        #expect(
            media[3] == Medium(width: 1_200, height: 2_500, maximumWidth: 6_200, maximumHeight: 100_000, isRoll: true))
        // One end alone, or ends in the wrong order, are no range.
        #expect(Medium.media(named: ["custom_min_76x127mm"]).isEmpty)
        #expect(Medium.media(named: ["custom_min_76x127mm", "custom_max_70x356mm"]).isEmpty)
    }
}
