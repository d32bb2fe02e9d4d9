import KioskPageEncoding
import KioskRenderingMessages
import KioskTestSupport
import Testing

@testable import KioskRenderingService

/// Text files as pages.
@Suite(.enabled(if: Renderer.isComplete)) struct TextDocumentTests {
    /// 4 × 3 inches, half an inch of margin: 36 columns of 6 points, 12 rows of 12.
    private static let paper: TextPaper = {
        var paper = TextPaper(width: 288, height: 216)
        (paper.top, paper.left, paper.bottom, paper.right) = (36, 36, 36, 36)
        return paper
    }()

    private func info(_ file: [UInt8], on paper: TextPaper = paper) async throws -> DocumentInfo {
        let service = try Renderer.service()
        let session = try await service.open(.bytes(file), as: .text, paper: paper)
        await service.shutDown()
        return session.info
    }

    /// A page of the text at 144 dpi.
    private func draw(_ text: String, page: Int = 0, color: PageColor = .gray8) async throws -> DrawnSide {
        let side = SideDrawing.page(page, width: 576, height: 432, scale: 2, color: color)
        return try await Renderer.draw(Array(text.utf8), as: .text, side, paper: Self.paper)
    }

    /// The columns and rows of cells that have something dark.
    private func cells(of drawn: DrawnSide) -> Set<[Int]> {
        var cells: Set<[Int]> = []
        for (place, grey) in drawn.greys.enumerated() where grey < 128 {
            let (x, y) = (place % drawn.width - 72, place / drawn.width - 72)
            cells.insert([Int((Double(x) / 12).rounded(.down)), Int((Double(y) / 24).rounded(.down))])
        }
        return cells
    }

    @Test func `characters stand in their cells`() async throws {
        let drawn = try await draw("H M\n\tx\n\n中文e")
        #expect(
            cells(of: drawn) == [[0, 0], [2, 0], [8, 1], [0, 3], [1, 3], [2, 3], [3, 3], [4, 3]])
        // Capitals of ten points are 7.1 high, and stand on a baseline at four fifths of the line.
        let letter = try #require(try await draw("H").darkBox)
        #expect(abs(letter.bottom - (72 + 19)) <= 1 && abs(letter.height - 14) <= 1, "\(letter)")
    }

    @Test func `a line of the paper's width fills it, and the next character begins a row`() async throws {
        let drawn = try await draw(String(repeating: "M", count: 37))
        let expected = (0..<36).map { [$0, 0] } + [[0, 1]]
        #expect(cells(of: drawn) == Set(expected))
    }

    @Test func `rows and form feeds make pages`() async throws {
        let info = try await info(Array(String(repeating: "a\n", count: 25).utf8) + Array("\u{0C}b".utf8))
        #expect(
            info.pages == [DocumentInfo.PageSize](repeating: DocumentInfo.PageSize(width: 288, height: 216), count: 4))
        #expect(info.hasStatedSizes && !info.isLatin1)
        let last = try await draw(String(repeating: "a\n", count: 25) + "\u{0C}\nM", page: 3)
        #expect(cells(of: last) == [[0, 1]])
    }

    @Test func `right-to-left text begins at the right end`() async throws {
        let drawn = cells(of: try await draw("שלום"))
        #expect(drawn == [[32, 0], [33, 0], [34, 0], [35, 0]])
        // Arabic letters join, within their cells.
        let arabic = cells(of: try await draw("مرحبا"))
        #expect(arabic.allSatisfy { (31...35).contains($0[0]) } && !arabic.isEmpty)
    }

    @Test func `one-bit heads get letters without grey`() async throws {
        let drawn = try await draw("Hello", color: .black1)
        #expect(cells(of: drawn) == Set((0..<5).map { [$0, 0] }))
        #expect((150...400).contains(drawn.darkCount), "\(drawn.darkCount)")
    }

    @Test func `Latin-1 is told`() async throws {
        #expect(try await info([0xFC, 0x0A]).isLatin1)
    }

    @Test func `narrow paper has narrow margins`() throws {
        let roll = TextPaper(width: 80 * 72 / 25.4, height: 800, borders: (0, 30, 0, 0))
        #expect(abs(roll.top - 8 * 72 / 25.4) < 0.01 && roll.left == 30)
        #expect(TextPaper().left == TextPaper.usualMargin)
    }

    @Test func `what has no end or no room is refused`() async throws {
        let service = try Renderer.service()
        let lines = [UInt8](repeating: 0x0A, count: 100_001)
        let large = [UInt8](repeating: 0x61, count: 16 << 20 + 1)
        let feeds = [UInt8](repeating: 0x0C, count: 16 << 20)
        var narrow = Self.paper
        narrow.width = 80
        for (file, paper, code) in [
            ([], Self.paper, RenderingError.Code.damaged), (lines, Self.paper, .tooLarge),
            (large, Self.paper, .tooLarge),
            (feeds + [0x61], Self.paper, .tooLarge), ([0x61], narrow, .unsupported),
        ] {
            let failure = await #expect(throws: RenderingError.self) {
                try await service.open(.bytes(file), as: .text, paper: paper)
            }
            #expect(failure?.code == code, "\(failure?.message ?? "")")
        }
        await service.shutDown()
    }

    @Test func `any bytes are drawn`() async throws {
        var random = SeededRandom(3)
        let service = try Renderer.service()
        for _ in 0..<20 {
            let file = (0..<600).map { _ in UInt8.random(in: 0...255, using: &random) }
            // Half of them as UTF-8 of any scalars.
            let scalars = (0..<300).compactMap { _ in Unicode.Scalar(UInt32.random(in: 9...0x2FFFF, using: &random)) }
            let text = Array(String(String.UnicodeScalarView(scalars)).utf8)
            for bytes in [file, text] {
                let session = try await service.open(.bytes(bytes), as: .text, paper: Self.paper)
                for try await _ in session.render(
                    RasterDocument(.dots), sides: 1, side: { _ in .page(width: 288, height: 216) })
                {}
            }
        }
        await service.shutDown()
    }
}
