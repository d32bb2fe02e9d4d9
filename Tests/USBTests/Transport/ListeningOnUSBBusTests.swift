import KioskPrintModel
import KioskTestSupport
import KioskUSB
import Synchronization
import Testing

@Suite("Listening to printers over USB", .serialized, .timeLimit(.minutes(10)))
struct ListeningOnUSBBusTests {
    @Test func `A document that turns the reports off does not make the printer mute`() async throws {
        try await TransportBench.run("HEAR1") { bench in
            let news = NewsLog(bench.transport)
            #expect(try await bench.deliver("\u{1B}@One\n").evidence == .printed)
            // It is asked for them again behind the job.
            try await eventually("they are on again") {
                try bench.printed().reversed().starts(with: [0x0F, 0x61, 0x1D])
            }
            try await bench.control("cover-open on")
            try await eventually("it is told") { news.availabilities.last?.reasons.map(\.keyword) == ["cover-open"] }
        }
    }

    @Test func `A printer that has stopped and left a question unanswered is asked again`() async throws {
        let clock = ManualClock()
        try await TransportBench.run("HEAR2", clock: clock) { bench in
            let news = NewsLog(bench.transport)
            _ = try await bench.transport.contact(bench.target)
            try await bench.control("cover-open on")
            try await eventually("it is told") { news.states.last == .stopped }
            // It is out of its mind, and what it would say meanwhile is never said.
            try await bench.control("language none")
            let deaf = try await clock.pass { try await bench.transport.contact(bench.target) }
            #expect(deaf.availability.state == .stopped)
            try await bench.control("cover-open off")
            try await bench.control("language escpos")
            #expect(try await bench.transport.contact(bench.target).availability == Availability(.ready))
            #expect(try await bench.deliver("One\n").evidence == .printed)
        }
    }

    @Test func `A contact does not wait behind a job`() async throws {
        try await TransportBench.run("HEAR3") { bench in
            _ = try await bench.transport.contact(bench.target)
            try await bench.control("credit \(3072 + TransportBench.requestLength)")
            let isOver = Mutex(false)
            let delivery = Task {
                defer { isOver.withLock { $0 = true } }
                return try await bench.deliver(String(repeating: "x", count: 10_000))
            }
            try await eventually("the job stands still") { try await bench.accepted() >= 3072 }
            #expect(try await bench.transport.contact(bench.target).availability == Availability(.ready))
            #expect(!isOver.withLock { $0 })
            try await bench.control("credit off")
            #expect(try await delivery.value.evidence == .printed)
        }
    }

    @Test func `One that says at last who it is, while it prints, is opened anew behind the job and not before`()
        async throws
    {
        try await TransportBench.run("HEAR7", "--ignore-control device-id") { bench in
            #expect(try await bench.transport.contact(bench.target).description.deviceID == nil)
            try await bench.control("credit \(3072 + TransportBench.requestLength)")
            let text = String(repeating: "0123456789", count: 1000)
            let delivery = Task { try await bench.deliver(text) }
            try await eventually("the job stands still") { try await bench.accepted() >= 3072 }
            try await bench.control("ignore-control off")
            for _ in 0..<3 { #expect(try await bench.transport.contact(bench.target).description.deviceID == nil) }
            try await bench.control("credit off")
            #expect(try await delivery.value.evidence == .printed)
            #expect(try bench.count(of: text) == 1)
            try await eventually("it is opened anew") {
                try await bench.transport.contact(bench.target).description.deviceID != nil
            }
        }
    }

    @Test func `A stall of the back-channel costs no confirmation`() async throws {
        try await TransportBench.run("HEAR4") { bench in
            _ = try await bench.transport.contact(bench.target)
            for number in 0..<5 {
                try await bench.control("stall-in 0")
                #expect(try await bench.deliver("Receipt \(number).\n").evidence == .printed)
                #expect(try bench.count(of: "Receipt \(number).\n") == 1)
            }
        }
    }

    @Test func `Reports that say nothing new are not told, however many come while a job stands still`() async throws {
        try await TransportBench.run("HEAR5", "--speed 20000") { bench in
            let news = NewsLog(bench.transport)
            let steps = Mutex(0)
            let text = String(repeating: "0123456789", count: 1500)
            let delivery = Task {
                try await bench.deliver(text) { if case .stopped = $0 { steps.withLock { $0 += 1 } } }
            }
            try await eventually { try await bench.accepted() > 5000 }
            try await bench.control("cover-open on")
            try await eventually("it is told") { news.states.last == .stopped && steps.withLock(\.self) > 0 }
            let (told, stopped) = (news.all.count, steps.withLock(\.self))
            for _ in 0..<100 {
                try await bench.control("answer \(String(repeating: "38000000", count: 100))")
                try await eventually("they are read") { try await bench.statistics()["unread"] == "0" }
            }
            #expect(news.all.count == told)
            #expect(steps.withLock { $0 } == stopped)
            try await bench.control("cover-open off")
            #expect(try await delivery.value.evidence == .printed)
            #expect(try bench.count(of: text) == 1)
        }
    }

    @Test func `News that nobody takes are few, and the last are kept`() async throws {
        try await TransportBench.run("HEAR6") { bench in
            _ = try await bench.transport.contact(bench.target)
            for _ in 0..<300 {
                for state in ["on", "off"] { try await bench.control("paper-low \(state)") }
            }
            try await eventually("all was read") { try await bench.statistics()["unread"] == "0" }
            try await bench.control("cover-open on")
            let news = NewsLog(bench.transport)
            try await eventually("the last of them") {
                news.availabilities.last?.reasons.map(\.keyword) == ["cover-open"]
            }
            // 256, and what came while they were read.
            #expect(news.all.count < 400)
        }
    }
}
