import KioskPrintModel

@testable import KioskDocuments

/// Pages, papers and printers that several tests use.
enum PlanSamples {
    static let a4 = PageSize(width: 595.276, height: 841.89)
    static let a4Landscape = PageSize(width: 841.89, height: 595.276)
    static let letter = PageSize(width: 612, height: 792)
    static let a3 = PageSize(width: 841.89, height: 1190.551)
    static let a5 = PageSize(width: 419.528, height: 595.276)
    static let label4x6 = PageSize(width: 288, height: 432)

    static func page(_ width: Double, _ height: Double) -> PageSize {
        PageSize(width: width * 72 / 25.4, height: height * 72 / 25.4)
    }

    static let officeMargins = Medium.Margins(all: 423)

    static func medium(_ name: String, _ margins: Medium.Margins? = officeMargins, isRoll: Bool = false) -> Medium {
        let size = MediaName(name)
        return Medium(
            name: name, width: size?.width ?? 0, height: size?.height ?? 0, margins: margins,
            isRoll: isRoll || size?.kind == .roll)
    }

    static let a4Medium = medium("iso_a4_210x297mm")
    static let letterMedium = medium("na_letter_8.5x11in")
    static let a3Medium = medium("iso_a3_297x420mm")
    static let a5Medium = medium("iso_a5_148x210mm")
    static let borderlessA4 = medium("iso_a4_210x297mm", Medium.Margins(all: 0))

    /// A roll of this width in millimetres, cut from 25 mm to 1 m.
    static func roll(_ width: Int, margin: Int = 150) -> Medium {
        Medium(
            width: width * 100, height: 2_500, maximumWidth: width * 100, maximumHeight: 100_000,
            margins: Medium.Margins(top: 300, left: margin, bottom: 300, right: margin), isRoll: true)
    }

    static func printer(_ ready: Medium..., supported: [Medium] = [], standard: Medium? = nil) -> PageSupport {
        PageSupport(ready: ready, supported: ready + supported, standard: standard)
    }

    static let bothSides: Set<Ticket.Sides> = Set(Ticket.Sides.allCases)

    static func ticket(_ change: (inout Ticket) -> Void) -> Ticket {
        var ticket = Ticket()
        change(&ticket)
        return ticket
    }

    static func plan(
        _ pages: [PageSize], _ support: PageSupport? = printer(a4Medium),
        settings: PlanSettings = PlanSettings(dpi: 300, sides: bothSides),
        _ change: (inout Ticket) -> Void = { _ in }
    ) throws(PlanProblem) -> DocumentPlan {
        try DocumentPlan(pages: pages, ticket: ticket(change), support: support, settings: settings)
    }
}

extension PlacedPage {
    /// The bounds of the page on its side, in dots.
    func bounds(of page: PageSize) -> PageRectangle {
        let (one, other) = (matrix.point(x: 0, y: 0), matrix.point(x: page.width, y: page.height))
        return PageRectangle(
            left: min(one.x, other.x), top: min(one.y, other.y), right: max(one.x, other.x),
            bottom: max(one.y, other.y))
    }

    /// The scale of the page, 1 where it is as large as it is.
    func scale(dpi: Int) -> Double { matrix.dotsPerPoint * 72 / Double(dpi) }

    /// Where the page's upper edge points: (0, -1) for an upright page.
    var up: [Int] {
        let length = matrix.dotsPerPoint
        return [Int((-matrix.c / length).rounded()), Int((-matrix.d / length).rounded())]
    }
}
