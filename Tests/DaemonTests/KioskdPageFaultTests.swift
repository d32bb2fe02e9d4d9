import Foundation
import Glibc
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskTestSupport
import Testing

/// A PDF whose way to the printer is cut at each of its pages: what was told of it, and what came out.
@Suite struct KioskdPageFaultTests {
    /// More pages than what lies between renderer and gate can hold: the last is never drawn before the gate opens.
    private static let pages = 24
    /// The pages behind which the way is cut.
    private static let cuts = rounds(0, long: 1) == 0 ? [0, 2, 5] : Array(0..<6)

    /// Pages of noise, which no raster format makes small.
    private static let pdf: [UInt8] = {
        var (writer, random) = (PDFWriter(), SeededRandom(24))
        let noise = writer.addPicture(
            width: 640, height: 640, (0..<640 * 640).map { _ in UInt8.random(in: 0...255, using: &random) })
        for _ in 1...pages {
            writer.addPage("q 480 0 0 480 50 300 cm /N Do Q", "/Resources << /XObject << /N \(noise) 0 R >> >>")
        }
        return writer.bytes
    }()

    /// A printer of PWG raster, the gate before it, and a daemon that knows the gate as its printer.
    private struct Bench {
        let printer: EvePrinter
        let gate: PageGate
        let daemon: KioskdFixture

        init() async throws {
            var options = EvePrinter.Options()
            options.formats = ["image/pwg-raster"]
            options.arguments = ["-s", "10"]
            printer = try await EvePrinter(options)
            gate = try await PageGate(to: printer.port)
            daemon = try await KioskdFixture(printers: [gate.uri], role: "document")
        }

        /// Sends the document, and returns once so many whole pages have come through and the next one has begun.
        func send(stoppingBehind pages: Int) async throws -> Job.ID {
            try await gate.close(behind: pages)
            let client = daemon.client()
            defer { client.close() }
            var parameters = SubmissionParameters()
            parameters.role = RoleName(rawValue: "document")
            parameters.format = .pdf
            parameters.ticket.media = "iso_a4_210x297mm"
            parameters.ticket.resolution = 300
            let job = try await client.submit(.bytes(KioskdPageFaultTests.pdf), parameters)
            try await eventually("the document at the gate") { gate.isHolding }
            return job.id
        }

        func settled(_ id: Job.ID) async throws -> Job {
            let client = daemon.client()
            defer { client.close() }
            return try await eventuallyValue("the end of the job") {
                let job = try await client.job(id)
                return job.isSettled ? job : nil
            }
        }

        /// The processes that render; the spare among them.
        func renderers() throws -> [Int32] {
            try childProcesses(of: daemon.process.processID).filter { programName(of: $0) == "kiosk-render" }
        }

        /// The documents that came out whole.
        func wholeDocuments() throws -> Int {
            try printer.keptFiles().filter { file in
                let bytes = try readFile(file)
                return Data(bytes).ranges(of: Data("PwgRaster\0".utf8)).count == KioskdPageFaultTests.pages
            }.count
        }
    }

    @Test func `a job that is cancelled at a page ends, and so do the processes that draw it`() async throws {
        let bench = try await Bench()
        for page in Self.cuts {
            let id = try await bench.send(stoppingBehind: page)
            let renderers = try bench.renderers()
            #expect(renderers.count > 1)
            let client = bench.daemon.client()
            defer { client.close() }
            _ = try await client.cancel(id)
            // All but the spare, while the printer still waits for more.
            try await eventually("the end of the renderers") {
                try Set(bench.renderers()).intersection(renderers).count <= 1
            }
            bench.gate.open()
            #expect(try await bench.settled(id).state == .canceled)
        }
        #expect(try bench.wholeDocuments() == 0)
    }

    @Test func `a renderer that is killed at a page ends its job, which names the pages that may be on paper`()
        async throws
    {
        let bench = try await Bench()
        for page in Self.cuts {
            let id = try await bench.send(stoppingBehind: page)
            for process in try bench.renderers() { kill(process, SIGKILL) }
            bench.gate.open()
            let job = try await bench.settled(id)
            #expect(job.state == .aborted)
            let message = job.message ?? ""
            #expect(message.contains("was killed (signal 9)"), "\(message)")
            // What the printer has begun, and what lay between, but never the last.
            let named = (page + 1..<Self.pages).filter { pages in
                let which = pages > 1 ? "pages 1 to \(pages) of it" : "a part of its first page"
                return message.hasSuffix("; \(which) may be on paper at till-1")
            }
            #expect(named.count == 1, "behind page \(page): \(message)")
        }
        #expect(try bench.wholeDocuments() == 0)
    }

    @Test func `a daemon that is killed at a page leaves its job in doubt, and prints nothing of it by itself`()
        async throws
    {
        let bench = try await Bench()
        for page in Self.cuts {
            let id = try await bench.send(stoppingBehind: page)
            try await bench.daemon.kill()
            bench.gate.open()
            try await bench.daemon.start()
            let job = try await bench.settled(id)
            #expect(job.state == .pendingHeld && job.stateReasons.contains("unconfirmed"), "\(job)")
            #expect(job.message?.contains("Look at the paper") == true, "\(job)")
        }
        // The printer got a part of each only, which it ended by itself.
        #expect(try bench.wholeDocuments() == 0)
    }
}
