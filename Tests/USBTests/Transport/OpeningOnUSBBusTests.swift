import KioskAsyncPrimitives
import KioskDevicePrinting
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskUSB

@Suite("USB printers that cannot be used", .serialized, .timeLimit(.minutes(10)))
struct OpeningOnUSBBusTests {
    @Test func `One that is not plugged in says so, and is there as soon as it is`() async throws {
        try await TransportBench.run("OPEN1") { bench in
            let news = NewsLog(bench.transport)
            try await bench.control("unplug")
            let error = try await bench.failure { try await bench.transport.contact(bench.target) }
            #expect(error.code == .hostNotFound)
            #expect(error.message.contains("plugged in"))
            #expect(try await bench.failure { try await bench.deliver("One\n") }.bytesAccepted == 0)
            try await bench.control("plug")
            try await eventually("it is told") { news.all.contains(.appeared) }
            #expect(try await bench.deliver("One\n").evidence == .printed)
        }
    }

    @Test func `One that we may not open names the rule that helps`() async throws {
        try await TransportBench.run("OPEN2", "--mode 000") { bench in
            let error = try await bench.failure { try await bench.transport.contact(bench.target) }
            #expect(error.code == .accessDenied)
            #expect(error.message.contains("60-kioskd-usb.rules"))
            #expect(error.message.contains("udevadm"))
        }
    }

    @Test func `One that another program has is told so`() async throws {
        try await TransportBench.run("OPEN3", "--busy on") { bench in
            let error = try await bench.failure { try await bench.transport.contact(bench.target) }
            #expect(error.bytesAccepted == 0)
            #expect(error.message.contains("another program"))
            try await bench.control("busy off")
            #expect(try await bench.deliver("One\n").evidence == .printed)
        }
    }

    @Test func `One that is forgotten is given back`() async throws {
        try await TransportBench.run("OPEN4", "--kernel-driver on") { bench in
            _ = try await bench.transport.contact(bench.target)
            #expect(try await bench.statistics()["driver"] != "usblp")
            await bench.transport.forget(bench.target)
            #expect(try await bench.statistics()["driver"] == "usblp")
            #expect(try await bench.deliver("One\n").evidence == .printed)
        }
    }

    @Test func `Opening, printing and closing take no reset of any kind`() async throws {
        try await TransportBench.run("OPEN6", "--kernel-driver on") { bench in
            for _ in 0..<3 {
                _ = try await bench.transport.contact(bench.target)
                #expect(try await bench.deliver("One\n").evidence == .printed)
                await bench.transport.forget(bench.target)
            }
            let statistics = try await bench.statistics()
            #expect(
                ["resets", "soft-resets", "clear-halts", "alternate-settings"].map { statistics[$0] } == [
                    "0", "0", "0", "0",
                ])
            let requests = try await bench.control("requests")
            #expect(requests.contains("a100"))
            #expect(!requests.contains("2102") && !requests.contains("2302"))
        }
    }

    @Test func `A storm of plugs ends with a printer that prints`() async throws {
        try await TransportBench.run("OPEN7") { bench in
            let news = NewsLog(bench.transport)
            #expect(try await bench.deliver("Before\n").evidence == .printed)
            for _ in 0..<50 {
                try await bench.control("unplug")
                try await bench.control("plug")
            }
            try await eventually("it is told") { news.all.last == .appeared }
            #expect(try await bench.deliver("After\n").evidence == .printed)
            #expect(["Before\n", "After\n"].map { try? bench.count(of: $0) } == [1, 1])
            // Only few of the changes are reported.
            #expect(news.all.count < 50)
        }
    }

    @Test func `Two with one serial number print nothing under the URL of both, though one of them is open`()
        async throws
    {
        try await TransportBench.run("OPEN9", "--port 3") { bench in
            let news = NewsLog(bench.transport)
            #expect(try await bench.deliver("One\n").evidence == .printed)
            let second = try await bench.emulator.add("--serial OPEN9 --port 4")
            let paper = try await bench.emulator.usePaper("\(second)")
            try await eventually("the second is told") { news.all.contains(.appeared) }
            for call in 0..<2 {
                let error = try await bench.failure {
                    if call == 0 { _ = try await bench.transport.contact(bench.target) }
                    return try await bench.deliver("Two\n")
                }
                #expect(error.code == .hostNotFound)
                #expect(error.bytesAccepted == 0)
                #expect(error.message.contains("usb://EPSON/TM-T20II?serial=OPEN9&port=1-3, usb://"))
                #expect(error.message.contains("&port=1-4"))
            }
            // Each is reached under its own.
            let own = PrinterTarget(url: try PrinterURL("usb://EPSON/TM-T20II?serial=OPEN9&port=1-4"))
            let report = try await bench.transport.deliver(bench.delivery(Array("Own\n".utf8)), to: own) { _ in }
            #expect(report.evidence == .printed)
            #expect(try fileText(paper).contains("Own\n"))
            await bench.transport.forget(own)
            news.clear()
            _ = try await bench.emulator.control("\(second) unplug")
            try await eventually("the first is told") { news.all.contains(.appeared) }
            #expect(try await bench.deliver("Three\n").evidence == .printed)
            #expect(["One\n", "Two\n", "Three\n"].map { try? bench.count(of: $0) } == [1, 0, 1])
        }
    }

    @Test func `A job under way ends as usual when a second one with the same serial number is plugged in`()
        async throws
    {
        try await TransportBench.run("OPENA", "--port 3 --speed 2000 --buffer 1024") { bench in
            let news = NewsLog(bench.transport)
            let text = String(repeating: "one coffee\n", count: 400)
            let running = Task { try await bench.deliver(text) }
            try await eventually("it has begun") { try await bench.accepted() > 100 }
            let second = try await bench.emulator.add("--serial OPENA --port 4")
            try await eventually("the second is told") { news.all.contains(.appeared) }
            let error = try await bench.failure { try await bench.transport.contact(bench.target) }
            #expect(error.message.contains("several printers"))
            try await bench.control("speed 0")
            #expect(try await running.value.evidence == .printed)
            #expect(try bench.count(of: text) == 1)
            #expect(try await bench.failure { try await bench.deliver("Two\n") }.code == .hostNotFound)
            _ = try await bench.emulator.control("\(second) unplug")
        }
    }

    @Test func `A printer that is shared by two names is closed with the last of them`() async throws {
        try await TransportBench.run("OPEN5") { bench in
            var other = bench.target
            other.profile = "other"
            let reports = [try await bench.transport.contact(bench.target), try await bench.transport.contact(other)]
            #expect(reports.count == 2)
            await bench.transport.forget(other)
            #expect(try await bench.deliver("One\n").evidence == .printed)
            #expect(try await bench.statistics()["claims"] == "1")
        }
    }

    @Test func `One that is forgotten by who is cancelled meanwhile is given back as well`() async throws {
        try await TransportBench.run("OPEN6", "--kernel-driver on") { bench in
            _ = try await bench.transport.contact(bench.target)
            await Task {
                withUnsafeCurrentTask { unsafe $0?.cancel() }
                await bench.transport.forget(bench.target)
            }.value
            #expect(try await bench.statistics()["driver"] == "usblp")
            #expect(try await bench.deliver("One\n").evidence == .printed)
        }
    }

    @Test func `One that is slow to be given back does not keep back what others say`() async throws {
        try await TransportBench.run("OPEN7") { bench in
            let (news, other) = (NewsLog(bench.transport), try await bench.emulator.add("--serial OPEN8"))
            _ = try await bench.transport.contact(bench.target)
            _ = try await bench.transport.contact(
                PrinterTarget(url: try PrinterURL("usb://EPSON/TM-T20II?serial=OPEN8")))
            // Simulates a device that cannot be closed.
            let mutex = try await #require(await bench.transport.pool.printer(at: bench.target.url)).mutex
            #expect(await mutex.lock())
            defer { mutex.unlock() }
            try await bench.control("unplug")
            try await eventually("the first is told") { news.hasDisappeared }
            news.clear()
            _ = try await bench.emulator.control("\(other) unplug")
            try await eventually("the second is told") { news.hasDisappeared }
        }
    }
}
