import KioskPaperPictures
import KioskPrintModel
import Testing

@testable import KioskReceipts
@testable import KioskSimulatedPaper

/// Buzzers in the languages that have a command for them.
@Suite struct BuzzerTests {
    private static let paper = ReceiptPaper(columns: 24)
    private static let receipt = Receipt([
        .buzzer(BuzzerSignal(count: 3, milliseconds: 200)), .text("tea"), .cut(.full), .buzzer(BuzzerSignal()),
    ])

    private static func document(_ settings: PrintingSettings) throws -> ReceiptDocument {
        try ReceiptDocument(receipt, for: ReceiptTarget(settings))
    }

    /// Star Micronics, "Line Thermal/Dot Printer, STAR Line Mode Command Specifications", ESC GS EM DC1 and DC2: times in
    /// units of 20 ms, then the number of repetitions.
    @Test(arguments: [PrintingSettings.Language.starLine, .starPRNT])
    func `Star drives its external buzzer, once`(_ language: PrintingSettings.Language) throws {
        let pages: [KioskPrintModel.CodePage: UInt8] = [.cp437: 1]
        let settings = PrintingSettings(language: language, dots: 576, codePages: pages, buzzer: true)
        let document = try Self.document(settings)
        let bytes = try document.bytes(with: BitmapRenderer.drawn(document.drawings))
        let command: [UInt8] = [0x1B, 0x1D, 0x19, 0x11, 1, 10, 10, 0x1B, 0x1D, 0x19, 0x12, 1, 3, 0]
        #expect(Array(bytes.dropFirst(2).prefix(command.count)) == command)
        #expect(!bytes.dropFirst(2 + command.count).contains(0x19))
        #expect(document.remarks == [])
        var printer = try PaperPrinter(PaperModel())
        let events = printer.print(bytes, as: .star).flatMap(\.events)
        #expect(events.filter(\.isFault).isEmpty)
        #expect(
            events.map(\.line).contains { $0.contains("buzzer 1: 200 ms on, 200 ms off") }
                && events.map(\.line).contains { $0.contains("sound buzzer 1 3 times") })
    }

    /// TSC, "TSPL/TSPL2 Programming Language", SOUND: a level and a time.
    @Test func `TSPL sounds each beep before the first label`() throws {
        let document = try Self.document(PrintingSettings(language: .tspl, dots: 576, buzzer: true))
        let dump = try document.dump(with: BitmapRenderer.drawn(document.drawings)).split(separator: "\n")
        #expect(dump.prefix(3) == ["SOUND 5,200", "SOUND 5,200", "SOUND 5,200"])
        #expect(dump.filter { $0.hasPrefix("SOUND") }.count == 3 && dump[3].hasPrefix("SIZE"))
        #expect(document.remarks == [])
        let bytes = try document.bytes(with: BitmapRenderer.drawn(document.drawings))
        #expect(bytes.starts(with: Array("SOUND 5,200\r\n".utf8)))
    }

    /// ZPL and EPL2 have no command for it, Star's raster mode only one whose conditions are set outside of it.
    @Test(arguments: [PrintingSettings.Language.zpl, .epl2, .raster, .starRaster])
    func `other languages have none, whatever the profile says`(_ language: PrintingSettings.Language) throws {
        let document = try Self.document(PrintingSettings(language: language, dots: 576, buzzer: true))
        #expect(document.remarks == ["the printer has no buzzer: none was sounded"])
        let dump = try document.dump(with: BitmapRenderer.drawn(document.drawings))
        #expect(!dump.contains("SOUND") && !dump.contains("ESC GS EM"))
    }

    @Test(arguments: [PrintingSettings.Language.starLine, .tspl])
    func `a profile without a buzzer sounds none`(_ language: PrintingSettings.Language) throws {
        let document = try Self.document(PrintingSettings(language: language, dots: 576))
        #expect(document.remarks == ["the printer has no buzzer: none was sounded"])
    }
}
