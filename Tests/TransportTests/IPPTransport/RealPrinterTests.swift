import Foundation
import KioskIPP
import KioskPrintModel
import KioskTestSupport
import Synchronization
import Testing

/// Against Debian's ippeveprinter.
@Suite struct RealPrinterTests {
    private let receipt = [UInt8]("\u{1B}@Coffee 2.50\n".utf8)

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

    @Test func `a long document goes through Create-Job and arrives byte for byte`() async throws {
        let printer = try await EvePrinter()
        let document = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try await withTransport { transport in
            let taken = try await transport.deliver(.receipt("k1", document), to: printer.target) { _ in }
            let report = try await transport.follow(try #require(taken.remoteJob), on: printer.target) { _ in }
            #expect(report.evidence == .printed)
        }
        let kept = try #require(try printer.keptFiles().first)
        #expect(try readFile(kept) == document)
    }

    @Test func `a printer that works on a job is busy, and takes the next when it is done`() async throws {
        let printer = try await EvePrinter()
        try printer.printScript.hold()
        try await withTransport { transport in
            let target = try printer.target
            let first = try #require(
                try await transport.deliver(.receipt("k1", receipt), to: target) { _ in }.remoteJob)
            let error = try await #require(throws: TransportError.self) {
                try await transport.deliver(.receipt("k2", receipt), to: target) { _ in }
            }
            #expect(error.code == .printerBusy)
            #expect(error.bytesAccepted == 0)
            let busy = try await transport.contact(target)
            #expect(busy.availability.state == .busy)
            try printer.printScript.release()
            #expect(try await isPrinted(first, target, transport))
            _ = try await transport.deliver(.receipt("k2", receipt), to: target) { _ in }
        }
    }

    private func isPrinted(_ job: RemoteJob, _ target: PrinterTarget, _ transport: IPPTransport) async throws -> Bool {
        try await transport.follow(job, on: target) { _ in }.evidence == .printed
    }

    @Test func `a job can be cancelled, and ends so`() async throws {
        let printer = try await EvePrinter()
        try printer.printScript.hold()
        try await withTransport { transport in
            let target = try printer.target
            let job = try #require(try await transport.deliver(.receipt("k1", receipt), to: target) { _ in }.remoteJob)
            // Cancelled while pending, ippeveprinter works on it nevertheless.
            try await eventually("the job at its command") { try !printer.printScript.startedJobs().isEmpty }
            try await transport.cancel(job, on: target)
            try printer.printScript.release()
            let report = try await transport.follow(job, on: target) { _ in }
            #expect(report.state == .canceled)
            try await transport.cancel(job, on: target)
        }
    }

    @Test func `the printer's reasons are all seen`() async throws {
        let printer = try await EvePrinter()
        try printer.printScript.say("STATE: +media-jam,cover-open")
        try await withTransport { transport in
            let target = try printer.target
            let job = try #require(try await transport.deliver(.receipt("k1", receipt), to: target) { _ in }.remoteJob)
            _ = try await transport.follow(job, on: target) { _ in }
            try await eventually("both reasons") {
                let reasons = try await transport.contact(target).availability.reasons.map(\.keyword)
                return Set(reasons).isSuperset(of: ["media-jam", "cover-open"])
            }
        }
    }

    @Test func `a job that the printer gives up ends as aborted`() async throws {
        let printer = try await EvePrinter()
        try printer.printScript.fail()
        try await withTransport { transport in
            let target = try printer.target
            let job = try #require(try await transport.deliver(.receipt("k1", receipt), to: target) { _ in }.remoteJob)
            let report = try await transport.follow(job, on: target) { _ in }
            #expect(report.state == .aborted)
        }
    }

    @Test func `a printer that was away prints when it is back`() async throws {
        let printer = try await EvePrinter()
        try await withTransport { transport in
            let target = try printer.target
            _ = try await transport.contact(target)
            try await printer.stop()
            let error = try await #require(throws: TransportError.self) {
                try await transport.deliver(.receipt("k1", receipt), to: target) { _ in }
            }
            #expect(error.bytesAccepted == 0)
            try await printer.start()
            let job = try #require(try await transport.deliver(.receipt("k2", receipt), to: target) { _ in }.remoteJob)
            #expect(try await isPrinted(job, target, transport))
        }
    }

    @Test func `a job is located while it waits and when it has ended`() async throws {
        let printer = try await EvePrinter()
        try printer.printScript.hold()
        try await withTransport { transport in
            let target = try printer.target
            let delivery = Delivery.receipt("k1", receipt)
            let job = try #require(try await transport.deliver(delivery, to: target) { _ in }.remoteJob)
            var found = try await transport.locate(delivery, on: target)
            #expect(found == job)
            try printer.printScript.release()
            _ = try await transport.follow(job, on: target) { _ in }
            found = try await transport.locate(delivery, on: target)
            #expect(found == job)
            let error = try await #require(throws: TransportError.self) {
                try await transport.locate(.receipt("k2", receipt), on: target)
            }
            #expect(error.code == .outcomeUnknown)
        }
    }

    /// In a process of its own, so that nothing else moves its memory.
    @Test func `200 MB from a file raise the memory by no more than 8 MB`() async throws {
        let child = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let length = 200 << 20
            let printer = try await EvePrinter()
            let folder = try TemporaryFolder("long")
            let path = folder.appending("document")
            guard FileManager.default.createFile(atPath: path, contents: nil) else { throw TestSupportError("no file") }
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            let block = Data((0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ ($0 >> 8)) })
            for _ in 0..<200 { try file.write(contentsOf: block) }
            try file.close()
            try await withTransport { transport in
                let target = try printer.target
                let small = try await transport.deliver(.receipt("k1", [1, 2, 3]), to: target) { _ in }
                _ = try await transport.follow(try #require(small.remoteJob), on: target) { _ in }
                let before = try residentMemory()
                let most = Atomic(before)
                var delivery = Delivery.receipt("k2", [])
                delivery.document.body = .file(path: path, length: Int64(length))
                let long = try await transport.deliver(delivery, to: target) { _ in
                    most.max((try? residentMemory()) ?? .max, ordering: .relaxed)
                }
                _ = try await transport.follow(try #require(long.remoteJob), on: target) { _ in }
                let growth = most.load(ordering: .relaxed) - before
                print("200 MB raised the memory by \(growth >> 10) KiB")
                guard growth <= 8 << 20 else { throw TestSupportError("memory grew by \(growth) bytes") }
            }
            let kept = try #require(try printer.keptFiles().last)
            guard FileManager.default.contentsEqual(atPath: kept, andPath: path) else {
                throw TestSupportError("the printer kept other bytes")
            }
        }
        print(String(decoding: child?.standardOutputContent ?? [], as: UTF8.self))
    }
}

/// The resident set of this process in bytes (proc(5), statm: the second number, in pages).
private func residentMemory() throws -> Int {
    let fields = String(decoding: try readFile("/proc/self/statm"), as: UTF8.self).split(separator: " ")
    guard fields.count > 1, let pages = Int(fields[1]) else { throw TestSupportError("no statm") }
    return pages * sysconf(Int32(_SC_PAGESIZE))
}
