import Testing

@testable import KioskIPP

@Suite struct ConnectionPoolStateTests {
    private typealias State = ConnectionPoolState<String, String>

    private func lease(_ state: inout State, document: Bool = false) -> String {
        switch state.lease(isDocument: document, isUsable: { $0 != "broken" }) {
        case .granted(let connection): connection ?? "new"
        case .wait: "wait"
        }
    }

    @Test func `two at once, and the third waits`() {
        var state = State()
        #expect(lease(&state) == "new")
        #expect(lease(&state) == "new")
        #expect(lease(&state) == "wait")
    }

    @Test func `one document at once leaves the other connection to questions`() {
        var state = State()
        #expect(lease(&state, document: true) == "new")
        #expect(lease(&state, document: true) == "wait")
        #expect(lease(&state) == "new")
    }

    @Test func `the connection used last is used first, and broken ones never`() {
        var state = State()
        for _ in 0..<2 { _ = lease(&state) }
        _ = state.giveBack("a", isDocument: false)
        _ = state.giveBack("broken", isDocument: false)
        #expect(lease(&state) == "a")
        #expect(lease(&state) == "new")
    }

    @Test func `who waits is served in order, past a document that must wait on`() {
        var state = State()
        _ = lease(&state, document: true)
        _ = lease(&state)
        _ = state.enqueue("second document", isDocument: true)
        _ = state.enqueue("question", isDocument: false)
        let next = state.giveBack("b", isDocument: false)
        #expect(next?.waiter == "question")
        #expect(next?.connection == "b")
        #expect(state.giveBack(nil, isDocument: true)?.waiter == "second document")
        #expect(lease(&state) == "wait")
    }

    @Test func `who gave up waiting is not served`() {
        var state = State()
        for _ in 0..<2 { _ = lease(&state) }
        let number = state.enqueue("one", isDocument: false)
        #expect(state.removeWaiter(number) == "one")
        #expect(state.removeWaiter(number) == nil)
        #expect(state.giveBack("a", isDocument: false) == nil)
    }

    @Test func `one at a time where the printer serves no two, until it serves more`() {
        var state = State(limit: 1)
        #expect(lease(&state) == "new")
        #expect(state.isFull)
        #expect(lease(&state) == "wait")
        for name in ["a", "b"] { _ = state.enqueue(name, isDocument: false) }
        #expect(state.allow(3).map(\.waiter) == ["a"])
        #expect(state.isFull)
        #expect(state.allow(0).isEmpty)
        #expect(state.giveBack("x", isDocument: false) == nil)
        #expect(state.giveBack("y", isDocument: false)?.waiter == "b")
    }
}
