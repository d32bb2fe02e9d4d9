package import KioskPageEncoding

/// The affine map from a page's points to the dots of a side: x' = ax + cy + e, y' = bx + dy + f. The origin of both is
/// at the top left, and y grows downwards. A page's points are those after its CropBox and its Rotate.
package struct PageMatrix: Hashable, Sendable {
    package var a: Double
    package var b: Double
    package var c: Double
    package var d: Double
    package var e: Double
    package var f: Double

    /// Creates a matrix.
    package init(_ a: Double, _ b: Double, _ c: Double, _ d: Double, _ e: Double, _ f: Double) {
        (self.a, self.b, self.c, self.d, self.e, self.f) = (a, b, c, d, e, f)
    }

    /// The dot of a point.
    package func dot(x: Double, y: Double) -> (x: Double, y: Double) { (a * x + c * y + e, b * x + d * y + f) }
}

/// One page in one cell of a side.
package struct PageDrawing: Hashable, Sendable {
    /// The page's index in the document, from 0.
    package var page: Int
    /// Where its points are.
    package var matrix: PageMatrix
    /// The cell. Nothing is drawn outside.
    package var clip: DotRectangle

    /// Creates a drawing.
    package init(page: Int, matrix: PageMatrix, clip: DotRectangle) {
        self.page = page
        self.matrix = matrix
        self.clip = clip
    }
}

/// One side of a sheet: the pages that are drawn on it, and how.
package struct SideDrawing: Hashable, Sendable {
    /// The size of its pixels, and what its header says.
    package var header: RasterPage
    /// The pages. A later one covers an earlier one.
    package var cells: [PageDrawing]
    /// The borders of cells, drawn in black last.
    package var frames: [Frame]
    /// How text and paths are drawn.
    package var smoothing: Smoothing
    /// How grey becomes the dots of a one-bit side.
    package var halftone: Halftone.Method
    /// How the grey of pictures becomes the dots of a one-bit side.
    package var pictureHalftone: Halftone.Method

    /// The ways to draw edges.
    package enum Smoothing: UInt8, Hashable, Sendable, CaseIterable {
        /// In shades of grey.
        case smooth
        /// In black and white, for heads with one bit for each dot.
        case crisp
    }

    /// A border: lines of this width inside the rectangle's edges.
    package struct Frame: Hashable, Sendable {
        package var rectangle: DotRectangle
        /// The width of its lines in dots.
        package var lineWidth: Int

        /// Creates a border.
        package init(_ rectangle: DotRectangle, lineWidth: Int) {
            self.rectangle = rectangle
            self.lineWidth = lineWidth
        }
    }

    /// Creates a side; without other choices one-bit sides are crisp, with diffused pictures, and others are smooth.
    package init(_ header: RasterPage, cells: [PageDrawing], frames: [Frame] = [], smoothing: Smoothing? = nil) {
        self.header = header
        self.cells = cells
        self.frames = frames
        self.smoothing = smoothing ?? (header.color == .black1 ? .crisp : .smooth)
        halftone = .threshold
        pictureHalftone = .diffusion
    }

    /// Whether its rows are within `RenderingLimits`.
    package var isWithinLimits: Bool {
        let (bytes, overflow) = header.bytesPerRow.multipliedReportingOverflow(by: header.height)
        return (1...RenderingLimits.sideEdge).contains(header.width)
            && (1...RenderingLimits.sideEdge).contains(header.height) && !overflow
            && bytes <= RenderingLimits.sideBytes
    }
}
