import KioskDrawingMessages
import KioskHelperMessages
import KioskReceipts
import KioskTestSupport
import Testing

@Suite struct DrawingMessageTests {
    static let requests: [DrawingRequest] = [
        .draw(
            Drawing(
                width: 60, height: 48,
                .text(
                    DrawnText(
                        "Größe שלום", isRightToLeft: true, emphasis: true, cellWidth: 12, cellHeight: 24, scaleWidth: 3,
                        scaleHeight: 2)))),
        .draw(Drawing(width: 1, height: 1, .text(DrawnText("", cellWidth: 1, cellHeight: 1)))),
        .draw(Drawing(width: 300, height: 200, .picture(DrawnPicture([0x89, 1, 2, 3], dithering: .atkinson)))),
        .draw(
            Drawing(width: 190, height: 60, .code(DrawnCode(.pdf417, "4006381333931", scale: 2, level: .q, columns: 4)))
        ),
        .png(DotMatrix(width: 17, height: 3, bytes: [1, 2, 128, 4, 5, 0, 7, 8, 128])!),
        .png(DotMatrix(width: 0, height: 0)),
    ]

    static let responses: [DrawingResponse] = [
        .dots(DotMatrix(width: 9, height: 1, bytes: [255, 128])!, withoutGlyph: ["😀", "\u{E000}"]),
        .dots(DotMatrix(width: 0, height: 0), withoutGlyph: []),
        .file([1, 2, 3]),
        .refused(DrawingRefusal(.picture, "the PNG image is broken")),
    ]

    private func message(_ frame: [UInt8]) throws -> ArraySlice<UInt8> {
        #expect(try MessageFrame.length(frame.prefix(4)) == frame.count - 4)
        return frame.dropFirst(4)
    }

    @Test(arguments: requests) func `a request reads as it was written`(_ request: DrawingRequest) throws {
        #expect(try DrawingRequest(message(MessageFrame.bytes(request))) == request)
    }

    @Test(arguments: responses) func `a response reads as it was written`(_ response: DrawingResponse) throws {
        #expect(try DrawingResponse(message(MessageFrame.bytes(response))) == response)
    }

    @Test func `every truncation and every byte more is refused`() throws {
        for request in Self.requests {
            let message = try message(MessageFrame.bytes(request))
            for count in 0..<message.count {
                #expect(throws: HelperMessageError.self) { try DrawingRequest(message.prefix(count)) }
            }
            #expect(throws: HelperMessageError.self) { try DrawingRequest(message + [0]) }
        }
        for response in Self.responses {
            let message = try message(MessageFrame.bytes(response))
            for count in 0..<message.count {
                #expect(throws: HelperMessageError.self) { try DrawingResponse(message.prefix(count)) }
            }
            #expect(throws: HelperMessageError.self) { try DrawingResponse(message + [0]) }
        }
    }

    @Test(arguments: [[0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 1], []] as [[UInt8]])
    func `a frame has a length within bounds`(_ header: [UInt8]) {
        #expect(throws: HelperMessageError.self) { try MessageFrame.length(header) }
    }

    @Test func `noise is read or refused`() throws {
        var random = SeededRandom(7)
        for request in Self.requests {
            let message = Array(try message(MessageFrame.bytes(request)))
            for _ in 0..<500 {
                var broken = message
                broken[Int.random(in: 0..<broken.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                guard let read = try? DrawingRequest(broken) else { continue }
                #expect(try DrawingRequest(self.message(MessageFrame.bytes(read))) == read)
            }
        }
    }

    @Test func `what is too large is not taken`() throws {
        let wide = Drawing(width: 80_000, height: 80_000, .text(DrawnText("A", cellWidth: 12, cellHeight: 24)))
        let cell = Drawing(width: 12, height: 24, .text(DrawnText("A", cellWidth: 1200, cellHeight: 24)))
        let file = Drawing(
            width: 12, height: 24, .picture(DrawnPicture([UInt8](repeating: 0, count: ReceiptLimits.imageLength + 1))))
        for drawing in [wide, cell, file] {
            #expect(throws: HelperMessageError.self) {
                try DrawingRequest(message(MessageFrame.bytes(.draw(drawing))))
            }
        }
    }
}
