extension LabelPrinter {
    /// EPL2 (Zebra, "EPL2 Programmer's Manual"): a picture by GW, in which 0 is black.
    func epl(_ matrix: DotMatrix, isCut: Bool) -> [EncodedStep] {
        // A line feed ends whatever came before.
        var steps = [EncodedStep("\nN"), EncodedStep("q\(matrix.width)")]
        // A gap of 0 is a roll without labels.
        steps.append(EncodedStep("Q\(labelLength ?? matrix.height),\(labelLength == nil ? 0 : labelGap)"))
        if let speed { steps.append(EncodedStep("S\(speed)")) }
        if let darkness { steps.append(EncodedStep("D\(darkness)")) }
        steps += pictures(matrix) { rows, width in "GW0,\(rows.lowerBound),\(width),\(rows.count)," }
        steps.append(EncodedStep("P1"))
        if isCut { steps.append(EncodedStep("C")) }
        return steps
    }

    /// TSPL (TSC, "TSPL/TSPL2 Programming Language"): a picture by BITMAP, in which 0 is black.
    func tspl(_ matrix: DotMatrix, isCut: Bool) -> [EncodedStep] {
        var steps = [
            "SIZE \(millimetres(matrix.width)) mm,\(millimetres(labelLength ?? matrix.height)) mm",
            "GAP \(millimetres(labelLength == nil ? 0 : labelGap)) mm,0 mm",
            "DIRECTION 0", "REFERENCE 0,0",
        ]
        if let speed { steps.append("SPEED \(speed)") }
        if let darkness { steps.append("DENSITY \(darkness)") }
        if hasCutter { steps.append("SET CUTTER OFF") }
        steps.append("CLS")
        let drawn = pictures(matrix) { rows, width in "BITMAP 0,\(rows.lowerBound),\(width),\(rows.count),0," }
        return steps.map { EncodedStep($0, ending: "\r\n") } + drawn
            + ["PRINT 1,1"].map { EncodedStep($0, ending: "\r\n") }
            + (isCut ? [EncodedStep("CUT", ending: "\r\n")] : [])
    }

    /// With tenths.
    private func millimetres(_ dots: Int) -> String {
        let tenths = (dots * 10 + paper.dotsPerMillimetre - 1) / paper.dotsPerMillimetre
        return tenths.isMultiple(of: 10) ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }

    /// Rows of a band: so many that a printer with little memory takes them.
    private static let bandRows = 256

    private func pictures(_ matrix: DotMatrix, _ head: (Range<Int>, Int) -> String) -> [EncodedStep] {
        RasterBand.bands(of: matrix, most: Self.bandRows, shortestWhite: 8).compactMap { band in
            guard case .rows(let rows, let width) = band else { return nil }
            let text = head(rows, width)
            return EncodedStep(
                Array(text.utf8) + matrix.bytes(of: rows, first: width).map { ~$0 } + Array("\r\n".utf8),
                text + "(\(width * rows.count) bytes)")
        }
    }
}
