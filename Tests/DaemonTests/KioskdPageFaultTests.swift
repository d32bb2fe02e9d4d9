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
    private static let cuts = 0..<6

    /// Pages of noise, which no raster format makes small.
    private static let pdf: [UInt8] = {
        var (writer, random) = (PDFWriter(), SeededRandom(24))
        let noise = writer.addPicture(
            width: 320, height: 320, (0..<320 * 320).map { _ in UInt8.random(in: 0...255, using: &random) })
        for _ in 1...pages {
            writer.addPage("q 320 0 0 320 100 300 cm /N Do Q", "/Resources << /XObject << /N \(noise) 0 R >> >>")
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
            gate.close(behind: pages)
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

    @Test func `a job that is cancelled at a page ends, and so does its renderer`() async throws {
        let bench = try await Bench()
        for page in Self.cuts {
            let id = try await bench.send(stoppingBehind: page)
            let renderers = try bench.renderers()
            let client = bench.daemon.client()
            defer { client.close() }
            _ = try await client.cancel(id)
            let job = try await bench.settled(id)
            print("CANCEL \(page): \(job.state) \(job.pagesBegun ?? -1) \(job.message ?? "-") \(renderers)")
            #expect(job.state == .canceled)
            bench.gate.open()
        }
        #expect(try bench.wholeDocuments() == 0)
    }

    @Test func `a renderer that is killed at a page leaves a job in doubt that names its pages`() async throws {
        let bench = try await Bench()
        for page in Self.cuts {
            let id = try await bench.send(stoppingBehind: page)
            for process in try bench.renderers() { kill(process, SIGKILL) }
            bench.gate.open()
            let job = try await bench.settled(id)
            print("KILL \(page): \(job.state) \(job.stateReasons) \(job.pagesBegun ?? -1) \(job.message ?? "-")")
        }
    }

    @Test func `a daemon that is killed at a page neither loses the document nor prints it twice unsaid`()
        async throws
    {
        let bench = try await Bench()
        for page in Self.cuts {
            let before = try bench.wholeDocuments()
            let id = try await bench.send(stoppingBehind: page)
            try await bench.daemon.kill()
            bench.gate.open()
            try await bench.daemon.start()
            let job = try await bench.settled(id)
            print("CRASH \(page): \(job.state) \(job.stateReasons) \(job.pagesBegun ?? -1) \(job.message ?? "-") \(try bench.wholeDocuments() - before)")
        }
    }
}
