import KioskHelperMessages
import KioskPageEncoding
import KioskPrintModel
import KioskRenderingMessages
import KioskTestSupport
import Testing

@Suite struct RenderingMessageTests {
    private static let side: SideDrawing = {
        var header = RasterPage(width: 2480, height: 3507, dpi: 300, color: .rgb24)
        header.mediaName = "iso_a4_210x297mm"
        (header.paperWidth, header.paperHeight) = (21_000, 29_700)
        header.sides = .twoSidedLongEdge
        header.isBack = true
        (header.crossFeedTransform, header.feedTransform) = (-1, -1)
        header.quality = .high
        header.sideCount = 12
        header.imageBox = DotRectangle(left: 1, top: 2, right: 3, bottom: 4)
        (header.mediaSource, header.mediaType) = ("tray-1", "labels")
        (header.contentOptimize, header.renderingIntent) = ("photo", "perceptual")
        header.isCut = true
        header.margins = Medium.Margins(top: 1, left: 2, bottom: 3, right: 4)
        var side = SideDrawing(
            header,
            cells: [
                PageDrawing(
                    page: 7, matrix: PageMatrix(0, -4.1666, 4.1666, 0, -12.5, 1e6),
                    clip: DotRectangle(left: -5, top: 0, right: 900, bottom: 901))
            ],
            frames: [SideDrawing.Frame(DotRectangle(left: 0, top: 0, right: 9, bottom: 9), lineWidth: 3)],
            smoothing: .crisp)
        side.halftone = .clustered
        side.pictureHalftone = .dispersed
        return side
    }()

    private static let document: RasterDocument = {
        var document = RasterDocument(.postScript, sideCount: 3)
        document.copies = 4
        document.isCollated = false
        document.jobName = "Größe"
        document.usesPJL = false
        document.isEightBitClean = false
        return document
    }()

    static let requests: [RenderingRequest] = [
        .prepare, .open(.pdf, password: nil, inspectsPages: false),
        .open(
            .text, password: "geheim", inspectsPages: true,
            paper: TextPaper(width: 100, height: 200, borders: (1, 20, 3, 40))),
        .begin(RasterDocument(.pwgRaster)),
        .begin(document), .side(side),
        .side(SideDrawing(RasterPage(width: 1, height: 1, dpi: 203, color: .black1), cells: [])), .end,
    ]

    static let responses: [RenderingResponse] = [
        .ready(library: nil), .ready(library: "PDFium 8149"),
        .ready(library: "PDFium 8149", built: "2026-11-09"),
        .info(DocumentInfo(pages: [DocumentInfo.PageSize(width: 595.276, height: 841.89)])),
        .info(
            {
                var info = DocumentInfo(pages: [
                    DocumentInfo.PageSize(width: 1, height: 1e6), DocumentInfo.PageSize(width: 3, height: 4),
                ])
                info.hasStatedSizes = false
                info.isLatin1 = true
                info.preferences.actualSize = true
                info.preferences.sides = .twoSidedShortEdge
                info.preferences.copies = 3
                info.largestPicture = 81_000_000
                return info
            }()), .bytes([]), .bytes([1, 2, 3]), .sideEnd, .end, .refused(RenderingRefusal(.password, "encrypted")),
    ]

    private func message(_ frame: [UInt8]) throws -> ArraySlice<UInt8> {
        #expect(try HelperFrame.length(frame.prefix(4), limit: RenderingLimits.response) == frame.count - 4)
        return frame.dropFirst(4)
    }

    @Test(arguments: requests) func `a request reads as it was written`(_ request: RenderingRequest) throws {
        #expect(try RenderingRequest(message(request.frame)) == request)
    }

    @Test(arguments: responses) func `a response reads as it was written`(_ response: RenderingResponse) throws {
        #expect(try RenderingResponse(message(response.frame)) == response)
    }

    @Test func `every truncation and every byte more is refused`() throws {
        for request in Self.requests {
            let message = try message(request.frame)
            for count in 0..<message.count {
                #expect(throws: HelperMessageError.self) { try RenderingRequest(message.prefix(count)) }
            }
            #expect(throws: HelperMessageError.self) { try RenderingRequest(message + [0]) }
        }
        for response in Self.responses {
            // The bytes of a document end where their message ends.
            if case .bytes = response { continue }
            let message = try message(response.frame)
            for count in 0..<message.count {
                #expect(throws: HelperMessageError.self) { try RenderingResponse(message.prefix(count)) }
            }
            #expect(throws: HelperMessageError.self) { try RenderingResponse(message + [0]) }
        }
    }

    @Test func `noise is read or refused, and what is read is within the limits`() throws {
        var random = SeededRandom(11)
        for request in Self.requests {
            let message = Array(try message(request.frame))
            for _ in 0..<500 {
                var broken = message
                broken[Int.random(in: 0..<broken.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                guard let read = try? RenderingRequest(broken) else { continue }
                #expect(try RenderingRequest(self.message(read.frame)) == read)
                if case .side(let side) = read { #expect(side.isWithinLimits) }
            }
        }
        for response in Self.responses {
            let message = Array(try message(response.frame))
            for _ in 0..<500 {
                var broken = message
                broken[Int.random(in: 0..<broken.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                guard let read = try? RenderingResponse(broken) else { continue }
                #expect(try RenderingResponse(self.message(read.frame)) == read)
            }
        }
    }

    private static func changed(_ change: (inout SideDrawing) -> Void) -> SideDrawing {
        var side = side
        change(&side)
        return side
    }

    @Test(arguments: [
        changed {
            $0.header.width = 90_000; $0.header.height = 90_000
        }, changed { $0.header.width = 0 },
        changed { $0.header.height = -1 }, changed { $0.header.width = 1 << 40 }, changed { $0.header.dpi = 0 },
        changed { $0.cells[0].matrix.a = .nan }, changed { $0.cells[0].matrix.e = .infinity },
        changed { $0.cells[0].matrix.f = -1e9 }, changed { $0.cells[0].page = RenderingLimits.pages },
        changed { $0.cells[0].page = -1 }, changed { $0.cells[0].clip.left = .min },
        changed { $0.cells = Array(repeating: $0.cells[0], count: RenderingLimits.cells + 1) },
        changed { $0.frames[0].lineWidth = 0 },
        changed { $0.header.mediaName = String(repeating: "x", count: RenderingLimits.textLength + 1) },
    ])
    func `a side beyond the limits is refused`(_ side: SideDrawing) throws {
        #expect(throws: HelperMessageError.self) { try RenderingRequest(message(RenderingRequest.side(side).frame)) }
    }

    @Test(arguments: [
        DocumentInfo(pages: []),
        DocumentInfo(
            pages: Array(repeating: DocumentInfo.PageSize(width: 9, height: 9), count: RenderingLimits.pages + 1)),
        DocumentInfo(pages: [DocumentInfo.PageSize(width: -1, height: 9)]),
        DocumentInfo(pages: [DocumentInfo.PageSize(width: 9, height: .nan)]),
        DocumentInfo(pages: [DocumentInfo.PageSize(width: 1e7, height: 9)]),
    ])
    func `a document's description beyond the limits is refused`(_ info: DocumentInfo) throws {
        #expect(throws: HelperMessageError.self) {
            try RenderingResponse(message(RenderingResponse.info(info).frame))
        }
    }

    @Test func `a refusal's long message is cut`() throws {
        let long = String(repeating: "ü", count: RenderingLimits.messageLength)
        let response = try RenderingResponse(message(RenderingResponse.refused(RenderingRefusal(.damaged, long)).frame))
        guard case .refused(let refusal) = response else {
            Issue.record("another response")
            return
        }
        #expect(refusal.message == String(repeating: "ü", count: RenderingLimits.messageLength / 2))
    }
}
