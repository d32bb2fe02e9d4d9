import KioskIPPCodec
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskIPP

/// The attributes that request a page of a roll, by what printers say about their paper.
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

    /// The printer's attributes, what the job requests (`media-col 8000x9337`, with a margin after it, or `media NAME`)
    /// and the remark.
    private static let printers: [(says: [IPPAttribute], asked: String?, remark: String?)] = [
        ([members, range], "media-col 8000x9337", nil),
        // One that lists its roll by the width that it prints.
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
        // The margins of what is loaded, else the smallest; only where `media-col` takes margins.
        ([allMembers, range, ready(size(8000...8000, 1...100_000), margin: 300)], "media-col 8000x9337 300", nil),
        ([members, range, ready(size(8000...8000, 1...100_000), margin: 300)], "media-col 8000x9337", nil),
        (
            [allMembers, range] + RollMedia.marginLists.map { IPPAttribute($0, .integers([500, 200])) },
            "media-col 8000x9337 200", nil
        ),
        // What is loaded does not fit: nobody is told to load another roll.
        (
            [allMembers, range, ready(size(5800...5800, 1...100_000), margin: 300)], nil,
            "no paper that is about 80 mm wide"
        ),
        // Wider paper holds it: the printer is asked for what it has, as long as the receipt where it has a range.
        (
            [members, range, ready(size(10160...10160, 15240...15240), margin: 0)], "media-col 10160x15240",
            "for 101.6 × 152.4 mm"
        ),
        (
            [
                members, sizes(size(5080...5080, 2540...2540)), names("roll_min_0.75x0.25in", "roll_max_4x39.6in"),
                ready(size(10160...10160, 15240...15240), margin: 0),
            ], "media-col 10160x9337", nil
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
        // One that takes neither, or members that are not a size.
        ([], nil, "accepts no size of paper"),
        ([IPPAttribute("media-col-supported", keywords: ["media-type"]), range], nil, "accepts no size of paper"),
        ([IPPAttribute("media-col-supported", .outOfBand(.unsupported)), range], nil, "accepts no size of paper"),
        // Values that make no sense.
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
        let selection = PrinterCapabilities(IPPGroup(.printer, says)).media(for: Self.page)
        #expect(selection.attribute.map(Self.text) == asked)
        #expect(
            remark.map { selection.remark?.contains($0) == true } ?? (selection.remark == nil),
            "\(selection.remark ?? "no remark")")
    }

    private static func text(_ attribute: IPPAttribute) -> String {
        guard let medium = attribute.collection else { return "\(attribute.name) \(attribute.string ?? "")" }
        let size = medium["media-size"]?.collection
        let margins = Set(RollMedia.marginNames.map { medium[$0]?.integer }).compactMap { $0.map { " \($0)" } }
        return
            "\(attribute.name) \(size?["x-dimension"]?.integer ?? 0)x\(size?["y-dimension"]?.integer ?? 0)\(margins.joined())"
    }
}

/// Pages of a roll in deliveries to a printer.
@Suite struct RollPageTests {
    private static let roll = IPPAttribute(
        "media-size-supported",
        .collections([
            [
                IPPAttribute("x-dimension", .integer(8000)),
                IPPAttribute("y-dimension", .rangeOfInteger(IPPRange(1000, 30_000))),
            ]
        ]))

    /// What the job requested, and the delivery's remarks on that.
    private func asked(
        _ attributes: [IPPAttribute], _ change: (inout Delivery) -> Void
    ) async throws -> (job: IPPGroup?, remarks: [String]) {
        let asked = Recorder<ScriptedConnection.Request>()
        let printer = try ScriptedPrinter { connection in
            while true {
                let request = try connection.readRequest()
                guard request.message.operation == .getPrinterAttributes else {
                    asked.add(request)
                    try connection.reply(ScriptedConnection.ok(ScriptedConnection.job(7, state: 9)))
                    continue
                }
                var group = ScriptedConnection.printer()
                for attribute in attributes { group[attribute.name] = attribute }
                try connection.reply(ScriptedConnection.ok(group))
            }
        }
        defer { printer.stop() }
        var delivery = Delivery.receipt("k1", [1], format: .pwgRaster)
        delivery.document.rollPage = RollPage(width: 8000, length: 41_230)
        change(&delivery)
        let sent = Recorder<[String]>()
        try await withTransport { [delivery] transport in
            sent.add(try await transport.deliver(delivery, to: printer.target) { _ in }.remarks)
        }
        return (asked.all.last?.message.first(.job), sent.all.first ?? [])
    }

    private static let formats = IPPAttribute("document-format-supported", .mimeMediaTypes(["image/pwg-raster"]))
    private static let members = IPPAttribute("media-col-supported", keywords: ["media-size"])

    @Test func `the job names the page's size, and what is shorter is remarked`() async throws {
        let (job, remarks) = try await asked([Self.formats, Self.roll, Self.members]) { _ in }
        let size = job?["media-col"]?.collection?["media-size"]?.collection
        #expect(size?["x-dimension"]?.integer == 8000)
        #expect(size?["y-dimension"]?.integer == 30_000)
        #expect(
            remarks == [
                "the printer accepts no page of 80 × 412.3 mm: it was asked for 80 × 300 mm, and what is longer may be missing"
            ])
    }

    @Test func `a medium that the ticket names is what is asked for`() async throws {
        let names = IPPAttribute("media-supported", keywords: ["om_receipt-80_80x297mm"])
        let (job, remarks) = try await asked([Self.formats, Self.roll, Self.members, names]) {
            $0.ticket.media = "om_receipt-80_80x297mm"
        }
        #expect(job?.attributes.map(\.name) == ["media"])
        #expect(remarks.isEmpty)
    }

    @Test func `a printer that knows no sizes is asked for none, and the job says so`() async throws {
        let (job, remarks) = try await asked([Self.formats]) { _ in }
        #expect(job == nil)
        #expect(remarks == ["the printer accepts no size of paper: it has its own for pages"])
    }

    @Test func `a document that is not a page for a roll asks for no size`() async throws {
        let (job, remarks) = try await asked([Self.formats, Self.roll, Self.members]) { $0.document.rollPage = nil }
        #expect(job == nil)
        #expect(remarks.isEmpty)
    }

    @Test(arguments: [
        (IPPStatus.clientErrorAttributesOrValuesNotSupported, ["media-col"], true),
        (.clientErrorAttributesOrValuesNotSupported, [], true),
        (.clientErrorConflictingAttributes, [], true), (.clientErrorAttributesOrValuesNotSupported, ["sides"], false),
        (.serverErrorJobCanceled, [], false),
    ])
    func `a printer that refuses the size that it lists prints on what it has, and is not asked for it again`(
        status: IPPStatus, unsupported: [String], printsWithout: Bool
    ) async throws {
        let asked = Recorder<[String]>()
        let printer = try ScriptedPrinter { connection in
            while true {
                let request = try connection.readRequest()
                guard request.message.operation != .getPrinterAttributes else {
                    var group = ScriptedConnection.printer()
                    for attribute in [Self.formats, Self.roll, Self.members] { group[attribute.name] = attribute }
                    try connection.reply(ScriptedConnection.ok(group))
                    continue
                }
                let names = request.message.first(.job)?.attributes.map(\.name) ?? []
                asked.add(names)
                let refusal = ScriptedConnection.status(
                    status, IPPGroup(.unsupported, unsupported.map { IPPAttribute($0, .outOfBand(.unsupported)) }))
                try connection.reply(
                    names.isEmpty ? ScriptedConnection.ok(ScriptedConnection.job(7, state: 9)) : refusal)
            }
        }
        defer { printer.stop() }
        var delivery = Delivery.receipt("k1", [1], format: .pwgRaster)
        delivery.document.rollPage = RollPage(width: 8000, length: 9000)
        try await withTransport { [delivery] transport in
            for _ in 0..<2 {
                do {
                    let report = try await transport.deliver(delivery, to: printer.target) { _ in }
                    #expect(printsWithout)
                    #expect(
                        report.remarks == [
                            "the printer refused the roll's width and the receipt's length, which it lists: it has its own size for pages"
                        ])
                } catch let error as TransportError {
                    #expect(!printsWithout, "\(error)")
                    #expect(error.code == .jobRefused)
                }
            }
        }
        // A refusal that names no attribute may be about the user's name: the job is sent without the name first.
        let withSize = asked.all.prefix { $0 == ["media-col"] }
        #expect((1...2).contains(withSize.count))
        #expect(asked.all.dropFirst(withSize.count) == (printsWithout ? [[], []] : []))
    }
}
