import Foundation
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskLPD

/// LPRng's line printer daemon, over TCP.
@Suite(.enabled(if: LineSpooler.obstacle == nil, "line printer daemons need root, and `Scripts/bootstrap test`"))
struct LPDSpoolerTests {
    private struct Shop {
        let spooler: LineSpooler
        let transport = LPDTransport(hostName: "localhost")
        var target: PrinterTarget { get throws { try queue("receipt") } }

        init() async throws { spooler = try await .listening() }

        func queue(_ name: String, _ options: String = "") throws -> PrinterTarget {
            PrinterTarget(url: try PrinterURL("lpd://127.0.0.1:\(try #require(spooler.port))/\(name)\(options)"))
        }

        func deliver(_ delivery: Delivery, _ options: String = "") async throws -> JobReport {
            try await transport.deliver(delivery, to: try queue("receipt", options)) { _ in }
        }
    }

    private static let document = (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    @Test func `a receipt arrives octet for octet, and is followed until it has left the queue`() async throws {
        let shop = try await Shop()
        _ = try await shop.transport.contact(shop.target)
        try shop.spooler.hold()
        var first = Delivery.receipt("bcdfghjk-1-1", Self.document)
        first.name = "O'Brien's \"receipt\" $(touch x) \\ %b"
        let report = try await shop.deliver(first)
        #expect(report.state == .processing && report.evidence == .accepted)
        let second = try await shop.deliver(.receipt("bcdfghjk-2-1", Array("two".utf8)), "?order=data,control")
        #expect(second.message?.hasPrefix("1 job ahead") == true, "\(second)")
        #expect(try await shop.transport.locate(first, on: shop.target) == report.remoteJob)
        try shop.spooler.release()
        let last = try await shop.transport.follow(try #require(second.remoteJob), on: shop.target) { _ in }
        #expect(last.state == .completed && last.evidence == .accepted)
        try await eventually("both receipts") { try shop.spooler.keptFiles().count == 2 }
        #expect(try shop.spooler.keptFiles() == [Self.document, Array("two".utf8)])
    }

    @Test func `each copy is printed, of one job`() async throws {
        let shop = try await Shop()
        #expect(try await shop.transport.contact(shop.target).description.ticketSupport?.copies == 999)
        var delivery = Delivery.receipt("bcdfghjk-1-1", Array("copy".utf8))
        delivery.ticket.copies = 3
        #expect(try await shop.deliver(delivery).evidence == .accepted)
        try await eventually("three copies") { try shop.spooler.keptFiles().count == 3 }
    }

    @Test(.enabled(if: CupsBackend.obstacle == nil, "CUPS's backends are missing"))
    func `CUPS's lpd backend prints into the same queue, and each job comes out once`() async throws {
        let shop = try await Shop()
        try shop.spooler.hold()
        _ = try await shop.deliver(.receipt("bcdfghjk-1-1", Array("ours".utf8)))
        let rival = try CupsBackend.lpd.print(
            Array("CUPS's".utf8), title: "rival",
            to: "lpd://127.0.0.1:\(try #require(shop.spooler.port))/receipt?reserve=none")
        #expect(try await rival.wait(deadline: .seconds(120)) == .exited(0), "\(rival.standardError)")
        let last = try await shop.deliver(.receipt("bcdfghjk-2-1", Array("ours again".utf8)))
        #expect(last.message?.hasPrefix("2 jobs ahead") == true, "\(last)")
        try shop.spooler.release()
        try await eventually("three receipts") { try shop.spooler.keptFiles().count == 3 }
        #expect(try shop.spooler.keptFiles() == ["ours", "CUPS's", "ours again"].map { Array($0.utf8) })
    }

    @Test func `cancelling takes a job out of the queue`() async throws {
        let shop = try await Shop()
        try shop.spooler.hold()
        _ = try await shop.deliver(.receipt("bcdfghjk-1-1", Array("one".utf8)))
        var second = try #require(
            try await shop.deliver(.receipt("bcdfghjk-2-1", Array("two".utf8))).remoteJob)
        second.origin = RemoteJob.Origin(user: "till")
        let job = second
        try await shop.transport.cancel(job, on: shop.target)
        let target = try shop.target
        let again = try await transportError { try await shop.transport.cancel(job, on: target) }
        #expect(again.code == .outcomeUnknown)
        try shop.spooler.release()
        try await eventually("the first receipt") { try shop.spooler.keptFiles().count == 1 }
        try await eventually("an empty queue") { try shop.spooler.spooledFiles().isEmpty }
        #expect(try shop.spooler.keptFiles() == [Array("one".utf8)])
    }

    @Test func `contact tells of a missing, a stopped and a closed queue`() async throws {
        let shop = try await Shop()
        #expect(try await shop.transport.contact(shop.target).availability.state == .ready)
        let nowhere = try shop.queue("nowhere")
        let missing = try await transportError { _ = try await shop.transport.contact(nowhere) }
        #expect(missing.code == .printerNotFound)
        let refused = try await transportError {
            _ = try await shop.transport.deliver(.receipt("bcdfghjk-9-1", [1]), to: nowhere) { _ in }
        }
        #expect(refused.code == .printerNotFound && refused.bytesAccepted == 0)
        try await shop.spooler.control(["stop", "receipt"])
        try await eventually("the stop") {
            try await shop.transport.contact(shop.target).availability.state == .stopped
        }
        let waiting = try await shop.deliver(.receipt("bcdfghjk-1-1", Array("one".utf8)))
        #expect(waiting.state == .processingStopped)
        try await shop.spooler.control(["start", "receipt"])
        try await eventually("the receipt") { try shop.spooler.keptFiles().count == 1 }
        try await shop.spooler.control(["disable", "receipt"])
        try await eventually("the closed door") {
            try await shop.transport.contact(shop.target).availability.reasons.map(\.keyword)
                .contains("not-accepting-jobs")
        }
        let closed = try await transportError { _ = try await shop.deliver(.receipt("bcdfghjk-2-1", [1])) }
        #expect(closed.code == .printerNotAccepting && closed.bytesAccepted == 0, "\(closed)")
    }

    @Test func `a job that is cut off does not print and leaves nothing behind`() async throws {
        let shop = try await Shop()
        _ = try await shop.transport.contact(shop.target)
        let folder = try TemporaryFolder()
        var delivery = Delivery.receipt("bcdfghjk-1-1", [])
        delivery.document = try .sparse(megabytes: 300, in: folder)
        let (cutting, reached, target) = (delivery, Gate(), try shop.target)
        let delivering = Task {
            try await shop.transport.deliver(cutting, to: target) { step in
                if case .sending(20_000_000..., _) = step { reached.open() }
            }
        }
        try await reached.wait()
        delivering.cancel()
        let error = try await transportError { _ = try await delivering.value }
        #expect(error.code == .cancelled)
        #expect(error.bytesAccepted == 0)
        try await eventually("nothing left") { try shop.spooler.spooledFiles().isEmpty }
        #expect(try shop.spooler.keptFiles().isEmpty)
        #expect(try await shop.deliver(.receipt("bcdfghjk-2-1", Array("next".utf8))).evidence == .accepted)
        try await eventually("the next receipt") { try shop.spooler.keptFiles() == [Array("next".utf8)] }
    }
}

/// CUPS's line printer daemon.
@Suite(.enabled(if: CupsLPD.obstacle == nil, "install cups-bsd"))
struct CupsLPDTests {
    private static func target(
        _ server: CupsLPD, _ queue: String = "receipt", options: String = ""
    ) throws -> PrinterTarget {
        PrinterTarget(url: try PrinterURL("lpd://127.0.0.1:\(server.port)/\(queue)?reserve=none\(options)"))
    }

    @Test(arguments: ["", "&order=data,control"])
    func `a receipt arrives octet for octet, once for each copy, with its title`(order: String) async throws {
        let server = try await CupsLPD()
        let transport = LPDTransport(hostName: "localhost")
        let target = try Self.target(server, options: order)
        #expect(try await transport.contact(target).availability.state == .ready)
        let document = (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var delivery = Delivery.receipt("bcdfghjk-1-1", document)
        delivery.ticket.copies = 2
        var report = try await transport.deliver(delivery, to: target) { _ in }
        if let job = report.remoteJob, !report.state.isFinal {
            report = try await transport.follow(job, on: target) { _ in }
        }
        #expect(report.state == .completed && report.evidence == .accepted)
        try await eventually("the receipt") { try server.cups.keptFiles().count == 1 }
        #expect(try readFile(server.cups.keptFiles()[0]) == document + document)
        #expect(try server.cups.titleAndOwner(ofJob: 1) == ["bcdfghjk-1-1 Receipt", "till"])
    }

    @Test func `a job waits in a stopped queue, is found, and is cancelled`() async throws {
        let server = try await CupsLPD()
        let transport = LPDTransport(hostName: "localhost")
        let target = try Self.target(server)
        _ = try await transport.contact(target)
        try await server.cups.administer("cupsdisable", ["receipt"])
        #expect(try await transport.contact(target).availability.state == .stopped)
        let delivery = Delivery.receipt("bcdfghjk-1-1", Array("one".utf8))
        let report = try await transport.deliver(delivery, to: target) { _ in }
        #expect(report.state == .processingStopped && report.evidence == .accepted)
        #expect(try await transport.locate(delivery, on: target) == report.remoteJob)
        var job = try #require(report.remoteJob)
        job.origin = RemoteJob.Origin(user: "till")
        try await transport.cancel(job, on: target)
        #expect(try await server.cups.isIdle())
        #expect(try server.cups.keptFiles().isEmpty)
    }

    @Test func `a missing queue and one that takes no jobs are told`() async throws {
        let server = try await CupsLPD()
        let transport = LPDTransport(hostName: "localhost")
        let (target, nowhere) = (try Self.target(server), try Self.target(server, "nowhere"))
        let missing = try await transportError { _ = try await transport.contact(nowhere) }
        #expect(missing.code == .printerNotFound)
        _ = try await transport.contact(target)
        try await server.cups.administer("cupsreject", ["receipt"])
        let closed = try await transportError {
            _ = try await transport.deliver(.receipt("bcdfghjk-1-1", [1]), to: target) { _ in }
        }
        #expect(closed.code == .printerNotAccepting && closed.bytesAccepted == 0, "\(closed)")
    }
}
