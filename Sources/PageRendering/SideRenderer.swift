package import KioskPageEncoding
package import KioskRenderingMessages

/// Draws sides of a document, band by band from the top, and gives their rows to the encoder.
package struct SideRenderer {
    private let document: any PagedDocument
    private var encoder: PageEncoder
    private var band: PixelBand?

    /// Encodes pages of an open document.
    package init(_ document: any PagedDocument, encoder: PageEncoder) {
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
        try document.keepPages(Set(side.cells.map(\.page)))
        let isInLinearLight = try document.drawPictures(inLinearLight: header.color == .black1)
        let pictures = try pictures(on: side)
        let stride = PixelBand.stride(width: header.width, isColored: header.color == .rgb24)
        let bands = BandPlan(height: header.height, stride: stride, pictures: pictures).bands
        var halftone: Halftone?
        if header.color == .black1 {
            let regions = pictures.map { Halftone.Region($0, side.pictureHalftone) }
            halftone = Halftone(side.halftone, width: header.width, regions: regions)
        }
        try encoder.beginSide(header, into: &output)
        var pixels = takeBand(header, rows: bands.map(\.count).max() ?? 1)
        var bits: [UInt8] = []
        for band in bands {
            pixels.reset(height: band.count)
            for cell in side.cells where cell.clip.top < band.upperBound && cell.clip.bottom > band.lowerBound {
                try document.page(cell.page).draw(cell, into: &pixels, top: band.lowerBound, smoothing: side.smoothing)
            }
            if pictures.contains(where: { $0.top < band.upperBound && $0.bottom > band.lowerBound }) {
                pixels.whitenNearWhite()
            }
            if isInLinearLight { LinearLight.toTones(&pixels) }
            for frame in side.frames { pixels.draw(frame, top: band.lowerBound) }
            if halftone != nil {
                bits.removeAll(keepingCapacity: true)
                pixels.withRows { halftone?.append($0, rowBytes: stride, into: &bits) }
                try encoder.append(bits.span, rowBytes: header.bytesPerRow, into: &output)
            } else {
                try pixels.withRows { rows throws(PageEncodingError) in
                    try encoder.append(rows, rowBytes: stride, into: &output)
                }
            }
            try flush(&output)
        }
        try encoder.endSide(into: &output)
        try flush(&output)
        // A large picture's band is not kept beside the next page.
        if pixels.stride * pixels.capacity <= BandPlan.smallBand { band = pixels }
    }

    /// The dots that pictures cover, which are drawn in one piece.
    private func pictures(on side: SideDrawing) throws(RenderingRefusal) -> [DotRectangle] {
        var pictures: [DotRectangle] = []
        for cell in side.cells where !cell.clip.isEmpty {
            pictures += try document.page(cell.page).content.pictureRegions(cell)
        }
        return pictures
    }

    /// The band of the last side where it serves this one as well, else a new one.
    private mutating func takeBand(_ header: RasterPage, rows: Int) -> PixelBand {
        let isColored = header.color == .rgb24
        if let known = band.take(), known.width == header.width, known.isColored == isColored, known.capacity >= rows {
            return known
        }
        return PixelBand(width: header.width, height: rows, isColored: isColored)
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
