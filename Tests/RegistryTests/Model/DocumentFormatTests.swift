import KioskPrintModel
import Testing

@Suite struct DocumentFormatTests {
    @Test(arguments: [
        ("text/plain", "text/plain"), ("Text/Plain; charset=utf-8", "text/plain"),
        (" application/pdf ;q=1", "application/pdf"),
        ("application/vnd.cups-raster", "application/vnd.cups-raster"), ("image/svg+xml", "image/svg+xml"),
    ])
    func `reads media types without their parameters`(text: String, type: String) {
        #expect(DocumentFormat(text)?.mimeType == type)
    }

    @Test(arguments: [
        "", "/", "text", "text/", "/plain", "text/plain/x", "te xt/plain", "text/pl ain", "text/plain\n", "text/*",
        "*/*", ".text/plain",
        "text/-plain", "té/plain", "\u{212A}/plain", "text/\u{0}", ";", "text;/plain",
    ])
    func `refuses what is none`(text: String) {
        #expect(DocumentFormat(text) == nil)
    }

    @Test func `bounds its length at 255 octets`() {
        #expect(DocumentFormat("a/" + String(repeating: "b", count: 253)) != nil)
        #expect(DocumentFormat("a/" + String(repeating: "b", count: 254)) == nil)
    }

    @Test(arguments: [
        ("receipt.txt", DocumentFormat.plainText), ("A.PDF", .pdf), ("x.tar.ps", .postScript), ("p.jpeg", .jpeg),
        ("p.jpg", .jpeg),
        ("p.png", .png), ("p.pwg", .pwgRaster), ("p.urf", .appleRaster), ("l.zpl", .zpl), ("raw.bin", .octetStream),
    ])
    func `knows endings of file names`(name: String, format: DocumentFormat) {
        #expect(DocumentFormat(fileName: name) == format)
    }

    @Test(arguments: ["", "receipt", "receipt.", "receipt.docx", "a.pdf/b", ".."])
    func `does not guess from other names`(name: String) {
        #expect(DocumentFormat(fileName: name) == nil)
    }

    @Test(arguments: [
        ("%PDF-1.7\n", DocumentFormat.pdf), ("%!PS-Adobe", .postScript), ("RaS2PwgRaster", .pwgRaster),
        ("UNIRAST\0", .appleRaster),
        ("^XA^FO", .zpl), ("\u{1B}@Hello", .escPOS),
    ])
    func `knows documents by their first bytes`(text: String, format: DocumentFormat) {
        #expect(DocumentFormat(firstBytes: Array(text.utf8)) == format)
    }

    @Test func `knows pictures by their first bytes`() {
        #expect(DocumentFormat(firstBytes: [0xFF, 0xD8, 0xFF, 0xE0] as [UInt8]) == .jpeg)
        #expect(DocumentFormat(firstBytes: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0] as [UInt8]) == .png)
        #expect(DocumentFormat(firstBytes: [0xFF, 0xD8] as [UInt8]) == nil)
        #expect(DocumentFormat(firstBytes: [] as [UInt8]) == nil)
    }

    @Test func `is a string in JSON`() throws {
        #expect(try json(DocumentFormat.plainText) == "\"text\\/plain\"")
        #expect(try value("\"TEXT/PLAIN\"", as: DocumentFormat.self) == .plainText)
        #expect(throws: DecodingError.self) { try value("\"text\"", as: DocumentFormat.self) }
    }

    @Test func `announces raw data where a printer lists nothing better`() {
        let printer = PrinterDescription(formats: [.octetStream, .pdf])
        #expect(printer.announcedFormat(for: .pdf) == .pdf)
        #expect(printer.announcedFormat(for: .escPOS) == .octetStream)
        #expect(printer.announcedFormat(for: .jpeg) == nil)
        #expect(PrinterDescription().announcedFormat(for: .jpeg) == .jpeg)
    }
}
