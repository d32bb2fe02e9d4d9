import KioskIPPCodec
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskIPP

/// What a printer took of the ticket of a job whose response was lost.
@Suite struct TicketInquiryTests {
    private static let printer: [IPPAttribute] = [
        IPPAttribute("print-quality-supported", .enums([3, 4, 5])),
        IPPAttribute("sides-supported", keywords: ["one-sided", "two-sided-long-edge"]),
        IPPAttribute("media-supported", keywords: ["iso_a4_210x297mm"]),
        IPPAttribute("media-source-supported", keywords: ["tray-1"]),
        IPPAttribute("media-col-supported", keywords: ["media-source", "media-size"]),
        IPPAttribute("job-priority-supported", .integer(100)),
    ]

    private static func ticket(_ change: (inout Ticket) -> Void) -> Ticket {
        var ticket = Ticket()
        change(&ticket)
        return ticket
    }

    private static let duplexDraft = ticket {
        ($0.quality, $0.sides, $0.priority) = (.draft, .twoSidedLongEdge, 80)
    }
    private static let quality = IPPAttribute("print-quality", .enum(3))
    private static let sides = IPPAttribute("sides", keyword: "two-sided-long-edge")

    private static func untold(_ names: String) -> String {
        "whether the printer took these is not known, since its response was lost: \(names)"
    }

    /// What the job's attributes are at the printer; the remarks.
    private static let cases: [(Ticket, [IPPAttribute], [String])] = [
        (duplexDraft, [quality, sides], []),
        (
            duplexDraft, [IPPAttribute("print-quality", .enum(4)), sides],
            ["the printer ignored or replaced attributes of the job: print-quality"]
        ),
        (duplexDraft, [sides], [untold("print-quality")]),
        (duplexDraft, [], [untold("sides, print-quality")]),
        (ticket { $0.accountID = "4711" }, [], ["the printer takes no job-account-id=4711: printed without"]),
        (ticket { $0.priority = 80 }, [], []),
        (Ticket(), [], []),
    ]

    /// Asks a printer whose job has these attributes.
    private func remarks(
        _ ticket: Ticket, _ attributes: [IPPAttribute], status: IPPStatus = .successfulOk, id: Int32 = 7
    ) async throws -> (remarks: [String], requests: [ScriptedConnection.Request]) {
        let requests = Recorder<ScriptedConnection.Request>()
        let printer = try ScriptedPrinter(describedBy: Self.printer, requests) { _ in
            var job = IPPGroup(.job, [IPPAttribute("job-id", .integer(id))])
            for attribute in attributes { job.append(attribute) }
            return ScriptedConnection.status(status, job)
        }
        defer { printer.stop() }
        var delivery = Delivery.receipt("k1", [], format: .pdf)
        delivery.ticket = ticket
        var remarks: [String] = []
        try await withTransport { [delivery] transport in
            remarks = try await transport.remarks(
                on: RemoteJob(identifier: "7"), of: delivery, at: printer.target)
        }
        return (remarks, requests.all)
    }

    @Test(arguments: cases.indices)
    func `what the printer does not have of the ticket is told, and what it does not say`(index: Int) async throws {
        let (ticket, attributes, expected) = Self.cases[index]
        let (remarks, requests) = try await remarks(ticket, attributes)
        #expect(remarks == expected)
        #expect(requests.allSatisfy { $0.message.operation == .getJobAttributes })
    }

    @Test func `another job's attributes, or none, say nothing`() async throws {
        let expected = [Self.untold("sides, print-quality")]
        #expect(try await remarks(Self.duplexDraft, [Self.quality, Self.sides], id: 8).remarks == expected)
        let other = IPPAttribute("job-name", .name("k2 Receipt"))
        #expect(try await remarks(Self.duplexDraft, [Self.quality, Self.sides, other]).remarks == expected)
        #expect(try await remarks(Self.duplexDraft, [], status: .clientErrorNotFound).remarks == expected)
    }

    @Test func `of a collection the printer may tell more than was asked for`() async throws {
        let ticket = Self.ticket { $0.mediaSource = "tray-1" }
        func told(_ source: String) -> IPPAttribute {
            IPPAttribute(
                "media-col",
                .collection([
                    IPPAttribute("media-type", keyword: "stationery"), IPPAttribute("media-source", keyword: source),
                ]))
        }
        #expect(try await remarks(ticket, [told("tray-1")]).remarks == [])
        #expect(
            try await remarks(ticket, [told("tray-2")]).remarks == [
                "the printer ignored or replaced attributes of the job: media-col"
            ])
    }
}
