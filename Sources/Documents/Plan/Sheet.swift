import KioskPrintModel

/// A side of a sheet as its reader sees it: its size in hundredths of a millimetre, its margins, and its dots.
struct Sheet: Hashable, Sendable {
    let width: Int
    let height: Int
    let margins: Medium.Margins
    let dpi: Int

    /// The dots across: rounded down, as CUPS, PAPPL and printers do.
    var widthInDots: Int { max(1, width * dpi / 2540) }
    /// The dots along, rounded down.
    var heightInDots: Int { max(1, height * dpi / 2540) }

    /// The whole side, in points.
    var area: PageRectangle {
        PageRectangle(left: 0, top: 0, right: Self.points(width), bottom: Self.points(height))
    }

    /// What the printer can print on, in points; all of it where the margins leave nothing.
    var printable: PageRectangle {
        guard margins.left + margins.right < width, margins.top + margins.bottom < height else { return area }
        return PageRectangle(
            left: Self.points(margins.left), top: Self.points(margins.top),
            right: Self.points(width - margins.right), bottom: Self.points(height - margins.bottom))
    }

    /// The dots that lie wholly in a rectangle of points; none where it is turned inside out by borders and frames.
    func dots(in rectangle: PageRectangle) -> DotRectangle {
        let left = dot(rectangle.left, .up, within: widthInDots)
        let top = dot(rectangle.top, .up, within: heightInDots)
        return DotRectangle(
            left: left, top: top, right: max(left, dot(rectangle.right, .down, within: widthInDots)),
            bottom: max(top, dot(rectangle.bottom, .down, within: heightInDots)))
    }

    /// A rectangle of dots in points.
    func points(of dots: DotRectangle) -> PageRectangle {
        PageRectangle(
            left: Double(dots.left) / dotsPerPoint, top: Double(dots.top) / dotsPerPoint,
            right: Double(dots.right) / dotsPerPoint, bottom: Double(dots.bottom) / dotsPerPoint)
    }

    /// The edge of a dot near a point of the side. What differs from an edge by less than a thousandth lies on it.
    private func dot(_ points: Double, _ rule: FloatingPointRoundingRule, within count: Int) -> Int {
        let slack = rule == .up ? -0.001 : 0.001
        let edge = (points * dotsPerPoint + slack).rounded(rule)
        return Int(min(max(edge, 0), Double(count)))
    }

    var dotsPerPoint: Double { Double(dpi) / 72 }

    /// Hundredths of a millimetre to points.
    static func points(_ hundredths: Int) -> Double { Double(hundredths) * 72 / 2540 }
}

extension Medium.Margins {
    /// Margins that hold on both sides of a sheet, whichever edge of the back is printed first: so that both sides have
    /// their pages at the same place.
    var ofBothSides: Medium.Margins {
        let (across, along) = (max(left, right), max(top, bottom))
        return Medium.Margins(top: along, left: across, bottom: along, right: across)
    }
}
