import KioskPrintModel
import KioskTestSupport
import KioskUSB
import Synchronization
import Testing

@Suite("Jobs that break off over USB", .serialized, .timeLimit(.minutes(10)))
struct BrokenJobsOnUSBBusTests {
    /// A picture. A receipt sent after a part of it would vanish in it.
    private static func picture(rows: Int) -> [UInt8] {
        [0x1D, 0x76, 0x30, 0, 72, 0, UInt8(rows % 256), UInt8(rows / 256)] + [UInt8](repeating: 0xFF, count: 72 * rows)
    }

    @Test(arguments: [DeviceSettings.Recovery.clearBuffers, .padding])
    func `A job cancelled in a picture leaves the next receipt clean`(recovery: DeviceSettings.Recovery) async throws {
        var settings = TransportBench.epson
        settings.recovery = recovery
        try await TransportBench.run("BREAK-\(recovery)", "--speed 20000", settings: settings) { bench in
            let picture = bench.delivery(Self.picture(rows: 500))
            let error = try await bench.cancel(picture, after: 6000)
            #expect(error.code == .cancelled)
            #expect((6000..<36_000).contains(error.bytesAccepted))
            try await bench.control("speed 0")
            #expect(try await bench.deliver("Next receipt\n").evidence == .printed)
            #expect(try bench.count(of: "Next receipt\n") == 1)
            #expect(try await bench.statistics()["cuts"] == "1")
            let job = try await bench.transport.locate(picture, on: bench.target)
            #expect(try await bench.transport.follow(try #require(job), on: bench.target) { _ in }.state == .canceled)
        }
    }

    @Test func `A cover opened in a job stops it, and closing it lets it go on by itself`() async throws {
        try await TransportBench.run("BREAK3", "--speed 20000") { bench in
            let steps = Mutex<[DeliveryProgress]>([])
            let news = NewsLog(bench.transport)
            let text = String(repeating: "0123456789", count: 1500)
            let delivery = Task { try await bench.deliver(text) { step in steps.withLock { $0.append(step) } } }
            try await eventually { try await bench.accepted() > 5000 }
            try await bench.control("cover-open on")
            let stopped = DeliveryProgress.stopped([StateReason(keyword: "cover-open", severity: .error)])
            try await eventually("it is told") {
                steps.withLock(\.self).contains(stopped) && news.states.last == .stopped
            }
            try await bench.control("cover-open off")
            #expect(try await delivery.value.evidence == .printed)
            #expect(try bench.count(of: text) == 1)
            try await eventually { news.states.last == .ready }
        }
    }

    @Test func `A printer without paper is sent nothing, and says by itself when it has some`() async throws {
        try await TransportBench.run("BREAK4", "--paper-out on") { bench in
            let news = NewsLog(bench.transport)
            let report = try await bench.transport.contact(bench.target)
            #expect(report.availability.state == .stopped)
            #expect(report.availability.reasons.map(\.keyword) == ["media-empty"])
            let error = try await bench.failure { try await bench.deliver("One\n") }
            #expect(error.code == .printerNotAccepting)
            #expect(error.bytesAccepted == 0)
            #expect(error.message.contains("put in a new roll"))
            try await bench.control("paper-out off")
            try await eventually("it is told") { news.states.last == .ready }
            #expect(try await bench.deliver("Two\n").evidence == .printed)
            #expect(try bench.count(of: "One\n") == 0)
        }
    }

    @Test func `An unplug at every 512th byte ends the job with at least what was taken, and the next prints`()
        async throws
    {
        try await TransportBench.run("BREAK5", "--speed 2000000") { bench in
            let news = NewsLog(bench.transport)
            let body = String(repeating: "x", count: 6500)
            for (number, offset) in stride(from: 0, through: 6144, by: 512).enumerated() {
                _ = try await bench.transport.contact(bench.target)
                news.clear()
                let before = try await bench.accepted()
                try await bench.control("unplug-at \(offset)")
                let error = try await bench.failure { try await bench.deliver("<\(number)>\(body)</\(number)>") }
                let accepted = try await bench.accepted() - before
                #expect(error.bytesAccepted >= min(accepted - TransportBench.requestLength, body.utf8.count))
                #expect((error.code == .outcomeUnknown) == (error.bytesAccepted > 0))
                #expect(error.message.contains("TM-T20II"))
                try await eventually("it is told") { news.hasDisappeared }
                try await bench.control("unplug-at off")
                try await bench.control("plug")
                try await eventually("it is told") { news.all.contains(.appeared) }
                #expect(try await bench.deliver("after \(number).\n").evidence == .printed)
                #expect(try bench.count(of: "after \(number).\n") == 1)
                #expect(try bench.count(of: "<\(number)>") <= 1)
            }
        }
    }

    @Test func `An endpoint that halted is used again at once, and one that halts in a job says how much was taken`()
        async throws
    {
        try await TransportBench.run("BREAK6") { bench in
            _ = try await bench.transport.contact(bench.target)
            try await bench.control("stall-out 0")
            #expect(try await bench.deliver("One\n").evidence == .printed)
            #expect(try bench.count(of: "One\n") == 1)
            try await bench.control("stall-out 1024")
            let error = try await bench.failure { try await bench.deliver(String(repeating: "y", count: 5000)) }
            #expect(error.bytesAccepted >= Int64(try bench.count(of: "y")))
            #expect(error.bytesAccepted > 0)
            #expect(error.code == .outcomeUnknown)
            #expect(try await bench.deliver("Two\n").evidence == .printed)
            #expect(try bench.count(of: "Two\n") == 1)
        }
    }

    @Test func `A job that an earlier run left in the middle is unknown, and the next receipt is clean`() async throws {
        try await TransportBench.run("BREAK7", "--speed 20000") { bench in
            let delivery = bench.delivery(Self.picture(rows: 500))
            let running = Task { try await bench.transport.deliver(delivery, to: bench.target) { _ in } }
            try await eventually { try await bench.accepted() > 6000 }
            await bench.transport.shutDown()
            _ = await running.result
            let next = bench.anotherRun()
            let error = try await bench.failure { try await next.locate(delivery, on: bench.target) }
            #expect(error.code == .outcomeUnknown)
            let report = try await next.deliver(bench.delivery(Array("Next\n".utf8)), to: bench.target) { _ in }
            await next.shutDown()
            #expect(report.evidence == .printed)
        }
    }

    @Test func `A printer that ignores ids is waited for once, also when it has been away`() async throws {
        let clock = ManualClock()
        try await TransportBench.run("BREAK8", "--process-ids off", clock: clock) { bench in
            let first = try await clock.pass { try await bench.deliver("One\n") }
            let news = NewsLog(bench.transport)
            try await bench.control("unplug")
            try await eventually("it is told") { news.hasDisappeared }
            try await bench.control("plug")
            try await eventually("it is told") { news.all.contains(.appeared) }
            let second = try await bench.deliver("Two\n")
            await bench.transport.forget(bench.target)
            let third = try await bench.deliver("Three\n")
            #expect([first.evidence, second.evidence, third.evidence] == [.processed, .processed, .processed])
        }
    }

    @Test func `A printer that confirmed nothing is asked once more when it has been away`() async throws {
        let clock = ManualClock()
        let settings = DeviceSettings(language: .escPOS, paperSpeed: 150)
        try await TransportBench.run("BREAK10", settings: settings, clock: clock) { bench in
            try await bench.control("language none")
            let first = try await clock.pass { try await bench.deliver("One\n") }
            try await bench.control("language escpos")
            let second = try await bench.deliver("Two\n")
            #expect([first.evidence, second.evidence] == [.sent, .sent])
            let news = NewsLog(bench.transport)
            try await bench.control("unplug")
            try await eventually("it is told") { news.hasDisappeared }
            try await bench.control("plug")
            try await eventually("it is told") { news.all.contains(.appeared) }
            #expect(try await bench.deliver("Three\n").evidence == .processed)
            #expect(try await bench.deliver("Four\n").evidence == .processed)
        }
    }

    @Test func `A printer that did not say who it is is asked again`() async throws {
        let settings = DeviceSettings()
        try await TransportBench.run(
            "BREAK9", "--manufacturer EPSON --model TM-T20II --ignore-control device-id", settings: settings
        ) { bench in
            #expect(try await bench.deliver("One\n").evidence == .sent)
            try await bench.control("ignore-control off")
            _ = try await bench.transport.contact(bench.target)
            let news = NewsLog(bench.transport)
            #expect(try await bench.deliver("Two\n").evidence == .processed)
            #expect(!news.hasDisappeared)
        }
    }
}
