package import KioskPageEncoding
package import KioskRenderingMessages

/// Draws sides of a document, band by band from the top, and gives their rows to the encoder.
package struct SideRenderer {
    private let document: PDFDocument
    private var encoder: PageEncoder
    private var band: PixelBand?

    /// Bytes of a band where pages have text and paths only: so much stays in a processor's cache.
    private static let smallBand = 5 << 19
    /// Bytes of a band where pages have pictures: nearly always the whole side.
    private static let largeBand = 64 << 20

    /// Encodes pages of an open PDF.
    package init(_ document: PDFDocument, encoder: PageEncoder) {
        self.document = document
        self.encoder = encoder
    }

    /// Begins the encoded document.
    package mutating func begin(into output: inout [UInt8]) { encoder.begin(into: &output) }

    /// Ends the encoded document.
    package mutating func end(into output: inout [UInt8]) throws(PageEncodingError) { try encoder.end(into: &output) }

    /// Draws a side. `flush` is called after each band with what has been encoded, and takes it away.
    package mutating func draw(
        _ side: SideDrawing, into output: inout [UInt8], flush: (inout [UInt8]) throws -> Void
    ) throws {
        let header = side.header
        document.closePages(besides: Set(side.cells.map(\.page)))
        let isColored = header.color == .rgb24
        let plan = try bands(of: side, stride: PixelBand.stride(width: header.width, isColored: isColored))
        var halftone =
            header.color == .black1
            ? Halftone(side.halftone, width: header.width, regions: plan.regions(side.pictureHalftone)) : nil
        try encoder.beginSide(header, into: &output)
        var bits: [UInt8] = []
        // The band of the last side serves this one as well.
        var pixels = band.take()
        if pixels?.width != header.width || pixels?.isColored != isColored || plan.rows > (pixels?.capacity ?? 0) {
            pixels = PixelBand(width: header.width, height: min(plan.rows, header.height), isColored: isColored)
        }
        guard var pixels else { return }
        for top in stride(from: 0, to: header.height, by: plan.rows) {
            pixels.reset(height: min(plan.rows, header.height - top))
            for cell in side.cells {
                guard cell.clip.top < top + pixels.height, cell.clip.bottom > top else { continue }
                try document.page(cell.page).draw(cell, into: &pixels, top: top, smoothing: side.smoothing)
            }
            for frame in side.frames { pixels.draw(frame, top: top) }
            if halftone != nil {
                bits.removeAll(keepingCapacity: true)
                pixels.withRows { halftone?.append($0, rowBytes: pixels.stride, into: &bits) }
                try encoder.append(bits.span, rowBytes: header.bytesPerRow, into: &output)
            } else {
                try pixels.withRows { rows throws(PageEncodingError) in
                    try encoder.append(rows, rowBytes: pixels.stride, into: &output)
                }
            }
            try flush(&output)
        }
        try encoder.endSide(into: &output)
        try flush(&output)
        // A whole side of pictures is not kept beside the next page's.
        band = pixels.stride * pixels.capacity <= Self.smallBand ? pixels : nil
    }

    /// How a side is cut into bands: by its pages and their content alone, so that it always gets the same bytes.
    private struct BandPlan {
        var rows: Int
        var pictures: [DotRectangle] = []

        func regions(_ method: Halftone.Method) -> [Halftone.Region] { pictures.map { Halftone.Region($0, method) } }
    }

    private func bands(of side: SideDrawing, stride: Int) throws(RenderingRefusal) -> BandPlan {
        var plan = BandPlan(rows: 0)
        var hasPictures = false
        for cell in side.cells where !cell.clip.isEmpty {
            let content = try document.page(cell.page).content
            hasPictures = hasPictures || content.hasPictures
            if side.header.color == .black1 { plan.pictures += content.pictureRegions(cell) }
        }
        plan.rows = min(max((hasPictures ? Self.largeBand : Self.smallBand) / stride, 16), side.header.height)
        return plan
    }
}

extension PixelBand {
    /// The part of a border that lies in this band, whose first row is `top`.
    fileprivate mutating func draw(_ frame: SideDrawing.Frame, top: Int) {
        let outer = frame.rectangle
        let width = min(frame.lineWidth, max(outer.width, outer.height))
        let lines = [
            DotRectangle(left: outer.left, top: outer.top, right: outer.right, bottom: outer.top + width),
            DotRectangle(left: outer.left, top: outer.bottom - width, right: outer.right, bottom: outer.bottom),
            DotRectangle(left: outer.left, top: outer.top, right: outer.left + width, bottom: outer.bottom),
            DotRectangle(left: outer.right - width, top: outer.top, right: outer.right, bottom: outer.bottom),
        ]
        for line in lines {
            var part = line.intersection(outer)
            part.top -= top
            part.bottom -= top
            blacken(part)
        }
    }
}
