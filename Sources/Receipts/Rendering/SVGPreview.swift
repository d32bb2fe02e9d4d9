import KioskPrintModel

/// Draws a layout as SVG 1.1, with one unit per dot. Letters are in the viewer's font; codes are frames that name their
/// symbology and contain their data as a comment.
package enum SVGPreview {
    package static let mediaType = "image/svg+xml"

    package static func svg(of layout: ReceiptLayout) -> String {
        let (width, height) = (layout.paper.dots, max(layout.height, 1))
        var svg = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
            viewBox="0 0 \(width) \(height)" font-family="monospace">
            <rect width="\(width)" height="\(height)" fill="#fff"/>

            """
        svg += lines(layout.lines, on: layout.paper)
        return svg + "</svg>\n"
    }

    private static func lines(_ lines: [LayoutLine], on paper: ReceiptPaper) -> String {
        var svg = ""
        for line in lines {
            switch line.content {
            case .text(let text): svg += self.text(text, line.top, paper)
            case .code(let code): svg += self.code(code, line.top, paper)
            case .image(let image): svg += self.image(image, line.top)
            case .logo(let logo): svg += logo.image.map { image($0, line.top) } ?? frame(logo, line.top)
            case .cut(let mode): svg += cut(mode, line.top, paper.dots)
            case .turned(let turned):
                // The corner that is the upper left one before they are turned.
                let x = [.quarter, .half].contains(turned.rotation) ? turned.left + turned.width : turned.left
                let y = [.half, .threeQuarters].contains(turned.rotation) ? line.top + turned.height : line.top
                svg += """
                    <g transform="translate(\(x) \(y)) rotate(\(turned.rotation.rawValue))">
                    \(self.lines(turned.lines, on: turned.paper))</g>

                    """
            case .feed, .drawer, .buzzer, .command: break
            }
        }
        return svg
    }

    private static func image(_ image: PlacedImage, _ top: Int) -> String {
        let type = image.image.file.first == 0x89 ? "png" : "jpeg"
        return """
            <image x="\(image.left)" y="\(top)" width="\(image.width)" height="\(image.height)" \
            preserveAspectRatio="none" \
            href="data:image/\(type);base64,\(Base64.encode(image.image.file))"/>

            """
    }

    /// A frame with the logo's name: nobody but the printer has its picture.
    private static func frame(_ logo: PlacedLogo, _ top: Int) -> String {
        """
        <rect x="\(logo.left)" y="\(top)" width="\(logo.width)" height="\(logo.height)" fill="none" stroke="#000"/>
        <text x="\(logo.left + logo.width / 2)" y="\(top + logo.height / 2 + 6)" font-size="16" \
        text-anchor="middle">\(escaped(logo.label))</text>

        """
    }

    private static func cut(_ mode: CutMode, _ top: Int, _ width: Int) -> String {
        let dashes = mode == .full ? "8 4" : mode == .partial ? "4 8" : "1 7"
        return "<path d=\"M0 \(top)H\(width)\" stroke=\"#888\" stroke-width=\"2\" stroke-dasharray=\"\(dashes)\"/>\n"
    }

    private static func text(_ line: TextLine, _ top: Int, _ paper: ReceiptPaper) -> String {
        let cell = paper.cell(of: line.font)
        let bottom = top + line.scale * cell.height
        let ink = line.color == .red ? "#c00" : "#000"
        let colour = line.color == .red ? " fill=\"\(ink)\"" : ""
        var svg = ""
        for stroke in line.strokes {
            svg += self.stroke(stroke, top: top, height: bottom - top, cell, ink: ink)
        }
        for run in line.runs where run.width > 0 {
            let (left, width, height) = (
                run.column * cell.width, run.width * cell.width, run.style.height * cell.height
            )
            if run.style.invert {
                svg +=
                    "<rect x=\"\(left)\" y=\"\(bottom - height)\" width=\"\(width)\" height=\"\(height)\"\(colour)/>\n"
            }
            let fill = run.style.invert ? " fill=\"#fff\"" : colour
            if run.style.underline {
                let thickness = run.style.thickUnderline ? 4 : 2
                svg += """
                    <rect x="\(left)" y="\(bottom - thickness)" width="\(width)" height="\(thickness)"\(fill)/>

                    """
            }
            guard run.text.contains(where: { $0 != " " }) else { continue }
            // Scaled as a whole from the left end of its baseline; text from right to left begins at its right end.
            let start = run.isRightToLeft ? left + width : left
            let baseline = bottom - run.style.height * cell.height / 5
            let attributes =
                (run.isRightToLeft ? " direction=\"rtl\"" : "") + (run.style.emphasis ? " font-weight=\"bold\"" : "")
                + fill
            svg += """
                <text transform="translate(\(start) \(baseline)) scale(\(run.style.width) \(run.style.height))" \
                font-size="\(cell.height * 5 / 6)" textLength="\(width / run.style.width)" \
                lengthAdjust="spacingAndGlyphs" xml:space="preserve"\(attributes)>\
                \(escaped(run.text))</text>

                """
        }
        return svg
    }

    /// One path, with a line from the middle of the cell to its edge for each side of each joint.
    private static func stroke(
        _ stroke: PlacedStroke, top: Int, height: Int, _ cell: ReceiptPaper.Cell, ink: String
    ) -> String {
        var path = ""
        for (offset, joint) in stroke.joints.enumerated() {
            let left = (stroke.column + offset) * cell.width
            let (x, y) = (left + cell.width / 2, top + height / 2)
            if joint.contains(.left) { path += "M\(left) \(y)H\(x)" }
            if joint.contains(.right) { path += "M\(x) \(y)H\(left + cell.width)" }
            if joint.contains(.up) { path += "M\(x) \(top)V\(y)" }
            if joint.contains(.down) { path += "M\(x) \(y)V\(top + height)" }
        }
        guard !path.isEmpty else { return "" }
        guard stroke.style == .double else {
            let style =
                switch stroke.style {
                case .single, .double: " stroke-width=\"2\""
                case .thick: " stroke-width=\"6\""
                case .dashed: " stroke-width=\"2\" stroke-dasharray=\"8 4\""
                case .dotted: " stroke-width=\"2\" stroke-dasharray=\"2 10\""
                }
            return "<path d=\"\(path)\" stroke=\"\(ink)\"\(style) fill=\"none\"/>\n"
        }
        // White within black makes two lines.
        return "<path d=\"\(path)\" stroke=\"\(ink)\" stroke-width=\"6\" fill=\"none\"/>\n"
            + "<path d=\"\(path)\" stroke=\"#fff\" stroke-width=\"2\" fill=\"none\"/>\n"
    }

    private static func code(_ code: PlacedCode, _ top: Int, _ paper: ReceiptPaper) -> String {
        let (y, middle) = (top + code.offset, code.left + code.width / 2)
        var svg = """
            <rect x="\(code.left)" y="\(y)" width="\(code.width)" height="\(code.height)" fill="#ddd" stroke="#000"/>
            <text x="\(middle)" y="\(y + code.height / 2 + 6)" font-size="16" text-anchor="middle">\
            \(code.code.symbology.rawValue)</text>
            <!-- \(comment(code.checked.text)) -->

            """
        if code.textHeight > 0 {
            svg += """
                <text x="\(middle)" y="\(y + code.height + code.textHeight * 4 / 5)" font-size="20" \
                text-anchor="middle">\(escaped(code.checked.readableText))</text>

                """
        }
        return svg
    }

    /// Text in a comment, which must not contain two hyphens in a row.
    private static func comment(_ text: String) -> String {
        escaped(text).split(separator: "-", omittingEmptySubsequences: false).joined(separator: "‐")
    }

    /// Text escaped for XML, which has no control characters, not even escaped.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case _ where scalar.properties.generalCategory == .control || scalar.value & 0xFFFE == 0xFFFE:
                escaped += "·"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
