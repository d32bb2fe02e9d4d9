import Synchronization
import Testing

@testable import KioskUSB

@Suite("The bytes that a device has sent")
struct ReceiveBufferTests {
    @Test func `comes in its order, and ends after the last`() async {
        let buffer = ReceiveBuffer(.drop)
        var responses = buffer.read {}.makeAsyncIterator()
        buffer.add([1])
        buffer.add([2, 3])
        buffer.end()
        #expect(await responses.next() == [1, 2, 3])
        #expect(await responses.next() == nil)
    }

    @Test func `is dropped where nobody listened`() async {
        let buffer = ReceiveBuffer(.drop)
        buffer.add([1])
        var responses = buffer.read {}.makeAsyncIterator()
        buffer.add([2])
        #expect(await responses.next() == [2])
    }

    @Test func `reaches the last listener, and ends for the one before`() async {
        let buffer = ReceiveBuffer(.drop)
        var first = buffer.read {}.makeAsyncIterator()
        var second = buffer.read {}.makeAsyncIterator()
        buffer.add([1])
        #expect(await first.next() == nil)
        #expect(await second.next() == [1])
    }

    @Test func `wakes a listener that waits`() async {
        let buffer = ReceiveBuffer(.drop)
        var responses = buffer.read {}.makeAsyncIterator()
        async let added: Void = buffer.add([7])
        #expect(await responses.next() == [7])
        await added
    }

    @Test func `is dropped from the oldest on when there is too much`() async {
        let buffer = ReceiveBuffer(.drop)
        var responses = buffer.read {}.makeAsyncIterator()
        for number in 0..<70 { buffer.add([UInt8](repeating: UInt8(number), count: 1024)) }
        #expect(!buffer.isFull)
        #expect(await responses.next()?.first == 8)
    }

    @Test func `waits in the device where every byte counts`() async {
        let buffer = ReceiveBuffer(.wait)
        let taken = Mutex(0)
        var responses = buffer.read { taken.withLock { $0 += 1 } }.makeAsyncIterator()
        while !buffer.isFull { buffer.add([UInt8](repeating: 0, count: 16384)) }
        #expect(taken.withLock(\.self) == 1)
        #expect(await responses.next()?.count == 16384)
        #expect(!buffer.isFull)
        #expect(taken.withLock(\.self) == 2)
    }

    @Test func `ends at once for whoever is cancelled`() async {
        let buffer = ReceiveBuffer(.drop)
        let responses = buffer.read {}
        let task = Task { await responses.first { _ in true } }
        task.cancel()
        #expect(await task.value == nil)
    }
}
