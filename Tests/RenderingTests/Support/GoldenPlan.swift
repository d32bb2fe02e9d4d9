import Foundation
import KioskDocuments
import KioskPageEncoding
import KioskPrintModel
import KioskTestSupport
import Testing

/// A row of `Golden/plans/plans.txt`: what is printed on which paper, and the plan that people reviewed.
struct GoldenPlan: Sendable, CustomTestStringConvertible {
    /// Its first line: "a4 ×2 on A4, scaling=fit, number-up=1, two-sided-long-edge, back=rotated".
    let title: String
    private(set) var sides: [Side] = []

    struct Side: Sendable {
        var isBack: Bool
        var width: Int
        var height: Int
        var cells: [Cell] = []
        var frames: [[Int]] = []
    }

    struct Cell: Sendable {
        /// From 1.
        var page: Int
        var percent: Double
        /// Where the page's upper edge points: above, below, left, right.
        var up: String
        /// With two decimal places.
        var matrix: [Double]
        /// Left, top, right, bottom.
        var clip: [Int]
    }

    var testDescription: String { title }

    // MARK: Reading the table

    static let all: [GoldenPlan] = {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Golden/plans/plans.txt")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        var plans: [GoldenPlan] = []
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            if line.hasPrefix("    ") {
                plans[plans.count - 1].read(line)
            } else {
                plans.append(GoldenPlan(title: String(line)))
            }
        }
        return plans
    }()

    static func row(_ title: String) throws -> GoldenPlan {
        try #require(all.first { $0.title == title }, "there is no row \"\(title)\"")
    }

    private mutating func read(_ line: Substring) {
        let words = line.split(separator: " ").map(String.init)
        let numbers = line.matches(of: /-?[0-9]+(\.[0-9]+)?/).compactMap { Double($0.output.0) }
        switch words[0] {
        case "front", "back":
            sides.append(Side(isBack: words[0] == "back", width: Int(numbers[0]), height: Int(numbers[1])))
        case "frame": sides[sides.count - 1].frames.append(numbers.prefix(4).map { Int($0) })
        case "remark:": break
        default:
            sides[sides.count - 1].cells.append(
                Cell(
                    page: Int(numbers[0]), percent: numbers[1], up: String(words[2].dropFirst(3)),
                    matrix: Array(numbers[2..<8]), clip: numbers[8..<12].map { Int($0) }))
        }
    }

    // MARK: What the first line says

    private static let pages: [String: (Double, Double)] = [
        "a4": (595.276, 841.89), "a4-wide": (841.89, 595.276), "letter": (612, 792), "a3": (841.89, 1190.551),
        "a5": (419.528, 595.276), "4x6in": (288, 432), "6x4in": (432, 288), "square": millimetres(120, 120),
        "strip": millimetres(80, 400), "102x51": millimetres(102, 51), "51x102": millimetres(51, 102),
        "62x100": millimetres(62, 100), "100x62": millimetres(100, 62), "72x180": millimetres(72, 180),
    ]

    private static func millimetres(_ width: Double, _ height: Double) -> (Double, Double) {
        (width * 72 / 25.4, height * 72 / 25.4)
    }

    private static let usual = Medium.Margins(all: 423)
    private static let media: [String: Medium] = [
        "A4": Medium(name: "iso_a4_210x297mm", width: 21_000, height: 29_700, margins: usual),
        "A4-borderless": Medium(
            name: "iso_a4_210x297mm", width: 21_000, height: 29_700, margins: Medium.Margins(all: 0)),
        "Letter": Medium(name: "na_letter_8.5x11in", width: 21_590, height: 27_940, margins: usual),
        "A3-uneven": Medium(
            name: "iso_a3_297x420mm", width: 29_700, height: 42_000,
            margins: Medium.Margins(top: 300, left: 400, bottom: 1_250, right: 500)),
        "A5-wide": Medium(name: "custom_a5-wide_210x148mm", width: 21_000, height: 14_800, margins: usual),
        "label-4x6in": Medium(
            name: "na_index-4x6_4x6in", width: 10_160, height: 15_240, margins: Medium.Margins(all: 0)),
        "label-102x51": Medium(
            name: "custom_102x51mm_102x51mm", width: 10_200, height: 5_100, margins: Medium.Margins(all: 100)),
        "roll-62": roll(6_200, margin: 150), "roll-80": roll(8_000, margin: 400),
    ]

    private static func roll(_ width: Int, margin: Int) -> Medium {
        Medium(
            width: width, height: 2_500, maximumWidth: width, maximumHeight: 100_000,
            margins: Medium.Margins(top: 300, left: margin, bottom: 300, right: margin), isRoll: true)
    }

    private var words: [Substring] { title.split(separator: ", ") }
    private func value(_ key: String) -> String? {
        words.first { $0.hasPrefix("\(key)=") }.map { String($0.dropFirst(key.count + 1)) }
    }

    /// The size of its pages in points.
    var page: PageSize {
        get throws {
            let size = try #require(Self.pages[String(words[0].prefix { $0 != " " })])
            return PageSize(width: size.0, height: size.1)
        }
    }
    /// How many pages the document has.
    var pageCount: Int { words[0].firstMatch(of: /×([0-9]+)/).flatMap { Int($0.output.1) } ?? 1 }
    private var mediumName: String { String(words[0].components(separatedBy: " on ").last ?? "") }
    var medium: Medium { get throws { try #require(Self.media[mediumName]) } }
    var dpi: Int { isLabel ? 203 : 300 }
    /// Whether it is about a label or a roll.
    var isLabel: Bool { mediumName.hasPrefix("label") || mediumName.hasPrefix("roll") }
    var sheetSides: Ticket.Sides {
        Ticket.Sides.allCases.first { title.contains($0.rawValue) } ?? .oneSided
    }
    var sheetBack: PageSupport.SheetBack? { value("back").flatMap { PageSupport.SheetBack(rawValue: $0) } }
    var scaling: Ticket.Scaling? { value("scaling").flatMap { Ticket.Scaling(rawValue: $0) } }
    var orientation: Ticket.Orientation? { value("orientation").flatMap { Ticket.Orientation(rawValue: $0) } }
    var numberUp: Int? { value("number-up").flatMap { Int($0) } }

    /// The plan anew, whose numbers have all their digits.
    func plan() throws -> DocumentPlan {
        let medium = try medium
        var ticket = Ticket()
        if !medium.isRoll { ticket.media = medium.name }
        ticket.scaling = scaling
        ticket.orientation = orientation
        ticket.numberUp = numberUp
        ticket.pageBorder = value("border").flatMap { Ticket.PageBorder(rawValue: $0) }
        if sheetSides != .oneSided { ticket.sides = sheetSides }
        let landscape: Ticket.Orientation? =
            title.hasSuffix("turned clockwise") ? .reverseLandscape : numberUp != nil ? .landscape : nil
        let kind: PlanSettings.Kind = medium.isRoll ? .rolls : isLabel ? .labels : .sheets
        return try DocumentPlan(
            pages: Array(repeating: page, count: pageCount), ticket: ticket,
            support: PageSupport(ready: [medium], landscape: landscape),
            settings: PlanSettings(
                kind: kind, dpi: dpi, sides: isLabel ? [.oneSided] : Set(Ticket.Sides.allCases),
                sheetBack: sheetBack))
    }

    /// Whether a plan is the reviewed one, as far as that has digits.
    func isSame(_ plan: DocumentPlan) -> Bool {
        plan.sideCount == sides.count
            && sides.indices.allSatisfy { index in
                let (golden, side) = (sides[index], plan.side(index))
                return side.isBack == golden.isBack && side.width == golden.width && side.height == golden.height
                    && side.frames.count == golden.frames.count && side.cells.count == golden.cells.count
                    && zip(golden.cells, side.cells).allSatisfy { golden, cell in
                        let matrix = cell.matrix
                        let numbers = [matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f]
                        return cell.page + 1 == golden.page
                            && zip(numbers, golden.matrix).allSatisfy { abs($0 - $1) < 0.006 }
                            && golden.clip
                                == [cell.clip.left, cell.clip.top, cell.clip.right, cell.clip.bottom]
                    }
            }
    }
}
