import KioskPrintModel
import Testing

@testable import KioskReceipts

/// Characters that a printer's own font lacks are drawn as glyphs, not as boxes.
@Suite struct ScriptTests {
    static let texts: [(name: String, text: String, isRightToLeft: Bool)] = [
        ("Arabic", "قهوة بالحليب شكرا لكم", true), ("Hebrew", "תודה על הקנייה", true), ("Thai", "ขอบคุณที่ใช้บริการ", false),
        ("Hindi", "धन्यवाद फिर पधारें", false), ("Chinese", "谢谢光临欢迎再来", false), ("Japanese", "ありがとうございました領収書", false),
        ("Korean", "감사합니다 영수증", false), ("Greek", "Ευχαριστούμε", false), ("Russian", "Спасибо за покупку", false),
        ("Vietnamese", "Cảm ơn quý khách", false), ("Polish", "Dziękujemy żółć", false), ("emoji", "😀👍🎉☕🍕🚕🎁", false),
        ("Tamil", "நன்றி", false), ("Georgian", "გმადლობთ", false), ("Armenian", "Շնորհակալություն", false),
        ("Amharic", "አመሰግናለሁ", false),
    ]

    @Test(arguments: texts) func `every script has glyphs`(_ name: String, _ text: String, _ isRightToLeft: Bool) throws
    {
        let line = try DrawnLine(text, isRightToLeft: isRightToLeft)
        #expect(line.withoutGlyph.isEmpty)
        #expect(line.dots.ink > text.count * 15)
    }

    /// Boxes all look alike.
    @Test(arguments: texts) func `letters look different`(_ name: String, _ text: String, _ isRightToLeft: Bool) throws
    {
        let letters = Set(text.filter { $0 != " " })
        let pictures = try Set(letters.map { try DrawnLine(String($0), cells: 2).dots })
        #expect(pictures.count == letters.count)
        #expect(pictures.allSatisfy { $0.ink > 0 })
    }

    @Test(arguments: CodePage.allCases) func `every character of the printers' code pages has a glyph`(
        _ page: CodePage
    ) throws {
        for character in page.upperHalf where character != "?" {
            let line = try DrawnLine(String(character), cells: 2)
            #expect(line.withoutGlyph.isEmpty, "\(page): \(character)")
            #expect(line.dots.ink > 0 || character.isBlank, "\(page): \(character)")
        }
    }

    @Test func `the cell of a character that no font has stays white, and the character is reported`() throws {
        let line = try DrawnLine("a\u{E000}b\u{E000}\u{10FFFD}")
        #expect(line.withoutGlyph == ["\u{E000}", "\u{10FFFD}"])
        #expect(line.dots.columns(12..<24).ink == 0)
        #expect(line.dots.columns(36..<60).ink == 0)
        #expect(line.dots.columns(24..<36) == (try DrawnLine("b").dots))
    }

    @Test func `a keycap is a frame around its digit, of two cells`() throws {
        let keycap = try DrawnLine("a1\u{FE0F}\u{20E3}b")
        #expect(keycap.withoutGlyph.isEmpty)
        #expect(keycap.dots.width == 48)
        #expect(keycap.dots.columns(36..<48) == (try DrawnLine("b").dots))
        let key = keycap.dots.columns(12..<36)
        #expect(key.ink > (try DrawnLine("1").dots.ink) * 2)
        #expect(try DrawnLine("2\u{20E3}").dots != DrawnLine("1\u{20E3}").dots)
    }

    @Test func `control characters and skin tones are not drawn`() throws {
        #expect(try DrawnLine("A\u{7}\u{9}\u{1B}B", cells: 2).dots == DrawnLine("AB").dots)
        #expect(try DrawnLine("👍🏽", cells: 2).dots == DrawnLine("👍").dots)
    }

    @Test(arguments: [false, true]) func `Tesseract reads Latin letters`(_ emphasis: Bool) async throws {
        let line = try DrawnLine("Total 1234.56 Coffee and Cake", emphasis: emphasis)
        #expect(try await Readers.tesseract(line.dots) == "Total 1234.56 Coffee and Cake")
    }
}

extension Character {
    /// Whether the character is a space, a soft hyphen or a direction mark.
    fileprivate var isBlank: Bool {
        unicodeScalars.allSatisfy { $0.properties.isWhitespace || $0.properties.generalCategory == .format }
    }
}
