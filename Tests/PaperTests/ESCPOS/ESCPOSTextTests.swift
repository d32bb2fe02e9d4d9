import Testing

@testable import KioskSimulatedPaper

@Suite struct ESCPOSTextTests {
    @Test(arguments: [
        (UInt8(0), [0x8E, 0xEE] as [UInt8], "Äε"), (19, [0xD5], "€"), (16, [0x80, 0xE4], "€ä"), (17, [0x80], "А"),
        (18, [0xA5], "ą"), (1, [0xB1], "ｱ"), (46, [0xC0], "А"), (36, [0x80], "א"), (21, [0xA1], "ก"),
        (50, [0xC7], "ا"), (47, [0xC1], "Α"),
    ]) func `a code page gives bytes their characters`(_ number: UInt8, _ bytes: [UInt8], _ text: String) throws {
        let paper = try printed(job(.esc, "t", Part([number]), Part(bytes), "\n"))
        #expect(paper.texts == [text])
        #expect(paper.faults.isEmpty)
    }

    @Test func `a code page that isn't there changes nothing, and is reported`() throws {
        let paper = try printed(job(.esc, "t", 19, .esc, "t", 200, [0xD5], "\n"))
        #expect(paper.texts == ["€"])
        #expect(
            paper.faults.map(\.line) == [
                "     3 ! ESC t 200                     no such code page: the one before stays"
            ])
    }

    @Test func `international sets replace twelve characters`() throws {
        #expect(try printed(job(.esc, "R", 2, "[\\]{|}~ A\n")).texts == ["ÄÖÜäöüß A"])
        #expect(try printed(job(.esc, "R", 2, .esc, "R", 0, "[\n")).texts == ["["])
    }

    @Test func `text in UTF-8, where it was chosen`() throws {
        let paper = try printed(job(.fs, "(C", .block(48, 50), "Grüße 中 é\n"))
        #expect(paper.texts == ["Grüße 中 é"])
        #expect(try printed(job(.fs, "(C", .block(48, 50), [0xE4, 0x41], "\n")).texts == ["\u{FFFD}A"])
    }

    @Test func `two-byte characters, where they were chosen`() throws {
        #expect(
            try printed(job(.fs, "&", .fs, "C", 1, [0x93, 0xFA, 0x96, 0x7B], "1", .fs, ".", [0xB1], "\n")).texts == [
                "日本1", "▒",
            ])
        #expect(try printed(job(.fs, "&", .fs, "C", 0, [0x46, 0x7C], "\n")).texts == ["日"])
    }

    @Test func `Shift JIS needs no other mode once it was chosen`() throws {
        let text = job([0x93, 0xFA, 0xB1], "A\n")
        #expect(try printed(job(.esc, "t", 1, .fs, "C", 1) + text).texts == ["日ｱA"])
        #expect(try printed(job(.fs, "C", 1, .fs, ".") + text).texts == ["日▒A"])
        #expect(try printed(job(.fs, "C", 1, .fs, "C", 0) + text).texts == ["ô·▒A"])
        #expect(try printed(text).texts == ["ô·▒A"])
    }

    @Test func `two-byte characters have an underline of their own`() throws {
        let paper = try printed(job(.fs, "C", 1, .fs, "-", 2, [0x93, 0xFA], "A\n")).picture
        #expect((32..<56).allSatisfy { paper[$0, 23] } && !(56..<68).allSatisfy { paper[$0, 23] })
        #expect(try printed(job(.fs, "(A", .block(48, 1))).faults.count == 1)
    }

    @Test func `user-defined characters are drawn as they were defined`() throws {
        // A letter A of three columns: all dots, none, all dots.
        let define = job(
            .esc, "&", 3, "AA", 3, [UInt8](repeating: 0xFF, count: 3).part, [0, 0, 0], [0xFF, 0xFF, 0xFF])
        let paper = try printed(define + job(.esc, "%", 1, "AB\n"))
        #expect(paper.faults.isEmpty)
        #expect(paper.texts == ["\u{FFFC}B"])
        #expect((0..<24).allSatisfy { paper.picture[32, $0] && !paper.picture[33, $0] && paper.picture[34, $0] })
        #expect((35..<44).allSatisfy { x in (0..<24).allSatisfy { !paper.picture[x, $0] } })
        #expect(try printed(define + job(.esc, "%", 1, .gs, "!", 0x11, "A\n")).picture.inkBounds?.x == 32...37)
        let plain = try printed(job("A\n")).picture
        #expect(try printed(define + job("A\n")).picture == plain)
        #expect(try printed(define + job(.esc, "%", 1, .esc, "?", "A", "A\n")).picture == plain)
        #expect(try printed(define + job(.esc, "@", .esc, "%", 1, "A\n")).picture == plain)
        #expect(try printed(define + job(.esc, "M", 1, .esc, "%", 1, "A\n")).texts == ["A"])
        for refused in [
            job(.esc, "&", 2, "AA", 1, 0, 0), job(.esc, "&", 3, "BA"),
            job(.esc, "&", 3, "AA", 13, [UInt8](repeating: 0, count: 39).part),
        ] {
            #expect(try printed(refused).faults.count == 1)
        }
    }

    @Test(arguments: [("A", 12, 24), ("WW", 24, 24)]) func `a character fills a cell`(
        _ text: String, _ width: Int, _ height: Int
    ) throws {
        let paper = try printed(job(.gs, "B", 1, .text(text), "\n"))
        #expect(paper.picture.inkBounds?.x == 32...31 + width)
        #expect(paper.picture.inkBounds?.y == 0...height - 1)
    }

    @Test(arguments: 1...8) func `sizes multiply the cell`(_ size: Int) throws {
        let scale = UInt8((size - 1) << 4 | (size - 1))
        let paper = try printed(job(.gs, "!", Part([scale]), .gs, "B", 1, "x\n"))
        let ink = try #require(paper.picture.inkBounds)
        #expect((ink.x.count, ink.y.count) == (12 * size, 24 * size))
    }

    @Test func `bold is wider by a dot, underlining lies at the foot of the cell`() throws {
        let plain = try #require(try printed(job("l\n")).picture.inkBounds)
        let bold = try #require(try printed(job(.esc, "E", 1, "l\n")).picture.inkBounds)
        #expect(bold.x == plain.x.lowerBound...plain.x.upperBound + 1)
        let underlined = try printed(job(.esc, "-", 2, "l\n")).picture
        #expect((22...23).allSatisfy { y in (32..<44).allSatisfy { underlined[$0, y] } })
    }

    @Test func `fonts A and B have columns of 12 and 9 dots`() throws {
        let a = try printed(job(.gs, "B", 1, .text(String(repeating: "x", count: 48)), "\n"))
        #expect(a.picture.height == 30)
        let b = try printed(job(.esc, "M", 1, .gs, "B", 1, .text(String(repeating: "x", count: 64)), "\n"))
        #expect(b.picture.height == 30)
        #expect(b.picture.inkBounds?.y == 0...16)
        #expect(b.picture.inkBounds?.x == 32...607)
    }

    @Test func `what does not fit goes on the next line`() throws {
        let paper = try printed(job(.gs, "B", 1, .text(String(repeating: "x", count: 49)), "\n"))
        #expect(paper.picture.inkBounds?.y == 0...53)
        #expect(paper.picture[32 + 11, 53] && !paper.picture[32 + 12, 53])
    }

    @Test func `upside down turns the whole line`() throws {
        let plain = try printed(job("Lb\n")).picture
        let turned = try printed(job(.esc, "{", 1, "Lb\n")).picture
        #expect(turned.cropped(width: 640, height: 24) == plain.cropped(width: 640, height: 24).turnedUpsideDown)
    }

    /// Epson, "ESC/POS Application Programming Guide", ESC {: raster graphics are not turned, stored pictures and codes
    /// are, and so is where they stand.
    @Test func `upside down turns codes and stored pictures, and no raster graphics`() throws {
        let rows: Part = [0xF0, 0x80]
        for raster in [
            job(.gs, "v0", 0, [1, 0, 2, 0], rows),
            job(.gs, "(L", .block([48, 112, 48, 1, 1, 49, 8, 0, 2, 0], rows), .gs, "(L", .block([48, 50])),
        ] {
            let turned = try printed(job(.esc, "{", 1) + raster)
            #expect(turned.faults.isEmpty)
            #expect(try turned.picture == printed(raster).picture)
        }
        let logo = job(.gs, "*", 1, 1, [0xFF, 0x80, 0x80, 0, 0, 0, 0, 0], .gs, "/", 0)
        let bars = job(.gs, "h", 40, .gs, "k", 4, "AB", 0)
        for picture in [logo, bars] {
            let plain = try printed(picture).picture
            #expect(try printed(job(.esc, "{", 1) + picture).picture == plain.turnedUpsideDown)
        }
    }

    /// Epson, "TM-T88III series Specification", ESC V and ESC {: what is set on a page counts after it.
    @Test func `neither turns anything on a page`() throws {
        let page = job(.esc, "L", .esc, "W", [0, 0, 0, 0, 200, 0, 60, 0])
        let plain = try printed(page + job("ab", 0x0C))
        let turned = try printed(page + job("a", .esc, "{", 1, .esc, "V", 1, "b", 0x0C))
        #expect(turned.faults.isEmpty)
        #expect(turned.picture == plain.picture)
        let after = try printed(page + job(.esc, "{", 1, 0x0C, "Lb\n"))
        let line = try printed(page + job(0x0C, .esc, "{", 1, "Lb\n"))
        #expect(after.picture == line.picture && !after.picture.isBlank)
    }

    /// Epson, "TM-T88III series Specification", ESC V: sizes enlarge turned characters in the other direction.
    @Test func `a wide turned character is high, and its space is beside it`() throws {
        let wide = try printed(job(.esc, "V", 1, .gs, "!", 0x10, .gs, "B", 1, "x\n"))
        #expect(wide.picture.inkBounds?.x.count == 24)
        #expect(wide.picture.inkBounds?.y.count == 24)
        let high = try printed(job(.esc, "V", 1, .gs, "!", 0x01, .gs, "B", 1, "x\n"))
        #expect(high.picture.inkBounds?.x.count == 48)
        #expect(high.picture.inkBounds?.y.count == 12)
        let spaced = try printed(job(.esc, "V", 1, .esc, " ", 10, .gs, "B", 1, "xx\n"))
        #expect(spaced.picture.inkBounds?.x.count == 2 * (24 + 10))
        #expect(spaced.picture.inkBounds?.y.count == 12)
    }

    @Test func `turned characters lie on their side`() throws {
        let paper = try printed(job(.esc, "V", 1, .gs, "B", 1, "x\n"))
        #expect(paper.picture.inkBounds?.x.count == 24)
        #expect(paper.picture.inkBounds?.y.count == 12)
    }

    @Test func `heights on a line share the baseline`() throws {
        let paper = try printed(job(.gs, "B", 1, .gs, "!", 0x11, " ", .gs, "!", 0, " \n"))
        // Three rows of a cell of font A are below the baseline; six are when it is twice as large.
        #expect((0..<60).last { paper.picture[32, $0] } == 47)
        #expect((0..<60).last { paper.picture[32 + 24, $0] } == 44)
    }

    @Test func `initializing takes everything back, and drops the unfinished line`() throws {
        let paper = try printed(job(.esc, "E", 1, .esc, "a", 1, .esc, "t", 19, "lost", .esc, "@", [0xD5], "\n"))
        #expect(paper.texts == ["lost", "╒"])
        #expect(paper.faults.count == 1)
        #expect(try #require(paper.picture.inkBounds).x.lowerBound < 50)
    }

    @Test func `unknown bytes are listed, and what follows is printed`() throws {
        let paper = try printed(job(.esc, "~", "A", 0x01, 0x02, .gs, 0xF0, "B\n"))
        #expect(paper.texts == ["A", "B"])
        #expect(paper.faults.map(\.line) == ["     0 ! unknown 1B 7E", "     3 ! unknown 01 02 1D F0"])
    }

    @Test func `a dump shows nothing that a terminal would obey`() throws {
        let paper = try printed(job(.esc, "t", 52, [0xCC, 0x41, 0x22, 0x5C], "\n", .esc, "t", 50, [0xFD], "\n"))
        #expect(paper.dump.contains(#""\u{300}A\"\\""#) || paper.dump.contains("\"\u{300}A\\\"\\\\\""))
        #expect(paper.dump.contains(#"\u{200E}"#))
    }
}
