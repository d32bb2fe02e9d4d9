import KioskHelperMessages
import KioskPageEncoding
import KioskPrintModel

// The values of `KioskPageEncoding` as fields of messages.

extension MessageReader {
    /// A document's language and settings.
    mutating func document() throws(HelperMessageError) -> RasterDocument {
        var document = RasterDocument(try choice(PageLanguage.self))
        document.sideCount = try number(in: 0...RenderingLimits.sides)
        document.copies = try number(in: 1...RenderingLimits.copies)
        document.isCollated = try flag()
        document.jobName = try optionalText(limit: RenderingLimits.textLength)
        document.usesPJL = try flag()
        document.isEightBitClean = try flag()
        return document
    }

    /// A side's size and header.
    mutating func page() throws(HelperMessageError) -> RasterPage {
        let width = try number(in: 1...RenderingLimits.sideEdge)
        let height = try number(in: 1...RenderingLimits.sideEdge)
        let dpi = try number(in: 1...RenderingLimits.dpi)
        var page = RasterPage(width: width, height: height, dpi: dpi, color: try choice(PageColor.self))
        page.mediaName = try optionalText(limit: RenderingLimits.textLength)
        page.paperWidth = try number(in: 0...Int(Int32.max))
        page.paperHeight = try number(in: 0...Int(Int32.max))
        page.sides = try choice(Ticket.Sides.self)
        page.isBack = try flag()
        page.crossFeedTransform = try flag() ? -1 : 1
        page.feedTransform = try flag() ? -1 : 1
        page.quality = try flag() ? try choice(Ticket.Quality.self) : nil
        page.sideCount = try number(in: 0...RenderingLimits.sides)
        page.imageBox = try flag() ? try rectangle() : nil
        page.mediaSource = try optionalText(limit: RenderingLimits.textLength)
        page.mediaType = try optionalText(limit: RenderingLimits.textLength)
        page.contentOptimize = try optionalText(limit: RenderingLimits.textLength)
        page.renderingIntent = try optionalText(limit: RenderingLimits.textLength)
        page.isCut = try flag()
        page.margins = try flag() ? try margins() : nil
        return page
    }

    /// A rectangle, which may lie outside its side.
    mutating func rectangle() throws(HelperMessageError) -> DotRectangle {
        let edge = -RenderingLimits.sideEdge...RenderingLimits.sideEdge
        let left = try signed(in: edge)
        let top = try signed(in: edge)
        let right = try signed(in: edge)
        return DotRectangle(left: left, top: top, right: right, bottom: try signed(in: edge))
    }

    private mutating func margins() throws(HelperMessageError) -> Medium.Margins {
        let border = 0...Int(Int32.max)
        let top = try number(in: border)
        let left = try number(in: border)
        let bottom = try number(in: border)
        return Medium.Margins(top: top, left: left, bottom: bottom, right: try number(in: border))
    }
}

extension MessageWriter {
    mutating func document(_ document: RasterDocument) {
        choice(document.language)
        number(document.sideCount)
        number(document.copies)
        flag(document.isCollated)
        optionalText(document.jobName)
        flag(document.usesPJL)
        flag(document.isEightBitClean)
    }

    mutating func page(_ page: RasterPage) {
        number(page.width)
        number(page.height)
        number(page.dpi)
        choice(page.color)
        optionalText(page.mediaName)
        number(page.paperWidth)
        number(page.paperHeight)
        choice(page.sides)
        flag(page.isBack)
        flag(page.crossFeedTransform < 0)
        flag(page.feedTransform < 0)
        flag(page.quality != nil)
        if let quality = page.quality { choice(quality) }
        number(page.sideCount)
        flag(page.imageBox != nil)
        if let box = page.imageBox { rectangle(box) }
        optionalText(page.mediaSource)
        optionalText(page.mediaType)
        optionalText(page.contentOptimize)
        optionalText(page.renderingIntent)
        flag(page.isCut)
        flag(page.margins != nil)
        if let margins = page.margins {
            for border in [margins.top, margins.left, margins.bottom, margins.right] { number(border) }
        }
    }

    mutating func rectangle(_ rectangle: DotRectangle) {
        for edge in [rectangle.left, rectangle.top, rectangle.right, rectangle.bottom] { signed(edge) }
    }
}
