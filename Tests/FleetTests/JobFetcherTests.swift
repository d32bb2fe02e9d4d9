import Foundation
import KioskAsyncPrimitives
import KioskPrintModel
import KioskTestSupport
import Synchronization
import Testing

@testable import KioskFleet

/// What a kiosk fetches from real servers.
@Suite struct JobFetcherTests {
    /// A hub with its streams, and who sends to it.
    private struct Office {
        let server: NATSServer
        let link: NATSLink
        let jetStream: JetStream

        init(_ version: NATSServer.Version) async throws {
            let server = try await NATSServer(version)
            let link = try NATSLink(NATSLink.Options.test([server.url], as: "office"))
            (self.server, self.link, jetStream) = (server, link, JetStream(link, timeout: .seconds(60)))
            try await eventually("the office to reach the hub") { link.isConnected }
            try await HubSetup(HubLayout(replicas: 1), at: jetStream).apply(changesExisting: false)
        }

        func send(_ number: Int, to site: String = "0147") async throws {
            let key = try JobKey(idempotencyKey: "order-\(number)")
            _ = try await jetStream.publish(
                .job(to: "receipt", of: SiteName(site), key), body: Array("\(number)".utf8))
        }
    }

    /// A kiosk that keeps what it takes, and how far it has come.
    private final class Kiosk: Sendable {
        let link: NATSLink
        private let fetcher: JobFetcher
        private let state = Mutex((numbers: [Int](), cursor: Int64(0)))

        init(_ url: String, pace: JobFetcher.Pace = JobFetcher.Pace()) async throws {
            let link = try NATSLink(NATSLink.Options.test([url], as: "kiosk"))
            self.link = link
            fetcher = JobFetcher(of: try SiteName("0147"), at: JetStream(link, timeout: .seconds(60)), pace: pace)
            try await eventually("the kiosk to reach the hub") { link.isConnected }
        }

        var numbers: [Int] { state.withLock(\.numbers) }

        func fetch() async throws {
            try await fetcher.run(from: state.withLock(\.cursor)) { delivery in
                let number = try #require(Int(String(decoding: delivery.message.body, as: UTF8.self)))
                self.state.withLock { state in
                    // What comes again is known.
                    if !state.numbers.contains(number) { state.numbers.append(number) }
                    state.cursor = delivery.position.storedAt
                }
            }
        }
    }

    @Test(arguments: NATSServer.installed)
    func `a site's jobs come in order, those that waited and those to come`(version: NATSServer.Version) async throws {
        let office = try await Office(version)
        for number in 1...150 { try await office.send(number) }
        try await office.send(1000, to: "0148")
        let kiosk = try await Kiosk(office.server.url)
        let fetching = Task { try await kiosk.fetch() }
        try await eventually("what waited") { kiosk.numbers.count == 150 }
        for number in 151...200 { try await office.send(number) }
        try await eventually("what came") { kiosk.numbers.count == 200 }
        #expect(kiosk.numbers == Array(1...200))
        fetching.cancel()
        await #expect(throws: (any Error).self) { try await fetching.value }
    }

    @Test(arguments: NATSServer.installed)
    func `a consumer that was placed on a dead server is asked for under another name`(
        version: NATSServer.Version
    ) async throws {
        let office = try await Office(version)
        try await office.send(1)
        let names = Mutex<Set<String>>([])
        let way = FaultyLink(office.link, first: 3, .lostRequest) { message in
            let words = message.subject.split(separator: ".")
            guard Self.isForConsumer(message), words.count > 5 else { return false }
            return names.withLock { $0.insert(String(words[5])).inserted }
        }
        let jetStream = JetStream(way, timeout: .milliseconds(50), consumerTimeout: .seconds(600))
        try await fetchOne(at: jetStream)
        // Three that were lost, and one that was made.
        #expect(names.withLock(\.count) >= 4)
    }

    @Test(arguments: NATSServer.installed)
    func `the first consumer that a busy hub makes is taken, however often it was asked`(
        version: NATSServer.Version
    ) async throws {
        let office = try await Office(version)
        try await office.send(1)
        // The hub gets to the first request after the second was made, which it never answers.
        let requests = Mutex(0)
        let late = FaultyLink(office.link, first: 1, .late(.seconds(1))) { Self.isForConsumer($0) }
        let way = FaultyLink(late, first: 1000, .lostRequest) { message in
            guard Self.isForConsumer(message) else { return false }
            return requests.withLock { requests in
                requests += 1
                return requests > 1
            }
        }
        let jetStream = JetStream(way, timeout: .milliseconds(100), consumerTimeout: .seconds(600))
        try await fetchOne(at: jetStream)
        #expect(requests.withLock { $0 } > 1)
    }

    /// Fetches until the first job has come.
    private func fetchOne(at jetStream: JetStream) async throws {
        let taken = AsyncSignal()
        try await withThrowingTaskGroup { group in
            group.addTask {
                try await JobFetcher(of: SiteName("0147"), at: jetStream).run(from: 0) { _ in taken.raise() }
            }
            group.addTask { await taken.wait() }
            group.addTask {
                try await Task.sleep(for: .seconds(300))
                throw TestSupportError("the job has not come")
            }
            defer { group.cancelAll() }
            // Throws why nothing is fetched any more.
            try await group.next()
        }
    }

    private static func isForConsumer(_ message: HubMessage) -> Bool {
        message.subject.hasPrefix("$JS.API.CONSUMER.CREATE.JOBS.")
    }

    @Test(arguments: NATSServer.installed)
    func `the time that a consumer takes to be made is not a job's age`(version: NATSServer.Version) async throws {
        let office = try await Office(version)
        try await office.send(1)
        let way = FaultyLink(office.link, first: 1, .late(.seconds(2))) {
            $0.subject.hasPrefix("$JS.API.CONSUMER.CREATE.JOBS.")
        }
        let (times, continuation) = AsyncStream.makeStream(of: Int64?.self)
        let fetching = Task {
            try await JobFetcher(of: SiteName("0147"), at: JetStream(way, timeout: .seconds(60))).run(from: 0) {
                continuation.yield($0.receivedAt)
            }
        }
        var iterator = times.makeAsyncIterator()
        let received = try #require(await iterator.next() ?? nil)
        // The hub's clock is this machine's.
        #expect(received <= Int64(Date().timeIntervalSince1970 * 1_000_000_000))
        fetching.cancel()
        _ = await fetching.result
    }

    @Test(arguments: NATSServer.installed)
    func `a request that ends is made anew`(version: NATSServer.Version) async throws {
        let office = try await Office(version)
        var pace = JobFetcher.Pace()
        (pace.batch, pace.requestTime, pace.heartbeat) = (2, .seconds(1), .milliseconds(300))
        let kiosk = try await Kiosk(office.server.url, pace: pace)
        let fetching = Task {
            // On a busy machine two heartbeats may be missed.
            while !Task.isCancelled { try? await kiosk.fetch() }
        }
        for number in 1...5 {
            try await office.send(number)
            // Longer than the request stands.
            try await Task.sleep(for: .milliseconds(1200))
        }
        try await eventually("all of them") { kiosk.numbers.count == 5 }
        #expect(kiosk.numbers == Array(1...5))
        fetching.cancel()
        await fetching.value
    }

    @Test(arguments: NATSServer.installed)
    func `a consumer that is old is followed by another, which goes on where it was`(
        version: NATSServer.Version
    ) async throws {
        let office = try await Office(version)
        var pace = JobFetcher.Pace()
        (pace.requestTime, pace.heartbeat, pace.consumerLifetime) = (.seconds(1), .milliseconds(300), .zero)
        let consumers = Mutex<[String]>([])
        let way = FaultyLink(office.link, first: 0, .noResponders) { message in
            guard Self.isForConsumer(message) else { return false }
            consumers.withLock { $0.append(String(decoding: message.body, as: UTF8.self)) }
            return false
        }
        let taken = Mutex<[Int64]>([])
        let fetcher = try JobFetcher(of: SiteName("0147"), at: JetStream(way, timeout: .seconds(60)), pace: pace)
        let fetching = Task {
            // On a busy machine two heartbeats may be missed: then it begins anew, from the beginning.
            while !Task.isCancelled {
                try? await fetcher.run(from: 0) { delivery in taken.withLock { $0.append(delivery.position.storedAt) } }
            }
        }
        try await office.send(1)
        let first = try await eventuallyValue("the first job") { taken.withLock(\.first) }
        let start = JetStream.text(ofTime: first - JobFetcher.overlap)
        try await eventually("a consumer that goes on there") {
            consumers.withLock { $0.contains { $0.contains(start) } }
        }
        try await office.send(2)
        try await eventually("both jobs") { Set(taken.withLock { $0 }).count == 2 }
        fetching.cancel()
        await fetching.value
    }

    @Test(arguments: NATSServer.installed)
    func `a hub that was killed goes on where the kiosk was`(version: NATSServer.Version) async throws {
        let office = try await Office(version)
        let kiosk = try await Kiosk(office.server.url)
        let fetching = Task { try await kiosk.fetch() }
        for number in 1...3 { try await office.send(number) }
        try await eventually("what was sent before") { kiosk.numbers.count == 3 }
        try await office.server.kill()
        let broken = await #expect(throws: FleetError.self) { try await fetching.value }
        #expect(broken?.code == .notConnected)
        try await eventually("the office to notice") { !office.link.isConnected }
        try await office.server.start()
        try await eventually("both to come back") { office.link.isConnected && kiosk.link.isConnected }
        for number in 4...6 { try await office.send(number) }
        let again = Task { try await kiosk.fetch() }
        try await eventually("what was sent after") { kiosk.numbers.count == 6 }
        #expect(kiosk.numbers == Array(1...6))
        again.cancel()
        await #expect(throws: (any Error).self) { try await again.value }
    }

    @Test(arguments: NATSServer.installed)
    func `what the kiosk cannot take ends the fetching, and comes again`(version: NATSServer.Version) async throws {
        struct DiskFull: Error {}
        let office = try await Office(version)
        try await office.send(1)
        let link = try NATSLink(NATSLink.Options.test([office.server.url], as: "kiosk"))
        try await eventually("the kiosk to reach the hub") { link.isConnected }
        let fetcher = JobFetcher(of: try SiteName("0147"), at: JetStream(link, timeout: .seconds(60)))
        for _ in 1...2 {
            await #expect(throws: DiskFull.self) { try await fetcher.run(from: 0) { _ in throw DiskFull() } }
        }
    }

    /// By `date -u -d @… +%FT%T.%NZ`.
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000000000Z"), (-5, "1970-01-01T00:00:00.000000000Z"),
        (1_700_000_000_000_000_001, "2023-11-14T22:13:20.000000001Z"),
        (1_800_000_000_123_456_789, "2027-01-15T08:00:00.123456789Z"),
    ])
    func `times are written to the nanosecond`(time: Int64, text: String) {
        #expect(JetStream.text(ofTime: time) == text)
    }
}
