import KioskIPPCodec
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskIPP

/// Spoolers behind IPP, whose `completed` says nothing of paper.
@Suite struct PrintServerTests {
    @Test func `what a CUPS queue calls completed is accepted, and no more`() async throws {
        let server = try await CupsServer()
        let target = PrinterTarget(url: try PrinterURL(server.uri))
        try await withTransport { transport in
            let delivery = Delivery.receipt("k1", Array("one coffee\n".utf8), format: .octetStream)
            let accepted = try await transport.deliver(delivery, to: target) { _ in }
            let job = try #require(accepted.remoteJob)
            let ended = try await transport.follow(job, on: target) { _ in }
            #expect(ended.state == .completed)
            #expect(ended.evidence == .accepted)
        }
    }

    @Test func `the printer itself proves more`() async throws {
        let printer = try await EvePrinter()
        try await withTransport { transport in
            let target = try printer.target
            let accepted = try await transport.deliver(.receipt("k1", [1]), to: target) { _ in }
            let ended =
                accepted.state.isFinal
                ? accepted : try await transport.follow(#require(accepted.remoteJob), on: target) { _ in }
            #expect(ended.evidence == .printed)
        }
    }

    private static let signs: [(String, [IPPAttribute], Bool)] = [
        ("a printer", [IPPAttribute("printer-uri-supported", .uri("ipp://till/ipp/print"))], false),
        ("a printer in a folder", [IPPAttribute("printer-uri-supported", .uri("ipp://till/printers"))], false),
        ("CUPS", [IPPAttribute("printer-type", .enum(0x809046))], true),
        ("a device behind it", [IPPAttribute("device-uri", .uri("socket://192.0.2.9"))], true),
        ("a raw queue", [IPPAttribute("printer-make-and-model", .text("Local Raw Printer"))], true),
        ("a class", [IPPAttribute("printer-uri-supported", .uri("ipp://host:631/classes/all"))], true),
        ("Windows", [IPPAttribute("printer-uri-supported", .uri("http://host/printers/HP/.printer"))], true),
    ]

    @Test(arguments: signs.indices)
    func `a spooler is known by what it says of itself`(index: Int) {
        let (name, attributes, isServer) = Self.signs[index]
        #expect(PrintServer.isOne(IPPGroup(.printer, attributes)) == isServer, "\(name)")
    }
}
