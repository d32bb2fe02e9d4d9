import Testing

@testable import IPP

@Suite struct ConnectionLanesTests {
    private typealias Lanes = ConnectionLanes<String, String>

    private func lease(_ lanes: inout Lanes, document: Bool = false) -> String {
        switch lanes.lease(isDocument: document, isUsable: { $0 != "broken" }) {
        case .go(let connection): connection ?? "new"
        case .wait: "wait"
        }
    }

    @Test func `two at once, and the third waits`() {
        var lanes = Lanes()
        #expect(lease(&lanes) == "new")
        #expect(lease(&lanes) == "new")
        #expect(lease(&lanes) == "wait")
    }

    @Test func `one document at once leaves the other lane to questions`() {
        var lanes = Lanes()
        #expect(lease(&lanes, document: true) == "new")
        #expect(lease(&lanes, document: true) == "wait")
        #expect(lease(&lanes) == "new")
    }

    @Test func `the connection used last is used first, and broken ones never`() {
        var lanes = Lanes()
        for _ in 0..<2 { _ = lease(&lanes) }
        _ = lanes.giveBack("a", isDocument: false)
        _ = lanes.giveBack("broken", isDocument: false)
        #expect(lease(&lanes) == "a")
        #expect(lease(&lanes) == "new")
    }

    @Test func `who waits is served in order, past a document that must wait on`() {
        var lanes = Lanes()
        _ = lease(&lanes, document: true)
        _ = lease(&lanes)
        _ = lanes.enqueue("second document", isDocument: true)
        _ = lanes.enqueue("question", isDocument: false)
        let next = lanes.giveBack("b", isDocument: false)
        #expect(next?.waiter == "question")
        #expect(next?.connection == "b")
        #expect(lanes.giveBack(nil, isDocument: true)?.waiter == "second document")
        #expect(lease(&lanes) == "wait")
    }

    @Test func `who gave up waiting is not served`() {
        var lanes = Lanes()
        for _ in 0..<2 { _ = lease(&lanes) }
        let number = lanes.enqueue("one", isDocument: false)
        #expect(lanes.forgetWaiter(number) == "one")
        #expect(lanes.forgetWaiter(number) == nil)
        #expect(lanes.giveBack("a", isDocument: false) == nil)
    }

    @Test func `one at a time where the printer serves no two, until it serves more`() {
        var lanes = Lanes(limit: 1)
        #expect(lease(&lanes) == "new")
        #expect(lanes.isFull)
        #expect(lease(&lanes) == "wait")
        for name in ["a", "b"] { _ = lanes.enqueue(name, isDocument: false) }
        #expect(lanes.allow(3).map(\.waiter) == ["a"])
        #expect(lanes.isFull)
        #expect(lanes.allow(0).isEmpty)
        #expect(lanes.giveBack("x", isDocument: false) == nil)
        #expect(lanes.giveBack("y", isDocument: false)?.waiter == "b")
    }
}
