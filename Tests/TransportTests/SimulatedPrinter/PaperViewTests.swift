import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// What a terminal shows of a printed document.
@Suite struct PaperViewTests {
    private func show(
        _ bytes: [UInt8], format: String = "application/vnd.escpos", kind: SimulatedPrinterKind = .receipt
    ) throws -> [String] {
        let folder = try TemporaryFolder()
        let path = try folder.write(bytes, to: "document")
        let count = Int64(bytes.count)
        let document = ReceivedDocument(
            number: 1, jobID: 1, jobName: "", user: "", format: format, path: path, bytes: count, isComplete: true)
        let record = PaperRecord(document: 1, jobID: 1, jobName: "", bytes: count, isComplete: true)
        return PaperView(kind).lines(of: document, record)
    }

    /// The texts between the edges of the paper.
    private func texts(
        _ bytes: [UInt8], format: String = "application/vnd.escpos", kind: SimulatedPrinterKind = .receipt
    ) throws -> [String] {
        try show(bytes, format: format, kind: kind).filter { $0.hasPrefix("  │ ") }
            .map { String($0.dropFirst(4).dropLast(2)) }
    }

    private func bytes(_ parts: [Any]) -> [UInt8] {
        parts.flatMap { part -> [UInt8] in
            if let text = part as? String { return Array(text.utf8) }
            return (part as? Int).map { [UInt8(truncatingIfNeeded: $0)] } ?? []
        }
    }

    @Test func `shows lines in a frame as wide as the paper`() throws {
        let lines = try show(Array("Hello\n".utf8))
        #expect(lines.count == 3)
        #expect(Set(lines.map(\.count)) == [54])
        #expect(lines[1] == "  │ Hello" + String(repeating: " ", count: 43) + " │")
    }

    @Test func `aligns, widens and wraps as the printer does`() throws {
        let receipt = bytes([
            0x1B, "@", 0x1B, "a", 1, "mid\n", 0x1B, "a", 2, "end\n", 0x1B, "a", 0, 0x1D, "!", 0x11, "big\n", 0x1D, "!",
            0, String(repeating: "x", count: 50), "\n",
        ])
        let lines = try texts(receipt).map { String($0.reversed().drop { $0 == " " }.reversed()) }
        #expect(
            lines == [
                String(repeating: " ", count: 22) + "mid", String(repeating: " ", count: 45) + "end", "b i g",
                String(repeating: "x", count: 48), "xx",
            ])
    }

    @Test func `puts codes, images and the drawer as words in their place`() throws {
        let receipt = bytes([
            0x1D, "(k", 7, 0, 49, 80, 48, "abcd", 0x1D, "(k", 3, 0, 49, 81, 48, 0x1D, "k", 73, 3, "123", 0x1D, "k", 4,
            "456", 0, 0x1D, "v0", 0, 2, 0, 3, 0, 0x1B, "@", 0x10, 0x04, 1, 0x1B, 0x1B, "p", 0, 25, 250, "end\n",
        ])
        let lines = try texts(receipt).map { String($0.reversed().drop { $0 == " " }.reversed()) }
        #expect(lines == ["[QR code abcd]", "[barcode 123]", "[barcode 456]", "[image 16 × 3]", "[drawer]", "end"])
    }

    @Test func `a cut begins a new piece of paper`() throws {
        let lines = try show(bytes(["one\n", 0x1D, "V", 66, 0, "two\n", 0x1D, "V", 0]))
        #expect(lines.count { $0.hasPrefix("  ╭") } == 2)
    }

    @Test func `reads code pages where text is not UTF-8`() throws {
        #expect(try texts([0x80, 0x0A])[0].hasPrefix("Ç "))
        #expect(try texts([0x1B, 0x74, 19, 0xD5, 0x0A])[0].hasPrefix("€ "))
        #expect(try texts(Array("€\n".utf8))[0].hasPrefix("€ "))
    }

    @Test func `no control character reaches the terminal`() throws {
        var seed: UInt64 = 42
        let noise = (0..<200_000).map { _ -> UInt8 in
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: seed >> 33)
        }
        for format in [
            "application/vnd.escpos", "text/plain", "application/vnd.zebra-zpl", "application/pdf", "\u{1B}]0;x\u{7}",
        ] {
            for line in try show(noise, format: format) + show(Array("^XA^FD\u{1B}[31m^FS".utf8), format: format) {
                #expect(!line.unicodeScalars.contains { $0.properties.generalCategory == .control })
                #expect(line.count < 300)
            }
        }
        #expect(try show(noise).count < 2000)
    }

    @Test func `a command cut off at the end of the document harms nothing`() throws {
        let receipt = bytes([
            0x1D, "(k", 7, 0, 49, 80, 48, "abcd", 0x1D, "v0", 0, 255, 255, 255, 255, 1, 0x1D, "8L", 255, 255, 255, 255,
        ])
        for count in 0...receipt.count { _ = try show(Array(receipt.prefix(count))) }
    }

    @Test func `names a document that is not text`() throws {
        #expect(
            try texts(Array("%PDF-1.7".utf8), format: "application/pdf", kind: .laser)[0].contains(
                "[application/pdf, 8 bytes]"))
    }
}
