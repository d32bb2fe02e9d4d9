import CKioskPDFium
package import KioskPageEncoding
package import KioskRenderingMessages

/// What the content of a page consists of, as far as it decides how the page is drawn.
package struct PageContent {
    /// The places of its pictures and shadings, in points from the page's top left corner.
    package private(set) var pictures: [Rectangle] = []
    /// Pixels of its largest picture.
    package private(set) var largestPicture = 0
    /// Whether there is more than was looked at, which may be pictures anywhere.
    private var isCut = false

    private let library: cpdfium_library
    private let box: PageBox
    private var objectsLeft = 200_000

    /// The most picture rectangles that are kept; more are a page that consists of them.
    private static let maximumPictures = 4_096
    /// Forms within forms that are looked into.
    private static let maximumDepth = 24

    /// A rectangle of points.
    package struct Rectangle: Hashable, Sendable {
        var left: Double
        var top: Double
        var right: Double
        var bottom: Double
    }

    init(_ page: cpdfium_page, _ library: cpdfium_library) {
        self.library = library
        box = PageBox(page, library)
        for index in 0..<max(library.FPDFPage_CountObjects(page), 0) {
            guard objectsLeft > 0 else { break }
            if let object = library.FPDFPage_GetObject(page, index) { add(object, UserMatrix(), depth: 0) }
        }
        if objectsLeft <= 0 || isCut || pictures.count >= Self.maximumPictures { pictures = [box.page] }
    }

    private mutating func add(_ object: cpdfium_object, _ matrix: UserMatrix, depth: Int) {
        objectsLeft -= 1
        guard objectsLeft > 0 else { return }
        switch Int(library.FPDFPageObj_GetType(object)) {
        case CPDFIUM_IMAGE:
            var (width, height): (UInt32, UInt32) = (0, 0)
            if library.FPDFImageObj_GetImagePixelSize(object, &width, &height) != 0 {
                largestPicture = max(largestPicture, Int(width) * Int(height))
            }
            addPicture(object, matrix)
        case CPDFIUM_SHADING: addPicture(object, matrix)
        case CPDFIUM_FORM:
            guard depth < Self.maximumDepth else {
                isCut = true
                return
            }
            var own = cpdfium_matrix()
            guard library.FPDFPageObj_GetMatrix(object, &own) != 0 else { return }
            let inner = UserMatrix(own).followed(by: matrix)
            for index in 0..<max(library.FPDFFormObj_CountObjects(object), 0) {
                guard objectsLeft > 0 else { return }
                guard let child = library.FPDFFormObj_GetObject(object, UInt(index)) else { continue }
                add(child, inner, depth: depth + 1)
            }
        default: break
        }
    }

    private mutating func addPicture(_ object: cpdfium_object, _ matrix: UserMatrix) {
        guard pictures.count < Self.maximumPictures else { return }
        var (left, bottom, right, top): (Float, Float, Float, Float) = (0, 0, 0, 0)
        guard library.FPDFPageObj_GetBounds(object, &left, &bottom, &right, &top) != 0 else { return }
        pictures.append(
            box.rectangle(matrix, left: Double(left), bottom: Double(bottom), right: Double(right), top: Double(top)))
    }

    /// The dots of a side that pictures cover.
    package func pictureRegions(_ drawing: PageDrawing) -> [DotRectangle] {
        pictures.compactMap { picture in
            let corners = [
                drawing.matrix.dot(x: picture.left, y: picture.top),
                drawing.matrix.dot(x: picture.right, y: picture.top),
                drawing.matrix.dot(x: picture.left, y: picture.bottom),
                drawing.matrix.dot(x: picture.right, y: picture.bottom),
            ]
            let (xs, ys) = (corners.map(\.x), corners.map(\.y))
            guard let left = xs.min(), let right = xs.max(), let top = ys.min(), let bottom = ys.max() else {
                return nil
            }
            let edges = [left.rounded(.down), top.rounded(.down), right.rounded(.up), bottom.rounded(.up)]
                .map { Int(exactly: max(min($0, 1e9), -1e9)) ?? 0 }
            let region = DotRectangle(left: edges[0], top: edges[1], right: edges[2], bottom: edges[3])
                .intersection(drawing.clip)
            return region.isEmpty ? nil : region
        }
    }
}

/// An affine map of a page's user space.
private struct UserMatrix {
    var (a, b, c, d, e, f) = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)

    init() {}

    init(_ matrix: cpdfium_matrix) {
        (a, b, c, d) = (Double(matrix.a), Double(matrix.b), Double(matrix.c), Double(matrix.d))
        (e, f) = (Double(matrix.e), Double(matrix.f))
    }

    func followed(by next: UserMatrix) -> UserMatrix {
        var result = UserMatrix()
        result.a = a * next.a + b * next.c
        result.b = a * next.b + b * next.d
        result.c = c * next.a + d * next.c
        result.d = c * next.b + d * next.d
        result.e = e * next.a + f * next.c + next.e
        result.f = e * next.b + f * next.d + next.f
        return result
    }

    func point(_ x: Double, _ y: Double) -> (x: Double, y: Double) { (a * x + c * y + e, b * x + d * y + f) }
}

/// The place of a page in its user space: its CropBox, and how it is turned.
private struct PageBox {
    private var (left, bottom, right, top) = (0.0, 0.0, 612.0, 792.0)
    private let rotation: Int

    init(_ page: cpdfium_page, _ library: cpdfium_library) {
        var box = cpdfium_rectangle()
        if library.FPDF_GetPageBoundingBox(page, &box) != 0 {
            (left, right) = (Double(min(box.left, box.right)), Double(max(box.left, box.right)))
            (bottom, top) = (Double(min(box.bottom, box.top)), Double(max(box.bottom, box.top)))
        }
        rotation = Int(library.FPDFPage_GetRotation(page))
    }

    /// The whole page in points from its top left corner.
    var page: PageContent.Rectangle {
        let (width, height) = rotation % 2 == 0 ? (right - left, top - bottom) : (top - bottom, right - left)
        return PageContent.Rectangle(left: 0, top: 0, right: width, bottom: height)
    }

    /// What encloses a rectangle of an object, in points from the page's top left corner.
    func rectangle(
        _ matrix: UserMatrix, left: Double, bottom: Double, right: Double, top: Double
    ) -> PageContent.Rectangle {
        let corners = [(left, bottom), (right, bottom), (left, top), (right, top)].map { x, y in
            seen(matrix.point(x, y))
        }
        let (xs, ys) = (corners.map(\.x), corners.map(\.y))
        return PageContent.Rectangle(
            left: xs.min() ?? 0, top: ys.min() ?? 0, right: xs.max() ?? 0, bottom: ys.max() ?? 0)
    }

    /// A point of user space as it is seen (PDF 2.0 §7.7.3.3: Rotate turns clockwise).
    private func seen(_ point: (x: Double, y: Double)) -> (x: Double, y: Double) {
        switch rotation {
        case 1: (point.y - bottom, point.x - left)
        case 2: (right - point.x, point.y - bottom)
        case 3: (top - point.y, right - point.x)
        default: (point.x - left, top - point.y)
        }
    }
}
