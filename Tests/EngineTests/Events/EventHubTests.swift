import Dispatch
import KioskPrintModel
import KioskTestSupport
import Synchronization
import Testing

@testable import KioskEngine

@Suite struct EventHubTests {
    private func hub() -> EventHub { EventHub(now: { Timestamp(millisecondsSince1970: 1000) }) }

    private func ids(_ stream: AsyncStream<EngineEvent>, _ count: Int) async -> [EngineEvent] {
        var events: [EngineEvent] = []
        for await event in stream {
            events.append(event)
            if events.count == count { break }
        }
        return events
    }

    @Test func `numbers events in order and hands them to listeners`() async {
        let hub = hub()
        let stream = hub.events(after: nil)
        hub.publish(.registryReloaded)
        hub.publish(.printerChanged)
        let events = await ids(stream, 2)
        #expect(events.map(\.kind) == [.registryReloaded, .printerChanged])
        #expect(events[1].id == events[0].id + 1)
    }

    @Test func `gives a listener that comes back what it missed`() async {
        let hub = hub()
        let stream = hub.events(after: nil)
        for _ in 0..<3 { hub.publish(.printerChanged) }
        let seen = await ids(stream, 1)
        let missed = await ids(hub.events(after: seen[0].id), 2)
        #expect(missed.map(\.id) == [seen[0].id + 1, seen[0].id + 2])
        #expect(missed.map(\.kind) == [.printerChanged, .printerChanged])
    }

    @Test func `tells a listener that was away too long to read anew`() async {
        let hub = hub()
        let stream = hub.events(after: nil)
        hub.publish(.registryReloaded)
        let first = await ids(stream, 1)[0]
        for _ in 0..<(3 * EventHub.retained) { hub.publish(.printerChanged) }
        let events = await ids(hub.events(after: first.id), 2)
        #expect(events.map(\.kind) == [.resync, .printerChanged])
    }

    @Test(arguments: [Int64.min, 0, 1, .max - 1, .max])
    func `tells a listener with an id of another life to read anew`(id: Int64) async {
        let hub = hub()
        hub.publish(.registryReloaded)
        let events = await ids(hub.events(after: id), 1)
        #expect(events.map(\.kind) == [.resync])
    }

    @Test func `drops a listener that does not read, and goes on`() async {
        let hub = hub()
        let slow = hub.events(after: nil)
        for _ in 0..<(4 * EventHub.retained) { hub.publish(.printerChanged) }
        var count = 0
        for await _ in slow { count += 1 }
        #expect(count == 3 * EventHub.retained)
    }

    @Test func `goes on where listeners are cancelled while events come`() async throws {
        let (hub, end, publisher) = (hub(), Signal(), Signal())
        DispatchQueue.global().async {
            while !end.isRaised { hub.publish(.printerChanged) }
            publisher.raise()
        }
        let listeners = Task {
            for _ in 0..<500 {
                let listener = Task { for await _ in hub.events(after: nil) {} }
                // It waits for an event, or takes one.
                await Task.yield()
                listener.cancel()
                await listener.value
            }
            end.raise()
        }
        try await eventually("the publisher to come to its end") { publisher.isRaised }
        await listeners.value
    }

    @Test func `hands events of several threads to each listener in order`() async {
        let hub = hub()
        let listeners = (0..<4).map { _ in hub.events(after: nil) }
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<200 { hub.publish(.printerChanged) }
        }
        hub.finish()
        for listener in listeners {
            var ids: [Int64] = []
            for await event in listener { ids.append(event.id) }
            #expect(ids == Array(1_000_000..<1_000_800))
        }
    }

    @Test func `ends every stream when it is finished`() async {
        let hub = hub()
        let stream = hub.events(after: nil)
        hub.finish()
        for await _ in stream { Issue.record("no event was published") }
        for await _ in hub.events(after: nil) { Issue.record("no event can follow") }
    }
}

/// Set once, by any thread.
private final class Signal: Sendable {
    private let state = Atomic<Bool>(false)

    var isRaised: Bool { state.load(ordering: .acquiring) }
    func raise() { state.store(true, ordering: .releasing) }
}
