/// The placement of one page in its clip, in dots.
enum PagePlacement {
    /// The dots for each point of a page: so that its edges lie on those of dots, and no line at its edge is lost. What
    /// is exact but for a single dot stays exact. `extent.height` is 0 where the clip is as high as the page.
    static func dotsPerPoint(
        _ fitting: Fitting, _ extent: (width: Double, height: Double), _ clip: DotRectangle, _ sheet: Sheet
    ) -> Double {
        let across = Double(clip.width) / extent.width
        let along = extent.height > 0 ? Double(clip.height) / extent.height : across
        let scale =
            switch fitting {
            case .exact: sheet.dotsPerPoint
            case .fit: min(across, along)
            case .cover: max(across, along)
            }
        // On paper without a single printable dot, nothing can be seen of the page at any scale.
        let isExact = abs(scale - sheet.dotsPerPoint) * max(extent.width, extent.height) < 1 || scale <= 0
        return isExact ? sheet.dotsPerPoint : scale
    }

    /// A page in the middle of its clip. Its corner lies on a whole dot, so that it is drawn the same wherever it stands.
    static func page(
        _ index: Int, _ page: PageSize, _ turn: Turn, _ fitting: Fitting, in clip: DotRectangle, _ sheet: Sheet
    ) -> PlacedPage {
        let extent = turn.extent(of: page)
        let scale = dotsPerPoint(fitting, extent, clip, sheet)
        let left = Double(clip.left) + (Double(clip.width) - extent.width * scale) / 2
        let top = Double(clip.top) + (Double(clip.height) - extent.height * scale) / 2
        let matrix = turn.matrix(of: page, scale: scale, left: left.rounded(), top: top.rounded())
        return PlacedPage(page: index, matrix: matrix, clip: clip)
    }
}
