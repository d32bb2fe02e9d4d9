import Foundation
import PrintModel
import TestSupport
import Testing

@testable import SSHLpr

/// Documents that the host's own tools turn into PostScript and arrange.
@Suite struct ConversionTests {
    /// Four pages, each with its number.
    private static let pdf: [UInt8] = {
        var objects = ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 4 /Kids [4 0 R 6 0 R 8 0 R 10 0 R] >>"]
        objects.append("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
        for page in 1...4 {
            let content = "BT /F1 24 Tf 72 700 Td (Page \(page)) Tj ET"
            objects.append(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents \(3 + 2 * page) 0 R /Resources << /Font << /F1 3 0 R >> >> >>")
            objects.append("<< /Length \(content.utf8.count) >>\nstream\n\(content)\nendstream")
        }
        var text = "%PDF-1.4\n"
        var table = "0000000000 65535 f \n"
        for (index, object) in objects.enumerated() {
            let offset = String(text.utf8.count)
            table += String(repeating: "0", count: 10 - offset.count) + "\(offset) 00000 n \n"
            text += "\(index + 1) 0 obj\n\(object)\nendobj\n"
        }
        let start = text.utf8.count
        text += "xref\n0 \(objects.count + 1)\n\(table)trailer << /Size \(objects.count + 1) /Root 1 0 R >>\nstartxref\n\(start)\n%%EOF\n"
        return Array(text.utf8)
    }()

    private static let settings = LprSettings(conversion: .postScript)

    @Test func `pages are chosen, arranged and set to both sides on the host, and each step is shown`() async throws {
        try await withCups(settings: Self.settings) { cups, desk in
            var delivery = Delivery.receipt("bcdfghjk-1-1", Self.pdf, format: .pdf)
            delivery.ticket.pageRanges = [try #require(PageRange("2-4"))]
            delivery.ticket.numberUp = 2
            delivery.ticket.sides = .twoSidedShortEdge
            delivery.ticket.media = "iso_a4_210x297mm"
            let steps = Recorder<DeliveryProgress>()
            _ = try await desk.transport.deliver(delivery, to: desk.target) { steps.add($0) }
            try await eventually("the document") { try cups.keptFiles().count == 1 }
            let printed = String(decoding: try readFile(try cups.keptFiles()[0]), as: UTF8.self)
            #expect(printed.hasPrefix("%!PS-Adobe-3.0\n<< /Duplex true /Tumble true >> setpagedevice\n"))
            let pages = printed.split(separator: "\n").filter { $0.hasPrefix("%%Page: ") }
            #expect(pages == ["%%Page: (0,1) 1", "%%Page: (2,*) 2"] || pages.count == 2, "\(pages)")
            let order = steps.all.compactMap { Self.word($0) }.reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
            #expect(order == ["connecting", "uploading", "converting", "sending"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: desk.server.home).isEmpty)
        }
    }

    @Test func `a document that is no PDF is refused before lpr gets it`() async throws {
        try await withCups(settings: Self.settings) { cups, desk in
            let error = try await transportError {
                _ = try await desk.deliver(.receipt("bcdfghjk-1-1", Array("no PDF\n".utf8), format: .pdf))
            }
            #expect(error.code == .jobRefused)
            #expect(error.bytesAccepted == 0)
            #expect(try cups.keptFiles().isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: desk.server.home).isEmpty)
        }
    }

    @Test func `what the tools do not do, or documents that they do not read, are refused`() throws {
        var ticket = Ticket()
        ticket.numberUp = 5
        let conversion = try #require(try Conversion(ticket, format: .pdf))
        #expect(conversion.rest == [.numberUp(5)])
        #expect(throws: UnfulfilledTicket(wish: .numberUp(5), reason: .notConverted)) {
            try LprOptions(ticket, wishes: conversion.rest, format: .postScript, dialect: .bsd, isConverted: true)
        }
        #expect(throws: UnfulfilledTicket(wish: .numberUp(5), reason: .formatNotConverted(.plainText))) {
            try Conversion(ticket, format: .plainText)
        }
        #expect(try Conversion(Ticket(), format: .plainText) == nil)
        #expect(try Conversion(Ticket(), format: .postScript) == nil)
    }

    private static func word(_ step: DeliveryProgress) -> String? {
        switch step {
        case .connecting: "connecting"
        case .uploading: "uploading"
        case .converting: "converting"
        case .sending: "sending"
        case .accepted: nil
        }
    }
}
