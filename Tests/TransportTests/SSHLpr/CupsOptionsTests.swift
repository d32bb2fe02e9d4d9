import Foundation
import KioskPrintModel
import KioskSSHLpr
import KioskTestSupport
import Testing

/// What of a ticket a real CUPS gets, as its backend is told.
@Suite struct CupsOptionsTests {
    /// Tickets, and what CUPS makes of each.
    private static let options = [
        (#"{"sides": "two-sided-long-edge"}"#, "sides=two-sided-long-edge"),
        (#"{"sides": "two-sided-short-edge"}"#, "sides=two-sided-short-edge"),
        (#"{"sides": "one-sided"}"#, "sides=one-sided"),
        (#"{"page-ranges": ["2-3"]}"#, "page-ranges=2-3"),
        (#"{"page-ranges": ["1-3", "5", "7-9"]}"#, "page-ranges=1-3,5,7-9"),
        (#"{"number-up": 2}"#, "number-up=2"),
        (#"{"number-up": 16}"#, "number-up=16"),
        (#"{"media": "iso_a4_210x297mm"}"#, "media=iso_a4_210x297mm"),
        (#"{"media": "na_letter_8.5x11in"}"#, "media=na_letter_8.5x11in"),
        (#"{"orientation-requested": "landscape"}"#, "orientation-requested=4"),
        (#"{"orientation-requested": "portrait"}"#, "orientation-requested=3"),
        (#"{"orientation-requested": "reverse-landscape"}"#, "orientation-requested=5"),
        (#"{"orientation-requested": "reverse-portrait"}"#, "orientation-requested=6"),
        (#"{"print-color-mode": "monochrome"}"#, "print-color-mode=monochrome"),
        (#"{"print-color-mode": "color"}"#, "print-color-mode=color"),
        (#"{"print-quality": "high"}"#, "print-quality=5"),
        (#"{"print-quality": "normal"}"#, "print-quality=4"),
    ]

    /// Prints with a ticket, and returns what the backend was told.
    private func print(
        _ ticket: String, _ delivery: Delivery, _ cups: CupsServer, _ host: LprHost
    ) async throws -> (copies: String, options: [String]) {
        var delivery = delivery
        delivery.ticket = try JSONDecoder().decode(Ticket.self, from: Data(ticket.utf8))
        let before = try cups.keptFiles()
        _ = try await host.deliver(delivery)
        try await eventually("the job with \(ticket)") { try cups.keptFiles().count > before.count }
        let file = try #require(try cups.keptFiles().last)
        return try cups.copiesAndOptions(ofJob: try #require(Int(file.split(separator: "/").last ?? "")))
    }

    @Test(arguments: [DocumentFormat.pdf, .plainText])
    func `each choice of a ticket reaches the queue`(_ format: DocumentFormat) async throws {
        try await withCups { cups, host in
            let bytes = format == .pdf ? SmallPDF.make(pages: 9) : Array("one page\n".utf8)
            for (number, (ticket, option)) in Self.options.enumerated() {
                let told = try await self.print(
                    ticket, .receipt("bcdfghjk-\(number + 1)-1", bytes, format: format), cups, host)
                #expect(told.options.contains(option), "\(ticket): \(told.options)")
                #expect(told.copies == "1")
            }
        }
    }

    @Test func `copies and several choices at once reach the queue`() async throws {
        try await withCups { cups, host in
            let ticket = #"{"copies": 3, "sides": "two-sided-long-edge", "number-up": 4, "media": "iso_a4_210x297mm"}"#
            let told = try await self.print(
                ticket, .receipt("bcdfghjk-1-1", SmallPDF.make(pages: 3), format: .pdf), cups, host)
            #expect(told.copies == "3")
            for option in ["sides=two-sided-long-edge", "number-up=4", "media=iso_a4_210x297mm"] {
                #expect(told.options.contains(option), "\(told.options)")
            }
        }
    }

    @Test func `what a ticket leaves open is left to the queue`() async throws {
        try await withCups { cups, host in
            try await cups.administer("lpadmin", ["-p", "receipt", "-o", "sides-default=two-sided-long-edge"])
            let open = try await self.print(
                "{}", .receipt("bcdfghjk-1-1", SmallPDF.make(pages: 3), format: .pdf), cups, host)
            #expect(open.options.contains("sides=two-sided-long-edge"), "\(open.options)")
            let said = try await self.print(
                #"{"sides": "one-sided"}"#, .receipt("bcdfghjk-2-1", SmallPDF.make(pages: 3), format: .pdf), cups, host)
            #expect(said.options.contains("sides=one-sided"), "\(said.options)")
        }
    }
}
