import Foundation
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskTestSupport
import Testing

/// Cables that are pulled while the built daemon prints to emulated receipt printers: what is on their paper must be
/// what its list of jobs says.
@Suite(.timeLimit(.minutes(10))) struct KioskdUSBUnplugTests {
    private static let urls = ["T1", "T2"].map { "usb://EPSON/TM-T20II?serial=\($0)" }

    /// A daemon with as many printers, and what is on their paper.
    private struct Bench {
        var usb: USBEmulator
        var daemon: KioskdFixture
        var papers: [String]

        init(printers: Int, unconfirmed: String = "hold") async throws {
            let devices = ["T1", "T2"].prefix(printers).flatMap { ["--device", "--serial", $0] }
            usb = try await USBEmulator(devices)
            papers = []
            for number in 0..<printers { papers.append(try await usb.usePaper("\(number)")) }
            let profiles = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
                "../../profiles")
            daemon = try await KioskdFixture(
                registry: KioskdFixture.registry(
                    Array(urls.prefix(printers)), more: "    unconfirmed: \(unconfirmed)\n"),
                arguments: ["--profiles", profiles.standardized.path], usb: usb)
            let client = daemon.client()
            try await eventually("the printers are ready") {
                try await client.printers().allSatisfy { $0.availability.state == .ready }
            }
        }

        func submit(_ text: String) async throws -> Job {
            var parameters = SubmissionParameters()
            parameters.role = RoleName(rawValue: "receipt")
            parameters.format = .escPOS
            return try await daemon.client().submit(.bytes(Array(text.utf8)), parameters)
        }

        func settled(_ job: Job) async throws -> Job { try await daemon.client().job(job.id, wait: .seconds(300)) }

        /// How often a text is on each printer's paper.
        func copies(of text: String) throws -> [Int] {
            try papers.map {
                try String(contentsOfFile: $0, encoding: .isoLatin1).components(separatedBy: text).count - 1
            }
        }
    }

    private static func receipt(_ number: Int) -> String {
        "<receipt \(number)>\n\(String(repeating: "one coffee, one tea, two cakes\n", count: 250))</receipt \(number)>\n"
    }

    @Test(arguments: [("hold", JobState.pendingHeld, 0), ("drop", .aborted, 0), ("reprint", .completed, 1)])
    func `a job of which a part was taken is never printed twice unsaid`(
        policy: String, state: JobState, reprints: Int
    ) async throws {
        let bench = try await Bench(printers: 2, unconfirmed: policy)
        try await bench.usb.control("0 unplug-at 3000")
        let job = try await bench.settled(bench.submit(Self.receipt(1)))
        #expect(job.state == state)
        #expect(job.isUnconfirmed)
        // What was taken is on the paper; all of it only where the role says that it is printed again.
        #expect(try bench.copies(of: "<receipt 1>") == [1, reprints])
        #expect(try bench.copies(of: Self.receipt(1)) == [0, reprints])
        if policy != "reprint" { #expect(job.message?.contains("cannot be known") == true) }
        // Back again, it prints the next, and nothing of the job before.
        try await bench.usb.control("0 plug")
        try await eventually("the first is back") {
            try await bench.daemon.client().printers().allSatisfy { $0.availability.state == .ready }
        }
        let next = try await bench.settled(bench.submit(Self.receipt(2)))
        #expect(next.state == .completed)
        #expect(next.evidence == .printed)
        #expect(!next.isUnconfirmed)
        #expect(try bench.copies(of: Self.receipt(2)) == [1, 0])
        #expect(try bench.copies(of: "<receipt 1>") == [1, reprints])
    }

    @Test func `a job of which nothing can have been taken goes on at the second printer`() async throws {
        let bench = try await Bench(printers: 2)
        try await bench.usb.control("0 unplug")
        let job = try await bench.settled(bench.submit(Self.receipt(1)))
        #expect(job.state == .completed)
        #expect(job.printer?.rawValue == "till-2")
        #expect(!job.isUnconfirmed)
        #expect(try bench.copies(of: Self.receipt(1)) == [0, 1])
        #expect(try bench.copies(of: "<receipt 1>") == [0, 1])
    }

    @Test func `jobs that are printed while the cable is loose are on paper as the list of jobs says`() async throws {
        let bench = try await Bench(printers: 1)
        var jobs: [Job] = []
        for number in 1...12 {
            if number % 3 == 0 { try await bench.usb.control("0 unplug-at \(number * 512)") }
            jobs.append(try await bench.submit(Self.receipt(number)))
            if number % 3 == 0 {
                try await eventually("the cable is out") { try await bench.usb.statistics()["plugged"] == "0" }
                try await bench.usb.control("0 plug")
            }
        }
        for job in jobs {
            let settled = try await bench.settled(job)
            let number = jobs.firstIndex { $0.id == job.id }.map { $0 + 1 } ?? 0
            let whole = try bench.copies(of: Self.receipt(number))
            if settled.state == .completed, !settled.isUnconfirmed {
                #expect(settled.evidence == .printed)
                #expect(whole == [1], "\(settled)")
            } else {
                #expect(settled.isUnconfirmed)
                #expect(whole.allSatisfy { $0 <= 1 })
            }
            #expect(try bench.copies(of: "<receipt \(number)>").allSatisfy { $0 <= 1 })
        }
    }
}
