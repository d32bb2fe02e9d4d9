import Glibc
import KioskPrintModel
import Testing

@testable import KioskReceipts

/// Characters and their bytes in the printers' tables.
@Suite struct CodePageTests {
    @Test(
        arguments: [
            (CodePage.cp858, "€", [0xD5]), (.windows1252, "€", [0x80]), (.cp437, "é", [0x82]),
            (.cp437, "e\u{301}", [0x82]), (.cp850, "ı", [0xD5]), (.cp852, "ł", [0x88]), (.cp866, "Я", [0x9F]),
            (.cp866, "ё", [0xF1]), (.cp437, "│", [0xB3]), (.windows1252, "–", [0x96]), (.katakana, "ｱ", [0xB1]),
            (.katakana, "ｺﾞ", [0xBA, 0xDE]), (.katakana, "┼", [0x8F]),
            (.cp437, "A", [0x41]), (.cp866, "\u{A0}", [0x20]),
        ] as [(CodePage, Character, [UInt8])])
    func `has`(_ page: CodePage, _ character: Character, _ bytes: [UInt8]) {
        #expect(page.bytes(of: character) == bytes)
    }

    @Test(
        arguments: [
            (CodePage.cp437, "€"), (.cp850, "€"), (.cp866, "é"), (.windows1252, "│"), (.katakana, "円"),
            (.katakana, "é"), (.cp437, "日"), (.cp437, "x\u{323}"), (.cp437, "\u{7}"), (.windows1252, "\u{FFFD}"),
        ] as [(CodePage, Character)])
    func `lacks`(_ page: CodePage, _ character: Character) { #expect(page.bytes(of: character) == nil) }

    @Test(arguments: CodePage.allCases) func `has 128 places, no character twice, and the lower half in common`(
        _ page: CodePage
    ) {
        let characters = page.upperHalf.unicodeScalars.filter { $0 != "?" }
        #expect(page.upperHalf.unicodeScalars.count == 128)
        #expect(Set(characters).count == characters.count)
        for byte in UInt8(0x20)..<0x7F { #expect(page.bytes(of: Character(Unicode.Scalar(byte))) == [byte]) }
    }

}

/// The choice of code pages for a string.
@Suite struct CodePagePlanTests {
    private static func plan(_ text: String, _ pages: [CodePage], _ current: CodePage?) throws -> String {
        let characters = Array(text)
        var (plan, shown) = (try CodePagePlan(characters, pages: pages, current: current), "")
        for (index, character) in characters.enumerated() {
            if let page = plan.page(at: index) { shown += "[\(page.name)]" }
            shown.append(character)
        }
        return shown
    }

    private static let usual: [CodePage] = [.cp437, .cp858, .cp850, .windows1252, .cp852, .cp866, .katakana]

    @Test(arguments: [
        ("abc", "abc"), ("café", "café"), ("café €", "café [CP858]€"), ("€ é ł", "[CP858]€ é [CP852]ł"),
        ("é € é Я é", "é [CP858]€ é [CP866]Я [CP437]é"),
        // The page that goes furthest, not the first that has the character.
        ("Ð“x”", "[Windows-1252]Ð“x”"), ("€“”", "[Windows-1252]€“”"), ("│€│", "│[CP858]€│"), ("ﾄ│", "[Katakana]ﾄ│"),
    ])
    func `switches seldom`(_ text: String, _ expected: String) throws {
        #expect(try Self.plan(text, Self.usual, .cp437) == expected)
    }

    @Test(
        arguments: [
            ("€ é ł", "[Windows-1250]€ é ł"), ("Καφές €", "[Windows-1253]Καφές €"), ("שלום", "[Windows-1255]שלום"),
            ("กาแฟ", "[CP874]กาแฟ"), ("нำ", nil), ("นำ", "[CP874]นำ"), ("น้ำ", nil),
            // A mark has no cell of its own, and Arabic no page.
            ("ché\u{323}", nil), ("قهوة", nil), ("\u{2126}", "\u{2126}"),
        ] as [(String, String?)])
    func `all pages that printers have`(_ text: String, _ expected: String?) {
        #expect((try? Self.plan(text, CodePage.allCases, .cp437)) == expected)
    }

    @Test func `Cyrillic is in CP866 where that does as well`() throws {
        let pages: [CodePage] = [.cp437, .windows1251, .cp866]
        #expect(try Self.plan("Привет é", pages, .cp437) == "[CP866]Привет [CP437]é")
        #expect(try Self.plan("Привет €", pages, .cp437) == "[Windows-1251]Привет €")
    }

    @Test func `begins with a page where none is known to be on`() throws {
        #expect(try Self.plan("ab", CodePage.allCases, nil) == "[CP437]ab")
        #expect(try Self.plan("a€", CodePage.allCases, nil) == "[CP858]a€")
    }

    @Test func `what no page has is an error that names it`() {
        let error = #expect(throws: ReceiptError.self) { try Self.plan("a日", CodePage.allCases, .cp437) }
        #expect(error?.code == .unprintable)
        #expect(error?.message.contains("\"日\" (U+65E5)") == true)
    }
}

/// The tables, compared with the C library's.
@Suite struct CodePageIconvTests {
    @Test(arguments: CodePage.allCases.filter { $0 != .katakana }) func `a page has what iconv has in it`(
        _ page: CodePage
    ) throws {
        let name = page.rawValue.hasPrefix("windows-") ? "CP" + page.rawValue.dropFirst(8) : page.rawValue.uppercased()
        let descriptor = try #require(iconv_open("UTF-32LE", name))
        try #require(descriptor != iconv_t(bitPattern: -1), "the C library has no \(name)")
        defer { iconv_close(descriptor) }
        let places = Array(page.upperHalf.unicodeScalars)
        try #require(places.count == 128)
        for (index, place) in places.enumerated() {
            #expect(place == Self.scalar(UInt8(0x80 + index), descriptor) ?? "?", "at \(0x80 + index)")
        }
    }

    /// Nil where a byte has no character, or a control character.
    private static func scalar(_ byte: UInt8, _ descriptor: iconv_t) -> Unicode.Scalar? {
        // A character that may still combine comes out with the next call.
        iconv(descriptor, nil, nil, nil, nil)
        var (input, output) = ([CChar(bitPattern: byte)], [CChar](repeating: 0, count: 8))
        var left = (input: 1, output: output.count)
        let failed = input.withUnsafeMutableBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                var (from, to) = (source.baseAddress, target.baseAddress)
                let result = iconv(descriptor, &from, &left.input, &to, &left.output)
                return result != 0 || iconv(descriptor, nil, nil, &to, &left.output) != 0
            }
        }
        guard !failed, left.output == 4 else { return nil }
        let scalar = Unicode.Scalar(
            output.prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32(UInt8(bitPattern: $1)) })
        return scalar?.properties.generalCategory == .control ? nil : scalar
    }
}
