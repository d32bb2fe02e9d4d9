import DaemonSupport
import Foundation
import KioskAPI
import PrintModel
import SimulatedPrinter
import TestSupport
import Testing

/// `kill -9` of the daemon at any moment between accept and completion.
@Suite(.serialized) struct KioskdCrashTests {
    private static let rounds = TestSupport.rounds(110, long: 500)
    /// Submissions in a round; the daemon dies somewhere amid them or while they print.
    private static let batch = 6

    /// Receipts that were sent, by their text.
    private struct Sent {
        /// Those that the daemon acknowledged, with their job.
        var acknowledged: [String: Job.ID] = [:]
        /// Those whose acknowledgement never came, with their idempotency key.
        var unanswered: [String: String] = [:]
    }

    @Test func `no acknowledged job is lost, and none is printed twice in silence`() async throws {
        var options = SimulatedPrinter.Options()
        options.port = try freePort()
        let printer = try await SimulatedPrinter.start(options)
        // Jobs take some milliseconds, so that many a crash meets one on the printer.
        try await printer.perform(.slow(milliseconds: 3))
        let daemon = try await KioskdFixture(printers: [printer.uri])
        var sent = Sent()
        for round in 0..<Self.rounds {
            if round > 0 { try await daemon.start() }
            try await submitUntilKilled(daemon, round: round, &sent)
        }
        try await daemon.start()
        try await sendAgain(daemon, &sent)
        try await verify(daemon, printer, sent)
    }

    private func submitUntilKilled(_ daemon: KioskdFixture, round: Int, _ sent: inout Sent) async throws {
        let delay = Duration.microseconds(Int.random(in: 0...60_000))
        async let killed: Void = {
            try await Task.sleep(for: delay)
            try await daemon.kill()
        }()
        let client = daemon.client()
        for number in 0..<Self.batch {
            let text = "round \(round) receipt \(number)\n" + String(repeating: "x", count: 1500)
            let key = "key-\(round)-\(number)"
            do {
                sent.acknowledged[text] = try await client.submit(text: text, key: key).id
            } catch is KioskClientError {
                sent.unanswered[text] = key
            }
        }
        client.close()
        try await killed
    }

    /// What a till does that got no answer: it sends the same again with the same key.
    private func sendAgain(_ daemon: KioskdFixture, _ sent: inout Sent) async throws {
        let client = daemon.client()
        for (text, key) in sent.unanswered {
            sent.acknowledged[text] = try await client.submit(text: text, key: key).id
        }
    }

    private func verify(_ daemon: KioskdFixture, _ printer: SimulatedPrinter, _ sent: Sent) async throws {
        let client = daemon.client()
        #expect(sent.acknowledged.count == Self.rounds * Self.batch)
        #expect(Set(sent.acknowledged.values).count == sent.acknowledged.count, "each text is one job")
        var jobs: [String: Job] = [:]
        for (text, id) in sent.acknowledged { jobs[text] = try await client.job(id, wait: .seconds(120)) }
        let copies = try await printedCopies(printer)
        var doubles = 0
        for (text, job) in jobs {
            let (name, count) = (String(text.prefix { $0 != "\n" }), copies[text, default: 0])
            #expect(job.isSettled, "\(name) is \(job.state)")
            if job.state == .completed, !job.isUnconfirmed { #expect(count == 1, "\(name): completed, \(count) on paper") }
            if count == 0 { #expect(job.isUnconfirmed, "\(name) is lost: \(job.state) \(job.message ?? "")") }
            if count > 1 {
                doubles += 1
                #expect(job.isUnconfirmed, "\(name) was printed \(count) times in silence")
            }
        }
        print("\(jobs.count) jobs, \(sent.unanswered.count) first unanswered, \(doubles) doubled and marked, \(jobs.values.filter(\.isUnconfirmed).count) unconfirmed")
    }

    /// How often each text came out whole.
    private func printedCopies(_ printer: SimulatedPrinter) async throws -> [String: Int] {
        let documents = try await printer.documents
        var copies: [String: Int] = [:]
        for paper in try await printer.paper where paper.isComplete {
            let document = try #require(documents.first { $0.number == paper.document })
            copies[String(decoding: try readFile(document.path), as: UTF8.self), default: 0] += 1
        }
        return copies
    }
}
