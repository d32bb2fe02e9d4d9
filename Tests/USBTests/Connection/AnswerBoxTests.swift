import Synchronization
import Testing

@testable import USB

@Suite("What the device has said")
struct AnswerBoxTests {
    @Test func `comes in its order, and ends after the last`() async {
        let box = AnswerBox(.drop)
        var answers = box.listen {}.makeAsyncIterator()
        box.add([1])
        box.add([2, 3])
        box.end()
        #expect(await answers.next() == [1, 2, 3])
        #expect(await answers.next() == nil)
    }

    @Test func `is gone where nobody listened`() async {
        let box = AnswerBox(.drop)
        box.add([1])
        var answers = box.listen {}.makeAsyncIterator()
        box.add([2])
        #expect(await answers.next() == [2])
    }

    @Test func `reaches the last listener, and ends for the one before`() async {
        let box = AnswerBox(.drop)
        var first = box.listen {}.makeAsyncIterator()
        var second = box.listen {}.makeAsyncIterator()
        box.add([1])
        #expect(await first.next() == nil)
        #expect(await second.next() == [1])
    }

    @Test func `wakes a listener that waits`() async {
        let box = AnswerBox(.drop)
        var answers = box.listen {}.makeAsyncIterator()
        async let added: Void = box.add([7])
        #expect(await answers.next() == [7])
        await added
    }

    @Test func `is dropped from the oldest on when there is too much`() async {
        let box = AnswerBox(.drop)
        var answers = box.listen {}.makeAsyncIterator()
        for number in 0..<70 { box.add([UInt8](repeating: UInt8(number), count: 1024)) }
        #expect(!box.isFull)
        #expect(await answers.next()?.first == 8)
    }

    @Test func `waits in the device where every byte counts`() async {
        let box = AnswerBox(.wait)
        let taken = Mutex(0)
        var answers = box.listen { taken.withLock { $0 += 1 } }.makeAsyncIterator()
        while !box.isFull { box.add([UInt8](repeating: 0, count: 16384)) }
        #expect(taken.withLock(\.self) == 1)
        #expect(await answers.next()?.count == 16384)
        #expect(!box.isFull)
        #expect(taken.withLock(\.self) == 2)
    }

    @Test func `ends at once for whoever is cancelled`() async {
        let box = AnswerBox(.drop)
        let answers = box.listen {}
        let task = Task { await answers.first { _ in true } }
        task.cancel()
        #expect(await task.value == nil)
    }
}
