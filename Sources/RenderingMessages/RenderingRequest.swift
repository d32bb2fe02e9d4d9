package import KioskHelperMessages
package import KioskPageEncoding

/// A request to `kiosk-render`. Each request and response is sent in a `HelperFrame`. Numbers are unsigned 32-bit
/// integers, most significant byte first; strings are preceded by their length in bytes. The order of requests is:
/// prepare, open, begin, sides, end.
package enum RenderingRequest: Hashable, Sendable {
    /// Does what takes time and needs no document, such as looking for fonts. There is no response.
    case prepare
    /// Opens the document whose descriptor comes with this message, and looks through its pages for a short time if
    /// that is wanted. A text is laid out for the paper. The response is `info`.
    case open(DocumentKind, password: String?, inspectsPages: Bool, paper: TextPaper = TextPaper())
    /// Begins the encoded document. Its bytes come before the first side's.
    case begin(RasterDocument)
    /// Draws a side. The responses are `bytes` and one `sideEnd`.
    case side(SideDrawing)
    /// Ends the encoded document. The responses are `bytes` and `end`.
    case end
}

extension RenderingRequest {
    private enum Kind: UInt8 { case open = 1, begin, side, end, prepare }

    /// Decodes a message without its frame; throws unless the whole message is one request.
    package init(_ message: some Collection<UInt8>) throws(HelperMessageError) {
        var reader = MessageReader(message)
        guard let kind = Kind(rawValue: try reader.byte()) else {
            throw HelperMessageError("a request of an unknown kind")
        }
        switch kind {
        case .open:
            let format = try reader.choice(DocumentKind.self)
            let password = try reader.optionalText(limit: RenderingLimits.textLength)
            let inspectsPages = try reader.flag()
            self = .open(format, password: password, inspectsPages: inspectsPages, paper: try reader.paper())
        case .begin: self = .begin(try reader.document())
        case .side: self = .side(try reader.side())
        case .end: self = .end
        case .prepare: self = .prepare
        }
        try reader.end()
    }

    /// The request in its frame.
    package var frame: [UInt8] {
        HelperFrame.bytes { writer in
            switch self {
            case .open(let format, let password, let inspectsPages, let paper):
                writer.byte(Kind.open.rawValue)
                writer.choice(format)
                writer.optionalText(password)
                writer.flag(inspectsPages)
                for length in [paper.width, paper.height, paper.top, paper.left, paper.bottom, paper.right] {
                    writer.real(length)
                }
            case .begin(let document):
                writer.byte(Kind.begin.rawValue)
                writer.document(document)
            case .side(let side):
                writer.byte(Kind.side.rawValue)
                writer.side(side)
            case .end: writer.byte(Kind.end.rawValue)
            case .prepare: writer.byte(Kind.prepare.rawValue)
            }
        }
    }
}

extension MessageReader {
    fileprivate mutating func paper() throws(HelperMessageError) -> TextPaper {
        let length = 0...RenderingLimits.pageEdge
        var paper = TextPaper()
        paper.width = try real(in: 1...RenderingLimits.pageEdge)
        paper.height = try real(in: 1...RenderingLimits.pageEdge)
        paper.top = try real(in: length)
        paper.left = try real(in: length)
        paper.bottom = try real(in: length)
        paper.right = try real(in: length)
        return paper
    }

    fileprivate mutating func side() throws(HelperMessageError) -> SideDrawing {
        let header = try page()
        var cells: [PageDrawing] = []
        for _ in 0..<(try number(in: 0...RenderingLimits.cells)) {
            let page = try number(in: 0...RenderingLimits.pages - 1)
            let matrix = try matrix()
            cells.append(PageDrawing(page: page, matrix: matrix, clip: try rectangle()))
        }
        var frames: [SideDrawing.Frame] = []
        for _ in 0..<(try number(in: 0...RenderingLimits.cells)) {
            let rectangle = try rectangle()
            frames.append(SideDrawing.Frame(rectangle, lineWidth: try number(in: 1...RenderingLimits.sideEdge)))
        }
        var side = SideDrawing(
            header, cells: cells, frames: frames, smoothing: try choice(SideDrawing.Smoothing.self))
        side.halftone = try choice(Halftone.Method.self)
        side.pictureHalftone = try choice(Halftone.Method.self)
        guard side.isWithinLimits else { throw HelperMessageError("a side of more bytes than the limit") }
        return side
    }

    private mutating func matrix() throws(HelperMessageError) -> PageMatrix {
        let range = -RenderingLimits.coefficient...RenderingLimits.coefficient
        let a = try real(in: range)
        let b = try real(in: range)
        let c = try real(in: range)
        let d = try real(in: range)
        let e = try real(in: range)
        return PageMatrix(a, b, c, d, e, try real(in: range))
    }
}

extension MessageWriter {
    fileprivate mutating func side(_ side: SideDrawing) {
        page(side.header)
        number(side.cells.count)
        for cell in side.cells {
            number(cell.page)
            let matrix = cell.matrix
            for value in [matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f] { real(value) }
            rectangle(cell.clip)
        }
        number(side.frames.count)
        for frame in side.frames {
            rectangle(frame.rectangle)
            number(frame.lineWidth)
        }
        choice(side.smoothing)
        choice(side.halftone)
        choice(side.pictureHalftone)
    }
}
