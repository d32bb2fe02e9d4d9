import Foundation
import IPP
import PrintModel
import Synchronization
import TestSupport
import Testing

/// Against Debian's ippeveprinter.
@Suite struct RealPrinterTests {
    @Test func `contact learns what the printer is and how it does`() async throws {
        let printer = try await EvePrinter()
        try await withTransport { transport in
            let report = try await transport.contact(printer.target)
            #expect(report.description.name == "Test Printer")
            #expect(report.description.formats.contains(.escPOS))
            #expect(report.description.makeAndModel != nil)
            #expect(report.description.uuid?.count == 36)
            #expect(report.description.jobTypes.contains([.document, .general]))
            #expect(report.description.media.contains("iso_a4_210x297mm"))
            #expect(!report.description.mediaReady.isEmpty)
            #expect(report.description.isColor != nil)
            #expect(report.description.sides.contains("one-sided"))
            #expect(report.availability.state == .ready)
        }
    }

    @Test func `a receipt arrives byte for byte and ends as printed`() async throws {
        let printer = try await EvePrinter()
        let receipt = [UInt8]("\u{1B}@Coffee 2.50\n".utf8)
        try await withTransport { transport in
            let progress = Recorder<DeliveryProgress>()
            let taken = try await transport.deliver(.receipt("k1", receipt), to: printer.target) { progress.add($0) }
            let job = try #require(taken.remoteJob)
            #expect(progress.all.first == .connecting)
            #expect(progress.all.contains(.sending(bytes: Int64(receipt.count), of: Int64(receipt.count))))
            #expect(progress.all.last == .accepted(job))
            let report = try await transport.follow(job, on: printer.target) { _ in }
            #expect(report.state == .completed)
            #expect(report.evidence == .printed)
        }
        let kept = try #require(try printer.keptFiles().first)
        #expect(try readFile(kept) == receipt)
    }
}
