import Foundation
import KioskPrintModel
import KioskSSHLpr
import KioskTestSupport
import Testing

/// Printing through OpenSSH into CUPS's own `lpr`.
@Suite struct CupsLprTests {
    @Test func `a receipt arrives octet for octet`() async throws {
        try await withCups { cups, host in
            let receipt = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 31) } + [0x0A, 0x00, 0xFF]
            let steps = Recorder<DeliveryProgress>()
            let report = try await host.transport.deliver(.receipt("bcdfghjk-1-1", receipt), to: host.target) {
                steps.add($0)
            }
            #expect(report.evidence == .accepted)
            try await eventually("the receipt") { try cups.printScript.startedJobs().count == 1 }
            #expect(try cups.keptFiles().map { try readFile($0) } == [receipt])
            #expect(steps.all.first == .connecting)
            #expect(steps.all.last == .sending(bytes: Int64(receipt.count), of: Int64(receipt.count)))
        }
    }

    @Test func `a large document with any title and user arrives octet for octet`() async throws {
        try await withCups { cups, host in
            let folder = try TemporaryFolder()
            let document = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7 ^ $0) }
            let path = try folder.write(document, to: "document")
            var delivery = Delivery.receipt("bcdfghjk-2-1", [])
            delivery.name = "it's \"a\" \\$(touch x) `touch y` !! naïve 領収書 %b \n\u{1B}[31m"
            delivery.user = "O'Brien; touch z"
            delivery.document.body = .file(path: path, length: Int64(document.count))
            try cups.printScript.hold()
            let report = try await host.deliver(delivery)
            #expect(report.state == .processing)
            let job = try #require(report.remoteJob)
            #expect(job.identifier.hasSuffix(" bcdfghjk-2-1"))
            try await eventually("the document") { try cups.keptFiles().count == 1 }
            #expect(try cups.keptFiles().map { try readFile($0) } == [document])
            let words = try cups.titleAndOwner(ofJob: try #require(job.number))
            #expect(
                words == ["bcdfghjk-2-1 it's \"a\" \\$(touch x) `touch y` !! naïve 領収書 %b   [31m", "O'Brien; touch z"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: host.server.home).isEmpty)
            try cups.printScript.release()
        }
    }

    @Test func `a job is followed through the queue until it has left it`() async throws {
        try await withCups { cups, host in
            try cups.printScript.hold()
            let first = try await host.deliver(.receipt("bcdfghjk-1-1", Array("one".utf8)))
            let second = try await host.deliver(.receipt("bcdfghjk-2-1", Array("two".utf8)))
            #expect(first.reasons == ["job-printing"])
            #expect(second.reasons == ["job-queued"])
            #expect(second.message == "1 job ahead")
            let updates = Recorder<JobReport>()
            async let end = host.transport.follow(try #require(second.remoteJob), on: host.target) { updates.add($0) }
            try await eventually("a report") { updates.all.contains { $0.message == "1 job ahead" } }
            try cups.printScript.release()
            let last = try await end
            #expect(last.state == .completed)
            #expect(last.evidence == .accepted)
            #expect(last.reasons == ["queued-in-device"])
            #expect(try cups.keptFiles().count == 2)
        }
    }

    @Test func `cancelling takes a job out of the queue`() async throws {
        try await withCups { cups, host in
            try cups.printScript.hold()
            _ = try await host.deliver(.receipt("bcdfghjk-1-1", Array("one".utf8)))
            let second = try await host.deliver(.receipt("bcdfghjk-2-1", Array("two".utf8)))
            var job = try #require(second.remoteJob)
            job.origin = .init(user: "till")
            try await host.transport.cancel(job, on: host.target)
            let again = try await transportError { try await host.transport.cancel(job, on: host.target) }
            #expect(again.code == .outcomeUnknown)
            try cups.printScript.release()
            try await eventually("the first job's end") {
                try await host.transport.contact(host.target).availability.state == .ready
            }
            #expect(try cups.keptFiles().count == 1)
        }
    }

    @Test(arguments: [nil, "/usr/bin/lpr \"$@\"; status=$?; echo \"$status\" >>\"$HOME.log\"; exit \"$status\""])
    func `a job that is cut off does not print and leaves nothing behind, also where the site has its own lpr`(
        _ own: String?
    ) async throws {
        let programs = try TemporaryFolder()
        if let own { try writeProgram("#!/bin/sh\n\(own)\n", to: programs.appending("lpr")) }
        let path = "\(programs.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"
        try await withCups(environment: ["PATH": path]) { cups, host in
            _ = try await host.transport.contact(host.target)
            let folder = try TemporaryFolder()
            var delivery = Delivery.receipt("bcdfghjk-1-1", [])
            delivery.document = try .sparse(megabytes: 500, in: folder)
            delivery.name = folder.path
            let cutting = delivery
            let error = try await transportError {
                _ = try await host.transport.deliver(cutting, to: host.target) { step in
                    if case .sending(20_000_000..., _) = step { host.server.killSessions() }
                }
            }
            #expect(error.code == .connectionLost)
            #expect(error.bytesAccepted == 0)
            try await eventually("the announced job's removal") { cups.accessLog.contains("Cancel-Job successful-ok") }
            try await eventually("the end of what ran on the host") { !isAnyProcess(containing: folder.path) }
            #expect(try await host.transport.contact(host.target).availability.state == .ready)
            #expect(try cups.keptFiles().isEmpty)
            #expect(try cups.printScript.startedJobs().isEmpty)
        }
    }

    @Test func `what a host has is asked once, however often its connection is made anew`() async throws {
        let programs = try TemporaryFolder()
        try writeProgram(
            "#!/bin/sh\necho \"$1\" >>'\(programs.path)/log'\nexec /usr/bin/lpr \"$@\"\n", to: programs.appending("lpr")
        )
        let path = "\(programs.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"
        try await withCups(environment: ["PATH": path]) { cups, host in
            for number in 1...3 {
                _ = try await host.deliver(.receipt("bcdfghjk-\(number)-1", Array("one".utf8)))
                host.server.killSessions()
            }
            #expect(String(decoding: try programs.read("log"), as: UTF8.self) == "-V\n-P\n-P\n-P\n")
        }
    }

    @Test func `contact tells of a missing, a closed and a stopped queue`() async throws {
        try await withCups { cups, host in
            let ready = try await host.transport.contact(host.target)
            #expect(ready.availability.state == .ready)
            let missing = try await transportError { _ = try await host.transport.contact(try host.queue("nowhere")) }
            #expect(missing.code == .printerNotFound)
            try await cups.administer("cupsdisable", ["receipt"])
            let stopped = try await host.transport.contact(host.target).availability
            #expect(stopped.state == .stopped)
            #expect(stopped.reasons.map(\.keyword).contains("paused"))
            let waiting = try await host.deliver(.receipt("bcdfghjk-1-1", Array("one".utf8)))
            #expect(waiting.state == .processingStopped)
            try await cups.administer("cupsenable", ["receipt"])
            try await eventually("the receipt") { try cups.keptFiles().count == 1 }
            try await cups.administer("cupsreject", ["receipt"])
            let refused = try await transportError {
                _ = try await host.deliver(.receipt("bcdfghjk-2-1", Array("two".utf8)))
            }
            #expect(refused.code == .printerNotAccepting)
            #expect(refused.bytesAccepted == 0)
        }
    }

    @Test func `a queue that is gone is told from a spooler that is down`() async throws {
        try await withCups { cups, host in
            let missing = try await transportError {
                _ = try await host.deliver(.receipt("bcdfghjk-1-1", Array("one".utf8)), to: "nowhere")
            }
            #expect(missing.code == .printerNotFound)
            #expect(missing.bytesAccepted == 0)
            try await cups.stop()
            let down = try await transportError {
                _ = try await host.deliver(.receipt("bcdfghjk-1-1", Array("one".utf8)))
            }
            #expect(down.code == .printerFailed)
            #expect(down.bytesAccepted == 0)
            #expect(down.message.contains("nable to connect"))
        }
    }
}
