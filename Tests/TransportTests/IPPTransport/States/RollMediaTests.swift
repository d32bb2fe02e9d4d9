import IPPCodec
import PrintModel
import Testing

@testable import IPP

/// How a page of a roll is asked for, by what printers say of their paper.
@Suite struct RollMediaTests {
    private static let page = RollPage(width: 8000, length: 9337)

    private static func size(_ width: ClosedRange<Int32>, _ length: ClosedRange<Int32>) -> IPPCollection {
        func value(_ range: ClosedRange<Int32>) -> IPPValue {
            range.count == 1 ? .integer(range.lowerBound) : .rangeOfInteger(IPPRange(range))
        }
        return [IPPAttribute("x-dimension", value(width)), IPPAttribute("y-dimension", value(length))]
    }

    private static func sizes(_ sizes: IPPCollection...) -> IPPAttribute {
        IPPAttribute("media-size-supported", .collections(sizes))
    }
    private static let members = IPPAttribute("media-col-supported", keywords: ["media-size"])
    private static let allMembers = IPPAttribute(
        "media-col-supported", keywords: ["media-size"] + RollMedia.marginNames)
    private static let range = sizes(size(21000...21000, 29700...29700), size(4800...8000, 2540...100_000))

    private static func ready(_ size: IPPCollection, margin: Int32) -> IPPAttribute {
        let margins = RollMedia.marginNames.map { IPPAttribute($0, .integer(margin)) }
        return IPPAttribute(
            "media-col-ready", .collection(IPPCollection([IPPAttribute("media-size", .collection(size))] + margins)))
    }

    private static func names(_ names: String...) -> IPPAttribute { IPPAttribute("media-supported", keywords: names) }

    /// Said of it, and what the job asks for: as `media-col 8000x9337`, with a margin behind it, or `media NAME`.
    private static let printers: [(says: [IPPAttribute], asked: String?, remark: String?)] = [
        ([members, range], "media-col 8000x9337", nil),
        // One that calls its roll by what it prints on it.
        ([members, sizes(size(7950...7950, 1...100_000))], "media-col 7950x9337", nil),
        ([members, sizes(size(7200...7200, 1...100_000))], "media-col 7200x9337", "it was asked for 72 × 93.37 mm"),
        // Lengths from 0 on.
        ([members, sizes(size(8000...8000, 0...100_000))], "media-col 8000x9337", nil),
        // Sheets of the roll: the shortest that holds it all.
        (
            [
                members,
                sizes(
                    size(8000...8000, 5000...5000), size(8000...8000, 29700...29700), size(8000...8000, 20000...20000)),
            ], "media-col 8000x20000", "for 80 × 200 mm"
        ),
        (
            [members, sizes(size(8000...8000, 5000...5000), size(8000...8000, 9000...9000))], "media-col 8000x9000",
            "what is longer may be missing"
        ),
        ([members, sizes(size(8000...8000, 1000...9000))], "media-col 8000x9000", "what is longer may be missing"),
        // A receipt that is shorter than its paper can be.
        ([members, sizes(size(8000...8000, 15000...90000))], "media-col 8000x15000", "no page of 80 × 93.37 mm"),
        // Another roll than the profile says.
        ([members, sizes(size(5800...5800, 1...100_000))], nil, "no paper that is about 80 mm wide"),
        ([members, sizes(size(21000...21000, 29700...29700))], nil, "no paper that is about 80 mm wide"),
        // What is loaded has margins; else the smallest count. Both where they are asked for at all.
        ([allMembers, range, ready(size(8000...8000, 1...100_000), margin: 300)], "media-col 8000x9337 300", nil),
        ([members, range, ready(size(8000...8000, 1...100_000), margin: 300)], "media-col 8000x9337", nil),
        (
            [allMembers, range] + RollMedia.marginLists.map { IPPAttribute($0, .integers([500, 200])) },
            "media-col 8000x9337 200", nil
        ),
        // What is loaded does not fit: nobody is asked to load what the printer would take.
        (
            [allMembers, range, ready(size(5800...5800, 1...100_000), margin: 300)], nil,
            "no paper that is about 80 mm wide"
        ),
        // Names alone.
        (
            [names("iso_a4_210x297mm", "custom_min_50x10mm", "custom_max_82.5x1000mm")],
            "media custom_receipt_80x93.37mm", nil
        ),
        ([names("roll_min_50x10mm", "roll_max_82.5x1000mm")], "media custom_receipt_80x93.37mm", nil),
        (
            [names("om_receipt-58_58x297mm", "om_receipt-80_80x297mm")], "media om_receipt-80_80x297mm",
            "it was asked for 80 × 297 mm"
        ),
        ([names("iso_a4_210x297mm")], nil, "no paper that is about 80 mm wide"),
        ([members, names("custom_min_50x10mm", "custom_max_82.5x1000mm")], "media-col 8000x9337", nil),
        // One that takes neither, or members that are no size.
        ([], nil, "takes no size of paper"),
        ([IPPAttribute("media-col-supported", keywords: ["media-type"]), range], nil, "takes no size of paper"),
        ([IPPAttribute("media-col-supported", .outOfBand(.unsupported)), range], nil, "takes no size of paper"),
        // What makes no sense.
        (
            [
                members,
                sizes(
                    [], size(-5...8000, 1...5), size(8000...8000, -9 ... -1),
                    [IPPAttribute("x-dimension", keyword: "wide")]),
            ], nil, "no paper"
        ),
        (
            [
                members, IPPAttribute("media-size-supported", .integer(7)),
                IPPAttribute("media-col-ready", keyword: "none"),
            ], nil, "no paper"
        ),
        ([names("custom_min_90x10mm", "custom_max_50x1000mm", "a_80x9e99mm", "b_0x0mm")], nil, "no paper"),
    ]

    @Test(arguments: printers.indices) func `a page is asked for as the printer has it`(index: Int) throws {
        let (says, asked, remark) = Self.printers[index]
        let answer = PrinterFacts(IPPGroup(.printer, says)).media(for: Self.page)
        #expect(answer.attribute.map(Self.text) == asked)
        #expect(
            remark.map { answer.remark?.contains($0) == true } ?? (answer.remark == nil),
            "\(answer.remark ?? "no remark")")
    }

    private static func text(_ attribute: IPPAttribute) -> String {
        guard let medium = attribute.collection else { return "\(attribute.name) \(attribute.string ?? "")" }
        let size = medium["media-size"]?.collection
        let margins = Set(RollMedia.marginNames.map { medium[$0]?.integer }).compactMap { $0.map { " \($0)" } }
        return
            "\(attribute.name) \(size?["x-dimension"]?.integer ?? 0)x\(size?["y-dimension"]?.integer ?? 0)\(margins.joined())"
    }
}
