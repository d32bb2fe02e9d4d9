import KioskDrawingService
import KioskReceipts
import KioskTestSupport
import Testing

@Suite struct DrawingServiceTests {
    @Test func `draws text, codes and previews`() async throws {
        let service = DrawingService(program: try BuiltProducts.path("kiosk-draw"))
        let text = Drawing(width: 60, height: 24, .text(DrawnText("Größe", cellWidth: 12, cellHeight: 24)))
        let code = Drawing(width: 42, height: 42, .code(DrawnCode(.qrcode, "kiosk", scale: 2)))
        let drawn = try await service.draw([text, code, text])
        #expect(try drawn[text].bytes.contains { $0 != 0 })
        // The finder pattern's corner.
        #expect(try drawn[code][0, 0] && drawn[code][13, 13] && !drawn[code][2, 2])
        #expect(drawn.withoutGlyph.isEmpty)
        let file = try await service.png(of: try drawn[code])
        #expect(file.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        await service.shutDown()
        await #expect(throws: DrawingError.self) {
            try await service.draw([text, code, Drawing(width: 12, height: 24, text.content)])
        }
    }

    @Test func `reports the characters that no font has`() async throws {
        let service = DrawingService(program: try BuiltProducts.path("kiosk-draw"))
        let text = Drawing(width: 24, height: 24, .text(DrawnText("A\u{E000}", cellWidth: 12, cellHeight: 24)))
        #expect(try await service.draw([text]).withoutGlyph == ["\u{E000}"])
        await service.shutDown()
    }

    @Test func `a missing program is an error that says what to do`() async throws {
        let service = DrawingService(program: "/nowhere/kiosk-draw")
        let error = await #expect(throws: DrawingError.self) {
            try await service.draw([
                Drawing(width: 12, height: 24, .text(DrawnText("A", cellWidth: 12, cellHeight: 24)))
            ])
        }
        #expect(error?.code == .cannotStart)
        #expect(error?.message.contains("install it") == true)
        await service.shutDown()
    }
}
