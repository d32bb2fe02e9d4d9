import KioskPrintModel
import Testing

@testable import KioskPrinterRegistry

@Suite struct ProfilePrintingTests {
    private func read(_ printing: String) -> (profile: PrinterProfile?, problems: [RegistryProblem]) {
        ProfileReader.read(
            Array("name: till\ndescription: d\njob-types: [receipt]\nprinting:\n  source: s\n\(printing)\n".utf8),
            file: "till.yaml", name: "till")
    }

    @Test func `reads what a printer takes and how its paper is`() {
        let (profile, problems) = read(
            """
              language: esc-pos
              dots: 512
              dpi: 180
              paper-width: 80
              font-a: 12x24
              font-b: none
              line-gap: 4
              code-pages: { cp437: 0, windows-1252: 16, iso-8859-15: 40 }
              initial-code-page: cp437
              symbologies: [ean, qrcode]
              cuts: [partial]
              tear-feed: 150
              raster: { method: gs-l, band: 128, buffer: 65536 }
              logo-memory: true
              drawers: 2
              text-only: true
              motion-units: 180
              multi-byte: true
              colors: [black, red]
              buzzer: true
              stored-logos: fs-p
              upside-down: true
            """)
        #expect(problems.isEmpty)
        #expect(
            profile?.printing
                == PrintingSettings(
                    language: .escPOS, dots: 512, dpi: 180, paperWidth: 80, fontB: nil, lineGap: 4,
                    codePages: [.cp437: 0, .windows1252: 16, .iso15: 40], initialCodePage: .cp437,
                    symbologies: [.ean, .qrcode], cuts: [.partial],
                    tearFeed: 150, raster: .init(method: .gsL, band: 128, buffer: 65_536), logoMemory: true, drawers: 2,
                    textOnly: true,
                    motionUnits: 180, multiByte: true, sources: ["s"], colors: [.black, .red], buzzer: true,
                    storedLogos: .fsP, upsideDown: true))
    }

    @Test func `a stored logo's command belongs to its language`() {
        #expect(read("  language: star-line\n  dots: 576\n  stored-logos: esc-fs-p").problems.isEmpty)
        #expect(read("  language: esc-pos\n  dots: 576\n  stored-logos: none").profile?.printing?.storedLogos == nil)
        let base = PrintingSettings(language: .escPOS, dots: 576, storedLogos: .gsL)
        #expect(base.language.logoCommands == [.gsL, .fsP])
    }

    @Test func `reads the labels that a printer holds`() {
        let (profile, problems) = read(
            "  language: tspl\n  dots: 832\n  label: { width: 50, height: 30, gap: 2, darkness: 8, speed: 4 }\n")
        #expect(problems.isEmpty)
        #expect(profile?.printing?.label == .init(width: 50, height: 30, gap: 2, darkness: 8, speed: 4))
        #expect(profile?.printing?.raster.method == nil)
    }

    @Test func `what a profile leaves open has its standard`() {
        #expect(
            read("  language: star-line\n  dots: 576").profile?.printing
                == PrintingSettings(language: .starLine, dots: 576, sources: ["s"]))
        #expect(PrintingSettings(language: .starLine, dots: 576).raster.method == .escStarR)
    }

    @Test(arguments: [
        ("  dots: 576", "printing lacks its language", "language: …"),
        ("  language: esc-pos", "printing lacks its dots", "dots: …"),
        ("  dots: 576\n  language: escpos", "the language is not known: \"escpos\"", "esc-pos"),
        ("  language: zpl\n  dots: 20", "dots is out of range: \"20\"", "dots across the paper, from 64 to 4096"),
        ("  language: zpl\n  dots: 832\n  tear-fed: 80", "printing has no key \"tear-fed\"", "tear-feed"),
        (
            "  language: zpl\n  dots: 832\n  font-a: 12×24", "font-a is not a character cell: \"12×24\"",
            "its width and height in dots, each from 4 to 128, such as 12x24"
        ),
        ("  language: esc-pos\n  dots: 576\n  code-pages: { cp473: 0 }", "there is no code page \"cp473\"", "cp437"),
        (
            "  language: esc-pos\n  dots: 576\n  code-pages: { cp437: 0, cp850: 0 }", "the number 0 belongs to cp437",
            "a number for each page"
        ),
        (
            "  language: esc-pos\n  dots: 576\n  code-pages: { cp437: 256 }", "cp437 is out of range: \"256\"",
            "the page's number, from 0 to 255"
        ),
        (
            "  language: esc-pos\n  dots: 576\n  code-pages: [cp437]", "code-pages must be a mapping, and is a list",
            "{ cp437: 0, cp858: 19 }"
        ),
        (
            "  language: esc-pos\n  dots: 576\n  code-pages: { cp437: 0 }\n  initial-code-page: cp858",
            "the initial code page is none of the code-pages: \"cp858\"", "one of cp437"
        ),
        (
            "  language: esc-pos\n  dots: 576\n  symbologies: [ean, qrcod]",
            "one of the symbologies is not known: \"qrcod\"", "qrcode"
        ),
        ("  language: esc-pos\n  dots: 576\n  cuts: [full, full]", "full appears twice", "it once"),
        (
            "  language: star-line\n  dots: 576\n  raster: { method: gs-v-0 }",
            "the language star-line does not print pictures this way: \"gs-v-0\"", "esc-star-r or columns"
        ),
        (
            "  language: zpl\n  dots: 832\n  raster: { method: gs-v-0 }",
            "the language zpl does not print pictures this way: \"gs-v-0\"", "no method: it has only one"
        ),
        ("  language: zpl\n  dots: 832\n  label: { width: 100 }", "the label lacks its height", "height: millimetres"),
        (
            "  language: star-line\n  dots: 576\n  stored-logos: fs-p",
            "the language star-line does not print stored logos this way: \"fs-p\"", "esc-fs-p"
        ),
        (
            "  language: zpl\n  dots: 832\n  stored-logos: gs-l",
            "the language zpl does not print stored logos this way: \"gs-l\"", "none: it has no such command"
        ),
        ("  language: zpl\n  dots: 832\n  drawers: 3", "drawers is out of range: \"3\"", "drawers, from 0 to 2"),
    ])
    func `says what is wrong and where`(printing: String, message: String, instead: String) {
        let (profile, problems) = read(printing)
        #expect(profile == nil)
        #expect(problems.map(\.message) == [message])
        #expect(problems.map(\.instead) == [instead])
        #expect(
            problems.first?.line
                == (message.contains("lacks its") && !message.contains("label")
                    ? 5 : 5 + printing.split(separator: "\n").count))
    }

    @Test func `what it states it has from somewhere`() {
        let text = "name: till\ndescription: d\njob-types: [receipt]\nprinting:\n  language: zpl\n  dots: 832\n"
        let (profile, problems) = ProfileReader.read(Array(text.utf8), file: "till.yaml", name: "till")
        #expect(profile == nil)
        #expect(
            problems.map(\.description) == [
                "till.yaml:5:3: printing lacks its source; write source: the URL or the title of the manual"
            ])
    }
}
