import Foundation
import KioskStandby
import KioskTestSupport
import Testing

@Suite struct StandbyStoreTests {
    private let folder: TemporaryFolder
    private var path: String { folder.appending("standby.sqlite") }
    private static let now: Int64 = 1_790_000_000

    init() throws { folder = try TemporaryFolder("standby") }

    private func key(_ job: Int64, queue: String = "bcd") -> StandbyKey {
        StandbyKey(node: "kiosk-1", queue: queue, job: job)
    }

    private func job(_ text: String, caller: String? = "token:3", age: Int = 0) -> HeldJob {
        HeldJob(
            caller: caller, idempotencyKey: caller.map { _ in text }, request: Array("request".utf8),
            document: Array(text.utf8), age: age)
    }

    @Test func `a job is held, also after a restart, until it ends`() async throws {
        let store = try StandbyStore(path: path)
        #expect(try await store.hold(key(7), job("tea", age: 5), at: Self.now) == .held)
        // Another under its number is none: it came first.
        #expect(try await store.hold(key(7), job("coffee"), at: Self.now) == .held)
        let again = try StandbyStore(path: path)
        let held = try #require(try await again.held(key(7), at: Self.now + 60))
        #expect(held.document == Array("tea".utf8) && held.age == 65 && held.caller == "token:3")
        #expect(try await again.holder(of: "tea", caller: "token:3") == key(7))
        #expect(try await again.holder(of: "tea", caller: "token:4") == nil)
        try await again.end(key(7))
        #expect(try await again.held(key(7), at: Self.now) == nil)
        #expect(try await again.heldKeys().isEmpty)
    }

    @Test func `a clock that is set makes no job older that came in this run`() async throws {
        let store = try StandbyStore(path: path)
        _ = try await store.hold(key(7), job("tea", age: 5), at: Self.now)
        #expect(try await store.held(key(7), at: Self.now + 86_400)?.age ?? 0 < 86_400)
    }

    @Test func `a job that was taken over is known as that, and its document is gone`() async throws {
        let store = try StandbyStore(path: path)
        _ = try await store.hold(key(7), job("tea"), at: Self.now)
        _ = try await store.hold(key(8), job("coffee"), at: Self.now)
        try await store.take(key(7), as: 5, at: Self.now)
        #expect(try await store.hold(key(7), job("tea"), at: Self.now) == .taken(as: 5))
        #expect(try await store.held(key(7), at: Self.now) == nil)
        #expect(try await store.heldKeys() == [key(8)])
        #expect(try await store.holder(of: "tea", caller: "token:3") == nil)
        let taken = try await store.list(of: "kiosk-1", in: "bcd", isTaken: true, after: 0, limit: 10)
        #expect(taken.held == 1 && taken.entries.map(\.key) == [key(7)])
        #expect(taken.entries.map(\.state) == [.taken(as: 5)])
        try await store.note(key(9), takenAs: 6, at: Self.now)
        let all = try await store.list(of: nil, in: nil, isTaken: nil, after: 7, limit: 10)
        #expect(all.entries.map(\.key.job) == [8, 9])
        #expect(try await store.list(of: nil, in: nil, isTaken: nil, after: 0, limit: 2).entries.count == 2)
    }

    @Test func `jobs of an older queue are told apart`() async throws {
        let store = try StandbyStore(path: path)
        _ = try await store.hold(key(7), job("tea"), at: Self.now)
        _ = try await store.hold(key(7, queue: "xyz"), job("coffee"), at: Self.now)
        #expect(try await store.heldKeys(of: "kiosk-1", otherQueueThan: "xyz") == [key(7)])
        #expect(try await store.heldKeys(of: "kiosk-2", otherQueueThan: "xyz").isEmpty)
    }

    @Test func `there is room for so much, and what was taken over long ago gives way`() async throws {
        var bounds = StandbyStore.Bounds()
        (bounds.document, bounds.jobs, bounds.documents) = (10, 3, 15)
        let store = try StandbyStore(path: path, bounds: bounds)
        func refusal(_ number: Int64, _ text: String, at now: Int64 = Self.now) async -> StandbyError.Code? {
            do {
                _ = try await store.hold(key(number), job(text), at: now)
                return nil
            } catch {
                return (error as? StandbyError)?.code
            }
        }
        #expect(await refusal(1, "eleven byte") == .tooLarge)
        #expect(await refusal(1, "ten bytes.") == nil)
        #expect(await refusal(2, "six by") == .full)
        #expect(await refusal(2, "five.") == nil)
        try await store.take(key(1), as: 5, at: Self.now)
        #expect(await refusal(3, "ten bytes.") == nil)
        #expect(await refusal(4, "x") == .full)
        await #expect(throws: StandbyError.self) { try await store.note(key(5), takenAs: 9, at: Self.now) }
        // What was there stays what it was.
        #expect(await refusal(3, "ten bytes.") == nil)
        let later = Self.now + 31 * 86_400
        #expect(await refusal(4, "x", at: later) == .full)
        try await store.end(key(3))
        #expect(await refusal(4, "x", at: later) == nil)
        #expect(await refusal(5, "x", at: later) == nil)
        #expect(try await store.list(of: nil, in: nil, isTaken: true, after: 0, limit: 9).entries.isEmpty)
    }

    @Test func `requests of own jobs that the partner lacks wait, of this queue alone`() async throws {
        let store = try StandbyStore(path: path)
        try await store.remember(9, in: "bcd", request: [1])
        try await store.remember(7, in: "bcd", request: [2])
        try await store.remember(1, in: "old", request: [3])
        let again = try StandbyStore(path: path)
        #expect(try await again.remembered(in: "bcd") == [7, 9])
        #expect(try await again.request(of: 9, in: "bcd") == [1])
        #expect(try await again.request(of: 1, in: "old") == nil)
        try await again.forget(9, in: "bcd")
        #expect(try await again.remembered(in: "bcd") == [7])
    }

    @Test func `a damaged file is set aside`() async throws {
        try folder.write(String(repeating: "no database ", count: 1000), to: "standby.sqlite")
        let store = try StandbyStore(path: path)
        #expect(try await store.hold(key(7), job("tea"), at: Self.now) == .held)
        #expect(try folder.names().contains("standby.sqlite.damaged"))
    }

    @Test func `a partner is silent after three seconds of listening`() {
        let start = ContinuousClock.now
        var silence = PartnerSilence(at: start)
        var now = start
        func listen(_ duration: Duration) {
            let end = now + duration
            while now < end {
                now += PartnerSilence.interval
                silence.look(at: now)
            }
        }
        listen(.seconds(2))
        // This kiosk was stopped for an hour, and has not listened.
        now += .seconds(3600)
        silence.look(at: now)
        #expect(!silence.isSilent)
        silence.heard()
        listen(.milliseconds(2750))
        #expect(!silence.isSilent)
        listen(.milliseconds(250))
        #expect(silence.isSilent)
        silence.heard()
        #expect(!silence.isSilent)
    }
}
