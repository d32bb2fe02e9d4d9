import PrintModel
import Testing

@Suite struct FormatDetectionTests {
    @Test(arguments: [
        ("Tea 2.50\n", DocumentFormat.plainText), ("Crème brûlée 4,20 €\r\n\t領収書\u{0C}", .plainText),
        ("%PDF-1.7", .pdf),
        ("^XA^FO50,50^XZ", .zpl), ("\u{1B}@Tea", .escPOS), ("Tea\u{1B}E", nil), ("Tea\0", nil), ("", nil),
    ]) func `tells text from signatures and from anything else`(_ text: String, _ format: DocumentFormat?) {
        #expect(DocumentFormat.detected(in: Array(text.utf8)) == format)
    }

    @Test func `a letter cut in two at the end of the looking is still text`() {
        for offset in 0..<4 {
            let bytes = Array(String(repeating: "a", count: 1021 + offset).utf8) + Array("🧾 and more".utf8)
            #expect(DocumentFormat.detected(in: bytes) == .plainText)
        }
    }

    @Test(arguments: [[0xC3], [0x61, 0xFF], [0x61, 0xE2, 0x82], [0xED, 0xA0, 0x80]] as [[UInt8]])
    func `bytes that are no UTF-8 are no text`(_ bytes: [UInt8]) {
        #expect(DocumentFormat.detected(in: bytes) == nil)
    }
}
