import IPPCodec
import PrintModel
import TestSupport
import Testing

@testable import IPP

/// Pages of a roll on their way to a printer.
@Suite struct RollPageTests {
    private static let roll = IPPAttribute(
        "media-size-supported",
        .collections([
            [
                IPPAttribute("x-dimension", .integer(8000)),
                IPPAttribute("y-dimension", .rangeOfInteger(IPPRange(1000, 30_000))),
            ]
        ]))

    /// What the job asked for, and what the delivery says of that.
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
                "the printer takes no page of 80 × 412.3 mm: it was asked for 80 × 300 mm, and what is longer may be missing"
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
        #expect(remarks == ["the printer takes no size of paper: it has its own for pages"])
    }

    @Test func `a document that is no page for a roll asks for no size`() async throws {
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
        // A refusal that names nothing may be meant for the user's name: it is sent without one first.
        let withSize = asked.all.prefix { $0 == ["media-col"] }
        #expect((1...2).contains(withSize.count))
        #expect(asked.all.dropFirst(withSize.count) == (printsWithout ? [[], []] : []))
    }
}
