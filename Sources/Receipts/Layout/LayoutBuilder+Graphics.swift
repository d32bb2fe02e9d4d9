extension LayoutBuilder {
    /// Where rules, codes and pictures stand: all of the paper, or as much as columns of fixed widths take.
    var area: Range<Int> {
        let columns = paper.columns(of: font)
        let fixed = widths.compactMap { width in
            if case .characters(let count) = width, count > 0 { count } else { nil }
        }
        guard !widths.contains(.share), !fixed.isEmpty else { return 0..<columns }
        let borders = border == .line ? fixed.count + 1 : (fixed.count - 1) * border.width
        let width = min(fixed.reduce(borders, +), columns)
        let start = alignment.part(of: columns - width)
        return start..<start + width
    }

    private var dots: Range<Int> {
        let area = area
        return area.lowerBound * cell.width..<min(area.upperBound * cell.width, paper.dots)
    }

    mutating func add(_ image: ReceiptImage) throws(ReceiptError) {
        let (size, area) = (try image.size(), dots)
        let width = min(size.width, area.count)
        let height = max(size.height * width / max(size.width, 1), 1)
        let left = area.lowerBound + image.alignment.part(of: area.count - width)
        try append(
            .image(PlacedImage(image: image, area: area, left: left, width: width, height: height)), height: height)
    }

    mutating func add(_ code: ReceiptCode) throws(ReceiptError) {
        let checked = try CheckedCode(code)
        // A code that is too wide for columns may have the whole paper.
        for area in [dots, 0..<paper.dots] {
            guard let size = checked.size(code, within: area.count) else { continue }
            let textHeight = code.readable && !code.symbology.isTwoDimensional ? paper.cell(of: .a).height : 0
            let placed = PlacedCode(
                code: code, checked: checked, area: area,
                left: area.lowerBound + code.alignment.part(of: area.count - size.width),
                offset: size.margin, width: size.width, height: size.height, scale: size.scale, columns: size.columns,
                textHeight: textHeight)
            try append(.code(placed), height: size.height + 2 * size.margin + textHeight)
            return
        }
        throw CheckedCode.tooWide
    }
}
